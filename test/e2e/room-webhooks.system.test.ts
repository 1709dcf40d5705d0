/** Webhooks of rooms as an operator has them: by words, beside writers, and with a server that is killed in between. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type RoomClient, generateKeys, keepRoom } from '@weft/core';
import { expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/programs/weft-process.js';
import { weft, weftJson } from '../support/programs/weft-run.js';

interface Notice {
  readonly room: string;
  readonly nodes?: readonly { readonly seq: number }[];
  readonly deleted?: true;
}

/** Takes every second request alone, and dies in the middle of some. */
async function unsteadyReceiver() {
  const taken: Notice[] = [];
  let asked = 0;
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (piece: Buffer) => (text += piece.toString()));
    request.on('end', () => {
      if (++asked % 3 === 0) return void response.destroy();
      if (asked % 3 === 1) return void response.writeHead(500).end();
      response.on('finish', () => taken.push(JSON.parse(text) as Notice));
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { taken, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

it('tell all that was acknowledged, each room in order, however often the server is killed', async () => {
  const folder = join(await tempFolder(), 'data');
  const { taken, url } = await unsteadyReceiver();
  const serve = async () => {
    const server = new WeftProcess(['serve', '--listen', '127.0.0.1:0', '--store', folder]);
    const [, address = ''] = await server.line(/^(ws:\S+\/)<room>$/);
    return { server, address };
  };
  let { server, address } = await serve();
  const added = await weftJson('webhook', 'add', '--url', url, '--rooms', 'plans-*', '--store', folder);
  expect(added).toMatchObject({ url, rooms: 'plans-*', secret: expect.stringMatching(/^[0-9a-f]{64}$/) as string });

  const keys = generateKeys();
  const rooms = ['plans-1', 'plans-2', 'other'];
  for (let life = 0; life < 3; life++) {
    const clients = rooms.map((room): RoomClient => {
      const client = keepRoom({
        open: () => new WebSocket(address + room),
        keys,
        room,
        audience: new URL(address).host,
      });
      onTestFinished(() => client.close());
      return client;
    });
    for (let n = 0; n < 20; n++) {
      for (const client of clients) {
        await client.joined;
        client.replica.set(`k${n}`, life);
        await client.push();
      }
    }
    for (const client of clients) client.close();
    await server.kill('SIGKILL');
    ({ server, address } = await serve());
  }

  for (const room of ['plans-1', 'plans-2']) {
    const { nodes: head } = (await weftJson('room', 'inspect', room, '--store', folder)) as { nodes: number };
    expect(head).toBeGreaterThanOrEqual(60);
    const seen = (): number[] =>
      taken.filter((notice) => notice.room === room).flatMap(({ nodes = [] }) => nodes.map(({ seq }) => seq));
    await expect.poll(() => new Set(seen()).size).toBe(head);
    // What is told again begins where it had begun: nothing is left out on the way.
    let most = -1;
    for (const seq of seen()) {
      expect(seq).toBeLessThanOrEqual(most + 1);
      most = Math.max(most, seq);
    }
  }
  expect(taken.some(({ room }) => room === 'other')).toBe(false);

  await weftJson('room', 'delete', 'plans-2', '--confirm', 'plans-2', '--store', folder);
  await expect
    .poll(() => taken.filter(({ deleted }) => deleted))
    .toEqual([expect.objectContaining({ room: 'plans-2' })]);
  const { webhooks } = (await weftJson('webhook', 'list', '--store', folder)) as { webhooks: { id: string }[] };
  expect((await weft('webhook', 'remove', '--id', webhooks[0]!.id, '--store', folder)).code).toBe(0);
  expect(await weft('webhook', 'remove', '--id', webhooks[0]!.id, '--store', folder)).toMatchObject({
    code: 1,
    err: expect.stringContaining('weft webhook list shows those there are') as string,
  });
});
