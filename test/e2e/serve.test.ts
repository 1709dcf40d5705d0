/** `weft serve` as an operator meets it. */
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type RoomClient, connectRoom, createHost, generateKeys, keepRoom } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { describe, expect, it, onTestFinished } from 'vitest';
import { transportNames } from '../support/transport-names.js';
import WebSocket from 'ws';
import { tempFolder } from '../support/temp-folder.js';
import { BIN, WeftProcess } from '../support/weft-process.js';
import { type RunSurroundings, WeftRun } from '../support/weft-run.js';

const URL_LINE = /^ws:\/\/(127\.0\.0\.1:\d+)\/ws\/<room>$/;

async function enter(address: string, room: string): Promise<RoomClient> {
  const client = await connectRoom({ socket: new WebSocket(`ws://${address}/ws/${room}`), keys: generateKeys() });
  onTestFinished(() => client.close());
  return client;
}

describe.each(transportNames)('weft serve on %s', (transport) => {
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

it('weft serve takes flags, variables and a file, and prints what holds', async () => {
  const file = join(await tempFolder(), 'weft.json');
  await writeFile(file, '{ "store": "memory", "listen": "127.0.0.1:1", "limit-frame-bytes": 5000 }');
  const env = { WEFT_LISTEN: '127.0.0.1:0', WEFT_CONFIG: file };
  const shown = new WeftRun(['serve', '--print-config', '--transport', 'ws'], { env });
  expect(await shown.ended).toBe(0);
  const config: unknown = JSON.parse(shown.out.join('\n'));
  expect(config).toMatchObject({ store: 'memory', listen: '127.0.0.1:0', transport: 'ws', 'limit-frame-bytes': 5000 });

  const weft = new WeftRun(['serve'], { env });
  const [, address = ''] = await weft.line(URL_LINE);
  const socket = new WebSocket(`ws://${address}/ws/lobby`);
  socket.on('open', () => socket.send('x'.repeat(5001)));
  const [code]: unknown[] = await once(socket, 'close');
  expect(code).toBe(1009);
});

it('weft serve --json says on one line where it is', async () => {
  const weft = new WeftRun(['serve', '--listen', '127.0.0.1:0', '--store', 'memory', '--json']);
  const [line] = await weft.line(/^\{.*\}$/);
  expect(JSON.parse(line)).toEqual({ url: expect.stringMatching(URL_LINE) });
});

it('output that nobody reads any more ends a command in peace, and one that cannot be written fails', async () => {
  const folder = join(await tempFolder(), 'data');
  const host = createHost({ store: levelStore(folder) });
  const room = await host.room('plans');
  for (let i = 0; i < 20; i++) await room.set(`k${i}`, '.'.repeat(10_000));
  await host.close();
  const ended = async (pipe: string) => {
    const command = `{ { "$0" "$@"; echo "$?" >&3; } ${pipe}; } 3>&1`;
    const { out, err, exited } = new WeftProcess(['replay', 'plans', '--store', folder], {
      command: ['sh', '-c', command, process.execPath, BIN],
    });
    await exited;
    return { code: out.at(-1), err };
  };
  expect(await ended('| head -1')).toEqual({ code: '0', err: [] });
  expect(await ended('| true')).toEqual({ code: '0', err: [] });
  expect(await ended('> /dev/full')).toEqual({
    code: '1',
    err: [expect.stringMatching(/^weft: cannot write what was asked for: ENOSPC/)],
  });
});

describe('weft serve refuses in one line', () => {
  async function refusal(
    args: readonly string[],
    env: RunSurroundings['env'] = {},
  ): Promise<{ code: number; line: string }> {
    const weft = new WeftRun(args, { env });
    const code = await weft.ended;
    expect(weft.out).toEqual([]);
    expect(weft.err).toHaveLength(1);
    return { code, line: weft.err[0] ?? '' };
  }

  it('a wrong flag, a wrong value, an unknown command', async () => {
    expect(await refusal(['serve', '--colour', 'red'])).toEqual({
      code: 2,
      line: expect.stringMatching(/--colour.*weft serve --help/),
    });
    expect((await refusal(['serve', '--transport', 'pigeon'])).line).toMatch(/auto, uws, ws/);
    expect((await refusal(['serve', '--listen', 'nowhere'])).line).toMatch(/nowhere/);
    expect((await refusal(['serve', '--store', 'memory', '--blob-url', 'https://x.example'])).line).toMatch(
      /--blob-addr/,
    );
    expect((await refusal(['serve', '--store', 'memory', '--blob-addr', '0.0.0.0:0'])).line).toMatch(/--blob-url/);
    expect((await refusal(['serve', '--store', 'memory', '--archive-trust', 'ab,cd'])).line).toMatch(/archive-trust/);
    expect(await refusal(['serve'], { WEFT_COLOUR: 'red' })).toEqual({
      code: 2,
      line: 'weft: WEFT_COLOUR: there is no such option; weft serve --help lists them',
    });
    expect(await refusal(['sevre'])).toEqual({ code: 2, line: expect.stringMatching(/"sevre".*weft --help/) });
  });

  it.each(transportNames)('a port in use (%s) [fault 39]', async (transport) => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void taken.close());
    const address = taken.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const listen = `127.0.0.1:${port}`;
    const { code, line } = await refusal(['serve', '--store', 'memory', '--listen', listen, '--transport', transport]);
    expect(code).toBe(1);
    expect(line).toContain(`cannot listen on ${listen}: address already in use`);
  });

  it('a data folder that is a file', async () => {
    const path = join(await tempFolder(), 'data');
    await writeFile(path, 'precious');
    const { code, line } = await refusal(['serve', '--listen', '127.0.0.1:0', '--store', path]);
    expect(code).toBe(1);
    expect(line).toContain(path);
    expect(await readFile(path, 'utf8')).toBe('precious');
  });

  it('a data folder in use, which goes on working [fault 39]', async () => {
    const folder = join(await tempFolder(), 'data');
    const first = new WeftProcess(['serve', '--listen', '127.0.0.1:0', '--store', folder]);
    const [, address = ''] = await first.line(URL_LINE);
    const { code, line } = await refusal(['serve', '--listen', '127.0.0.1:0', '--store', folder]);
    expect(code).toBe(1);
    expect(line).toMatch(/in use by another Weft process/);
    const client = await enter(address, 'lobby');
    client.replica.set('still', 'here');
    await client.push();
  });
});
