/** Rooms that are full: who pushes hears of it and loses nothing else, and who administers goes on. */
import { randomBytes } from 'node:crypto';
import { type Host, type RoomClient, connectRoom, createHost, generateKeys, signProof, signToken } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { ManualClock } from '@weft/core/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { tempFolder } from '../support/temp-folder.js';
import { Peer } from './peer.js';
import { type Serving, serveHere, transports } from './serving.js';
import { push, replicaOf } from './writer.js';

const ADMIN = generateKeys();
const ROOM_BYTES = 40_000;
const CAPS = ['room.admin', 'policy.admin', 'tick.admin', 'topology.admin', 'query.admin', 'query.read'];

interface Full extends Serving {
  readonly folder: string;
  readonly admin: Peer;
}

const some = (bytes: number): Uint8Array => new Uint8Array(randomBytes(bytes));

/** A room without space for another value of 1,000 bytes, and an administrator in it. */
async function fullRoom(transport: (typeof transports)[number], clock = new ManualClock()): Promise<Full> {
  const folder = await tempFolder();
  const options = { store: levelStore(folder), clock, adminKey: ADMIN.publicKey, limits: { roomBytes: ROOM_BYTES } };
  const serving = await serveHere(transport, options);
  const filler = await Peer.dial(serving.url);
  const replica = await replicaOf((await filler.join()).welcome);
  for (let round = 0; round < 13; round++) {
    for (let i = 0; i < 3; i++) replica.set(`k${i}`, some(1000));
    expect(await push(filler, replica)).toMatchObject({ rejected_count: 0 });
  }
  filler.socket.close();
  return { ...serving, folder, admin: await administratorAt(serving, clock.now()) };
}

async function administratorAt(
  { audience, url }: Pick<Serving, 'audience' | 'url'>,
  now = new ManualClock().now(),
): Promise<Peer> {
  const keys = generateKeys();
  const claims = { room: 'room', peer: keys.publicKey, expiry: now / 1000 + 3600, caps: CAPS };
  const proof = await signProof({ room: 'room', aud: audience, ts: now }, keys);
  const token = await signToken(claims, ADMIN.seed);
  return Peer.enter(url, 'room', { pubkey: keys.publicKey, token, proof });
}

async function clientOf({ url }: Serving): Promise<RoomClient> {
  const client = await connectRoom({
    socket: new WebSocket(url.replace('<room>', 'room')),
    keys: generateKeys(),
    autoPush: true,
  });
  onTestFinished(() => client.close());
  return client;
}

/** Nothing more goes into it, however small. */
async function fillUp(host: Host): Promise<void> {
  const fill = host.withRoom('room', async (room) => {
    for (let times = 0; times < 1000; times++) await room.set('rest', some(500));
  });
  await expect(fill).rejects.toMatchObject({ reason: 'room-full' });
}

const LOCK = generateKeys().publicKey;
/** What an administrator sends, with what it is answered by, in this order. */
const ADMINISTRATION: readonly (readonly [frame: Record<string, unknown>, answer: string])[] = [
  [{ type: 'set-policy', default: 'deny', rules: [{ path_glob: '**', can_write: [LOCK] }] }, 'policy-set'],
  [{ type: 'set-room-key', pubkey: LOCK }, 'room-locked'],
  [{ type: 'rotate-room-key', pubkey: generateKeys().publicKey }, 'room-locked'],
  [{ type: 'unlock-room' }, 'room-unlocked'],
  [{ type: 'set-room-key', pubkey: LOCK }, 'room-locked'],
  [{ type: 'revoke-token', peer_pubkey: LOCK, before: 1_900_000_000 }, 'token-revoked'],
  [{ type: 'start-tick', interval_ms: 100 }, 'tick-started'],
  [{ type: 'stop-tick' }, 'tick-stopped'],
  [{ type: 'compact-room' }, 'snapshot-pack'],
];

