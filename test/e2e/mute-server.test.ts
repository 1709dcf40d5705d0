/** A server without a say in a room: it serves it, and whom it would have to sign something for is told why it cannot. */
import { type KeyPair, generateKeys, keepRoom } from '@weft/core';
import { expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { Peer } from '../faults/peer.js';
import { tempFolder } from '../support/temp-folder.js';
import { WeftRun } from '../support/programs/weft-run.js';
import { Site, URL_LINE } from './authority-site.js';

async function enter(address: string, keys: KeyPair = generateKeys()) {
  const client = keepRoom({ open: () => new WebSocket(`ws://${address}/ws/room`), keys });
  onTestFinished(() => client.close());
  await client.joined;
  return client;
}

it('[MA4] tells who reads a part why it cannot vouch for the rest, and goes on with who reads all', async () => {
  const site = new Site(await tempFolder());
  const before = new WeftRun(['serve', '--listen', '127.0.0.1:0', '--store', site.data]);
  const first = await enter((await before.line(URL_LINE))[1]!);
  first.replica.set('a/x', 1);
  await first.push();
  first.close();
  await before.stop();
  // The room's only root is the key of the store, which has certified nobody.
  await site.say('init', '--root', site.at('root.key'));
  await site.certify('root.key');
  const server = site.serve();
  const address = (await server.line(URL_LINE))[1]!;
  const client = await enter(address);
  const part = await Peer.enter(`ws://${address}/ws/<room>`);
  part.send({ type: 'subscribe', patterns: ['a/**'] });
  await part.nextOf('subscribe-ack');
  for (const [key, value] of [
    ['b', 1],
    ['a/x', 2],
  ] as const) {
    client.replica.set(key, value);
    await client.push();
  }
  expect(await part.nextOf('error')).toMatchObject({
    code: 'authority-missing',
    msg: expect.stringContaining('no root of this room has certified the key of this server') as string,
  });
  expect(await part.closed).toMatchObject({ code: 1008 });
  expect(server.err.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  client.replica.set('b', 2);
  await client.push();
  expect((await enter(address)).replica.get('b')).toBe(2);
});
