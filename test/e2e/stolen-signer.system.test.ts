/**
 * A key that a server signs with is stolen while people are in its room: a thief who has a copy of its data runs a server of his own, and
 * what he has signed for the room there is carried to everybody. Real processes, and three clients: TypeScript, Python, a copy in Node.
 */
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateKeys, keepRoom } from '@weft/core';
import { expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { Peer } from '../faults/peer.js';
import { replicaOf } from '../faults/writer.js';
import { PythonPeer } from '../python/python-peer.js';
import { tempFolder } from '../support/temp-folder.js';
import { weft } from '../support/programs/weft-run.js';
import { Site, TAKEN, URL_LINE, certified } from './authority-site.js';

const DENY = '{"default":"deny","rules":[]}';
const ALLOW = '{"default":"allow","rules":[]}';

async function serving(site: Site) {
  const server = site.serve();
  const [, address] = await server.line(URL_LINE);
  return { server, url: `ws://${address}/ws/room` };
}

/** Who has a backup, the signing key beside the data and the authority file as they are now. */
async function thiefOf(site: Site): Promise<Site> {
  const thief = new Site(await tempFolder());
  for (const words of [
    ['backup', '--store', site.data, thief.at('backup')],
    ['restore', '--store', thief.data, thief.at('backup')],
  ]) {
    const { code, err } = await weft(...words);
    expect([code, err]).toEqual([0, expect.anything()]);
  }
  await cp(join(site.data, 'signer.key'), join(thief.data, 'signer.key'));
  await cp(site.file, thief.file);
  return thief;
}

const bytesOf = (nodes: unknown): Uint8Array => Uint8Array.from(Buffer.from(String(nodes), 'base64'));

it('[MA3] nodes of a stolen signer are refused by everybody once it is revoked, and the room goes on by another key', async () => {
  const site = await certified();
  const { server, url } = await serving(site);
  const client = keepRoom({ open: () => new WebSocket(url), keys: generateKeys(), retry: { mostMs: 50 } });
  onTestFinished(() => client.close());
  await client.joined;
  client.replica.set('a', 1);
  await client.push();
  await site.room('room', 'policy', 'room', '--policy', ALLOW);
  const python = new PythonPeer();
  await python.do('open', url, generateKeys().seed, {});
  const reader = await Peer.dial(url);
  const history = await reader.join();
  const copy = await replicaOf(history.welcome);
  const take = async (nodes: unknown) => copy.receive(bytesOf(nodes));
  for (const { nodes } of history.packs) await take(nodes);

  const thief = await thiefOf(site);
  const stolen = (await site.room('authority', 'status', '--room', 'room'))['speaker'] as string;
  await site.say('revoke', '--root', site.at('root.key'), '--signer', stolen);
  const next = await site.certify('root.key', true);
  server.hangUp();
  await server.line(TAKEN, server.err);
  await site.room('room', 'policy', 'room', '--policy', ALLOW);
  expect(await site.room('authority', 'status', '--room', 'room')).toMatchObject({ speaks: true, speaker: next });

  // He knows nothing of it, and shuts everybody out; then he learns of it, and does so once more.
  const his = await serving(thief);
  await thief.room('room', 'policy', 'room', '--policy', DENY);
  const spoils = await Peer.dial(his.url);
  const { packs } = await spoils.join();
  const courier = await Peer.enter(url);
  for (const { nodes } of packs) courier.send({ type: 'pack', nodes });
  const ack = await courier.nextOf('pack-ack');
  expect(ack).toMatchObject({ rejected_count: 1, rejected: [{ reason: 'signer-revoked' }] });
  const current = await Peer.dial(url);
  for (const { nodes } of (await current.join()).packs) spoils.send({ type: 'pack', nodes });
  await spoils.nextOf('pack-ack');
  await expect(thief.room('room', 'policy', 'room', '--policy', DENY)).rejects.toThrow(/is revoked in this room/);

  // The room goes on: whoever is in it takes what the other key says, and nothing of his.
  client.replica.set('b', 2);
  await client.push();
  await python.do('set', 'c', 3);
  await python.do('push');
  await site.room('room', 'policy', 'room', '--policy', ALLOW);
  await expect.poll(() => client.replica.get('c')).toBe(3);
  for (let seen = copy.get('c'); seen !== 3; seen = copy.get('c')) await take((await reader.nextOf('pack'))['nodes']);
  const { stateHash } = client.replica;
  await expect.poll(async () => (await python.state()).hash).toBe(stateHash);
  expect([copy.stateHash, client.state, client.replica.get('\0policy')]).toEqual([
    stateHash,
    'joined',
    expect.objectContaining({ default: 'allow' }),
  ]);
  expect(server.err.filter((line) => line.includes('"level":"error"'))).toEqual([]);

  // A restart changes nothing of it.
  await server.stop();
  const again = await serving(site);
  const late = await Peer.dial(again.url);
  for (const { nodes } of packs) {
    const one = await Peer.enter(again.url);
    one.send({ type: 'pack', nodes });
    expect(await one.nextOf('pack-ack')).toMatchObject({ rejected: [{ reason: 'signer-revoked' }] });
  }
  expect((await late.join()).welcome).toMatchObject({ type: 'welcome' });
  expect(await readFile(site.file, 'utf8')).toContain(stolen);
});