describe.each(transports)('over %s', (transport) => {
  it('[LM8] refuses what a full room has no space for in the ack, node by node', async () => {
    const { url } = await fullRoom(transport);
    const peer = await Peer.dial(url);
    const { welcome, packs } = await peer.join();
    const replica = await replicaOf(welcome);
    replica.set('more', some(1000));
    replica.set('more', some(1000));
    const ack = await push(peer, replica);
    const rejected = (ack['rejected'] as { id: string; reason: string }[]).map(({ reason }) => reason).sort();
    expect(ack).toMatchObject({ type: 'pack-ack', accepted_count: 0, rejected_count: 2, incoming_count: 2 });
    expect(rejected).toEqual(['room-full', 'room-full']);
    // What it holds is not refused again.
    peer.send({ type: 'pack', nodes: packs[0]!['nodes'] });
    expect(await peer.nextOf('pack-ack')).toMatchObject({ rejected_count: 0 });
  });

  it('[LM8] gives up at the client what a full room refuses, says so, and goes on', async () => {
    const full = await fullRoom(transport);
    const [client, other] = [await clientOf(full), await clientOf(full)];
    const refused: string[] = [];
    client.onRefused((nodes) => refused.push(...nodes.map(({ reason }) => reason)));
    client.replica.set('mine', some(1000));
    expect(client.replica.get('mine')).toBeDefined();
    await expect(client.push()).rejects.toMatchObject({
      reason: 'push-refused',
      message: 'the server refused nodes: room-full',
    });
    expect([client.state, client.replica.get('mine'), refused]).toEqual(['joined', undefined, ['room-full']]);
    client.replica.set('small', 1);
    await client.push();
    await expect.poll(() => other.replica.get('small')).toBe(1);
    expect(client.replica.stateHash).toBe(other.replica.stateHash);
  });

  it('[LM9] is administered when it is full, and stays so after a restart', async () => {
    const { admin, host, folder, url } = await fullRoom(transport);
    for (const [frame, answer] of ADMINISTRATION) {
      admin.send({ ...frame, req_id: frame['type'] });
      const heard = await Promise.race([admin.nextOf(answer), admin.closed]);
      expect(heard).toMatchObject({ type: answer });
    }
    const stranger = await Peer.dial(url);
    stranger.send({ type: 'hello' });
    expect(await stranger.closed).toEqual({ code: 1008, reason: 'auth: room locked' });
    await host.close();
    const again = createHost({ store: levelStore(folder), limits: { roomBytes: ROOM_BYTES } });
    await again.withRoom('room', async ({ facts }) => {
      expect([facts.lock, facts.policy?.default, facts.revokedBefore(LOCK)]).toEqual([LOCK, 'deny', 1_900_000_000]);
    });
    await again.close();
  });

  it('[LM9] gives up history and values when it is full, so that there is space again', async () => {
    const full = await fullRoom(transport);
    const { host, audience, url } = full;
    const other = await clientOf(full);
    other.replica.batch(() => {
      other.replica.text('notes').insert(0, 'not to be kept');
      other.replica.set('beside', 'stays');
    });
    other.replica.batch(() => {
      other.replica.set('secret', 'not to be kept');
      other.replica.set('together', 'stays too');
    });
    await other.push();
    other.close();
    await fillUp(host);
    for (const key of ['notes', 'secret', 'k0']) {
      const admin = await administratorAt({ audience, url });
      admin.send({ type: 'value.erase', key });
      expect(await admin.nextOf('value.erased')).toMatchObject({ key, left: [] });
    }
    const admin = await administratorAt({ audience, url });
    admin.send({ type: 'history.prune' });
    expect(await admin.nextOf('history.pruned')).toHaveProperty('canonical_seq');
    const late = await clientOf(full);
    expect(['beside', 'together', 'secret', 'k0'].map((key) => late.replica.get(key))).toEqual([
      'stays',
      'stays too',
      undefined,
      undefined,
    ]);
    expect(late.replica.text('notes').toString()).toBe('');
    late.replica.set('again', some(500));
    await late.push();
  });

  it('[LM8] says what else it has no space for, and does none of it', async () => {
    const { admin, host } = await fullRoom(transport);
    await fillUp(host);
    const { seq } = await host.withRoom('room', (room) => Promise.resolve({ seq: room.seq }));
    admin.send({ type: 'query.register', query_spec_id: 'q', version: '1', descriptor: {} });
    expect(await admin.nextOf('error')).toMatchObject({
      code: 'room-full',
      command: 'query.register',
      msg: `the values of this room take ${ROOM_BYTES} bytes; weft room prune (history.prune) may make room`,
    });
    const set = { MapSet: { namespace: 'n', key: 'k', value: 'x'.repeat(2000) } };
    await expect(host.submit({ room_id: 'room', command: set })).rejects.toMatchObject({ reason: 'room-full' });
    expect(await host.withRoom('room', (room) => Promise.resolve(room.seq))).toBe(seq);
  });

  it('[LM8] ticks on when it is full: intents are rejected for that, and the room is not shut', async () => {
    const clock = new ManualClock();
    const full = await fullRoom(transport, clock);
    const { admin, host, url, faults } = full;
    admin.send({ type: 'start-tick', interval_ms: 100 });
    await admin.nextOf('tick-started');
    const writer = await Peer.dial(url);
    const replica = await replicaOf((await writer.join()).welcome);
    replica.set('intent/x', 'x');
    expect(await push(writer, replica)).toMatchObject({ rejected_count: 0 });
    await fillUp(host);
    clock.advance(100);
    expect(await admin.nextOf('tick-result')).toMatchObject({
      results: [{ key: 'intent/x', status: 'rejected', reason: 'room-full' }],
    });
    for (let times = 0; times < 20; times++) {
      clock.advance(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect([host.quarantined.size, faults, admin.isOpen]).toEqual([0, [], true]);
    admin.send({ type: 'stop-tick' });
    await admin.nextOf('tick-stopped');
  });
});
