/** `weft serve` on one of its transports, as an operator meets it. */
import { join } from 'node:path';
import { type RoomClient, connectRoom, generateKeys, keepRoom } from '@weft/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { tempFolder } from '../support/temp-folder.js';
import type { TransportName } from '../support/transport-names.js';
import { WeftProcess } from '../support/programs/weft-process.js';
import { WeftRun } from '../support/programs/weft-run.js';

export const URL_LINE = /^ws:\/\/(127\.0\.0\.1:\d+)\/ws\/<room>$/;

export async function enter(address: string, room: string): Promise<RoomClient> {
  const client = await connectRoom({ socket: new WebSocket(`ws://${address}/ws/${room}`), keys: generateKeys() });
  onTestFinished(() => client.close());
  return client;
}

export function servesOn(transport: TransportName): void {
  describe(`weft serve on ${transport}`, () => {
    const wordsOf = (...args: string[]) => ['serve', '--listen', '127.0.0.1:0', '--transport', transport, ...args];
    const serve = (...args: string[]): WeftProcess => new WeftProcess(wordsOf(...args));
    const serveHere = (...args: string[]): WeftRun => new WeftRun(wordsOf(...args));

    it('prints its URL, lets peers meet, and stops cleanly on SIGINT and SIGTERM', async () => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) {
        const weft = serve('--store', 'memory');
        const [, address = ''] = await weft.line(URL_LINE);
        const [ann, ben] = [await enter(address, 'lobby'), await enter(address, 'lobby')];
        const heard = new Promise<void>((resolve) => void ben.onChange(resolve));
        ann.replica.set('greeting', 'hello');
        await ann.push();
        await heard;
        expect(ben.replica.get('greeting')).toBe('hello');
        expect(await weft.kill(signal)).toEqual({ code: 0, signal: null });
        expect(await ann.closed).toMatchObject({ code: 1012, reason: expect.stringMatching(/come back in \d+ ms$/) });
        expect(weft.problems).toEqual([]);
      }
    });

    it('takes signals that come at once for one, as Ctrl-C is handed on by npm', async () => {
      const weft = serve('--store', 'memory');
      const [, address = ''] = await weft.line(URL_LINE);
      const ann = await enter(address, 'lobby');
      weft.signal('SIGINT');
      expect(await weft.kill('SIGTERM')).toEqual({ code: 0, signal: null });
      expect(await ann.closed).toMatchObject({ code: 1012 });
    });

    it('keeps what it acknowledged across SIGKILL', async () => {
      const folder = join(await tempFolder(), 'data');
      for (let round = 0; round < 3; round++) {
        const weft = serve('--store', folder);
        const [, address = ''] = await weft.line(URL_LINE);
        const client = await enter(address, 'ledger');
        for (let old = 0; old < round; old++) expect(client.replica.get(`round/${old}`)).toBe(old);
        client.replica.set(`round/${round}`, round);
        await client.push();
        await weft.kill('SIGKILL');
      }
    });

    it('restarts under the hands of those who write, who notice a pause and lose nothing', async () => {
      const folder = join(await tempFolder(), 'data');
      const first = serve('--store', folder);
      const [, address = ''] = await first.line(URL_LINE);
      const open = (): WebSocket => new WebSocket(`ws://${address}/ws/ledger`);
      const client = keepRoom({ open, keys: generateKeys(), retry: { mostMs: 50 } });
      onTestFinished(() => client.close());
      await client.joined;
      let written = 0;
      const writing = setInterval(() => client.replica.set(`entry/${written++}`, 'kept'), 1);
      await client.push();
      expect(await first.kill('SIGTERM')).toEqual({ code: 0, signal: null });
      const second = new WeftProcess(['serve', '--listen', address, '--transport', transport, '--store', folder]);
      await second.line(URL_LINE);
      clearInterval(writing);
      await client.push();
      const reader = await enter(address, 'ledger');
      expect([...reader.replica.entries('entry/')]).toHaveLength(written);
    });

    it('stops after --drain-ms though peers are owed answers, and at once when told twice', async () => {
      const slow = ['--store', 'memory', '--limit-nodes-per-second', '1', '--limit-nodes-burst', '1'];
      for (const signals of [1, 2]) {
        const weft = serve(...slow, '--drain-ms', signals === 1 ? '300' : '60000');
        const [, address = ''] = await weft.line(URL_LINE);
        const client = await enter(address, 'lobby');
        for (let i = 0; i < 100; i++) client.replica.set(`k${i}`, i);
        client.push().catch(() => undefined);
        await new Promise((resolve) => setTimeout(resolve, 200)); // the server has them now
        weft.signal('SIGTERM');
        await weft.line(/the server stops/, weft.err);
        // What comes at once is the first signal, handed on; whoever means it says it again.
        while (signals === 2 && !weft.hasEnded) {
          weft.signal('SIGTERM');
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
        expect(await weft.exited).toEqual({ code: signals === 1 ? 0 : 130, signal: null });
      }
    });

    it('serves /metrics on its own address alone', async () => {
      const weft = serveHere('--store', 'memory', '--metrics-addr', '127.0.0.1:0');
      const [, address = ''] = await weft.line(URL_LINE);
      await enter(address, 'lobby');
      const [, metrics = ''] = await weft.line(/^metrics: (.*)$/);
      expect(await (await fetch(metrics)).text()).toContain('weft_peers 1');
      expect((await fetch(`http://${address}/metrics`)).status).toBe(404);
    });

    it('moves blobs on their own address alone, and only by links', async () => {
      const store = join(await tempFolder(), 'data');
      const weft = serveHere('--store', store, '--blob-addr', '127.0.0.1:0', '--blob-url', 'https://blobs.example/');
      await weft.line(URL_LINE);
      expect(await weft.stop()).toBe(0);
      expect(weft.out[1]).toBe('blobs: https://blobs.example');

      const direct = serveHere('--store', store, '--blob-addr', '127.0.0.1:0');
      const [, address = ''] = await direct.line(URL_LINE);
      const [, blobs = ''] = await direct.line(/^blobs: (http:.*)$/);
      const path = `/blobs/lobby/${'ab'.repeat(32)}`;
      const refused = await fetch(`${blobs}${path}`);
      expect([refused.status, await refused.json()]).toMatchObject([403, { code: 'bad-link' }]);
      expect((await fetch(`http://${address}${path}`)).status).toBe(404);
    });
  });
}
