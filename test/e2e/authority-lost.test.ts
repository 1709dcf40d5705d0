/** A root that is lost, end to end: by the words of an operator, over real sockets. */
import { rm } from 'node:fs/promises';
import { type KeyPair, generateKeys, keepRoom } from '@weft/core';
import { expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { tempFolder } from '../support/temp-folder.js';
import type { WeftRun } from '../support/programs/weft-run.js';
import { Site, TAKEN, URL_LINE } from './authority-site.js';

async function addressOf(server: WeftRun): Promise<string> {
  return `ws://${(await server.line(URL_LINE))[1]}/ws/room`;
}

async function enter(address: string, keys: KeyPair = generateKeys()) {
  const client = keepRoom({ open: () => new WebSocket(address), keys, retry: { mostMs: 50 } });
  onTestFinished(() => client.close());
  await client.joined;
  return client;
}

it('[MA6] a room whose root is lost goes on by its recovery, for those who are there and those who come', async () => {
  const site = new Site(await tempFolder());
  await site.say('init', '--root', site.at('root.key'), '--recovery', site.at('heir.key'));
  await site.certify('root.key');
  const server = site.serve();
  const address = await addressOf(server);
  const client = await enter(address);
  client.replica.set('a', 1);
  await client.push();
  await rm(site.at('root.key'));
  await site.say('rotate', '--recovery', site.at('heir.key'), '--new-root', site.at('next.key'));
  await site.certify('next.key', true);
  server.hangUp();
  await server.line(TAKEN, server.err);
  await site.room('room', 'policy', 'room', '--policy', '{"default":"deny","rules":[]}');
  await expect.poll(() => client.replica.get('\0policy')).toMatchObject({ default: 'deny' });
  client.replica.set('b', 1);
  await expect(client.push()).rejects.toMatchObject({ reason: 'push-refused' });
  const late = await enter(address);
  expect([client.state, late.replica.get('a'), late.replica.stateHash]).toEqual([
    'joined',
    1,
    client.replica.stateHash,
  ]);
});
