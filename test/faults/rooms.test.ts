/** Rooms that hold nothing, rooms that cannot be read, and stores that are slow or refuse. */
import { randomBytes } from 'node:crypto';
import { type RoomId, type Store, createHost, parseRoomId, toBase64 } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { ManualClock, testPeer, altered } from '@weft/core/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Peer } from './peer.js';
import { serveHere, transports } from './serving.js';
import { merge, push, replicaOf, sealed } from './writer.js';

const DAY = 24 * 3_600_000;

/** A store whose appends can be held back or made to fail. */
function watchedStore() {
  const store = memoryStore();
  const held: (() => void)[] = [];
  const state = { holding: false, failing: false };
  const log = altered(store.log, {
    async append(room, head, batch) {
      if (state.holding && room === 'room') await new Promise<void>((resolve) => held.push(resolve));
      if (state.failing && room === 'room') throw new Error('the disk is gone');
      return store.log.append(room, head, batch);
    },
  });
  const release = (): void => {
    state.holding = false;
    for (const resume of held.splice(0)) resume();
  };
  return { store: { ...store, log } satisfies Store, state, release, held };
}

it('fault 27: a room of presence alone stays as small after weeks, and writes nothing', async () => {
  const [store, clock] = [memoryStore(), new ManualClock()];
  const host = createHost({ store, clock });
  const shower = testPeer(host, 'room');
  shower.send({ type: 'hello' });
  for (let day = 0; day < 28; day++) {
    for (let i = 0; i < 100; i++) {
      const guest = testPeer(host, 'room');
      guest.send({ type: 'hello' });
      guest.send({ type: 'presence', data: { day, i }, ...(i % 2 === 0 ? { ttl_ms: 1000 } : {}) });
      await shower.nextOf('presence');
      guest.leave();
      shower.send({ type: 'presence', data: { day, i } });
    }
    clock.advance(DAY);
  }
  const late = testPeer(host, 'room');
  late.send({ type: 'hello' });
  const welcome = await late.nextOf('welcome');
  expect([welcome['canonical_seq'], await store.log.head(idOf('room'))]).toEqual([0, 0]);
  expect(welcome['peers']).toHaveLength(1);
  expect((await late.next())['data']).toEqual({ day: 27, i: 99 });
  expect((await late.next()).type).toBe('pack');
});

function idOf(name: string): RoomId {
  const id = parseRoomId(name);
  if (!id) throw new Error(`${name} is not a room id`);
  return id;
}

async function firstPack({ log }: Store, name: string): Promise<Uint8Array> {
  for await (const { pack } of log.read(idOf(name), 0)) return pack;
  throw new Error(`${name} has no log`);
}

describe.each(transports)('over %s', (transport) => {
  it('fault 28: a room whose log cannot be read is closed to its peers, and to nobody else', async () => {
    const store = memoryStore();
    const before = await serveHere(transport, { store });
    await (await before.host.room('elsewhere')).set('k', 1);
    const other = await firstPack(store, 'elsewhere');
    const bad = { garbage: new Uint8Array(100), empty: new Uint8Array(0), other, cut: other.subarray(0, 200) };
    for (const [name, pack] of Object.entries(bad)) await store.log.append(idOf(name), 0, { count: 2, pack });

    const { url, faults } = await serveHere(transport, { store });
    const good = await Peer.dial(url, 'elsewhere');
    const replica = await replicaOf((await good.join()).welcome);
    for (const name of Object.keys(bad)) {
      const peer = await Peer.dial(url, name);
      peer.send({ type: 'hello' });
      expect(await peer.closed, name).toEqual({ code: 1011, reason: 'internal error' });
      expect(peer.frames).toEqual([]);
    }
    expect(faults).toHaveLength(4);
    const late = await Peer.dial(url, 'elsewhere');
    const copy = await replicaOf((await late.join()).welcome);
    await Peer.enter(url, 'another');
    replica.set('still', 'here');
    expect(await push(good, replica)).toMatchObject({ accepted_count: 1, rejected_count: 0 });
    await merge(copy, await late.nextOf('pack'));
    expect(copy.get('still')).toBe('here');
  });

  it('fault 29: a store that refuses acknowledges nothing, and what is pushed again later is taken', async () => {
    const { store, state } = watchedStore();
    const { url, host, faults } = await serveHere(transport, { store });
    const [writer, reader] = [await Peer.dial(url), await Peer.enter(url)];
    const replica = await replicaOf((await writer.join()).welcome);
    replica.set('k', 1);
    const pack = { type: 'pack', nodes: toBase64(await sealed(replica)) };
    state.failing = true;
    writer.send(pack);
    expect(await writer.closed).toEqual({ code: 1011, reason: 'internal error' });
    expect(writer.frames.filter(({ type }) => type === 'pack-ack')).toEqual([]);
    expect(faults).toHaveLength(1);
    expect((await reader.nextOf('peer-left')).type).toBe('peer-left');
    expect((await host.room('room')).get('k')).toBeUndefined();

    state.failing = false;
    const again = await Peer.enter(url);
    again.send(pack);
    expect(await again.nextOf('pack-ack')).toMatchObject({ accepted_count: 1, rejected_count: 0 });
    expect((await reader.next()).type).toBe('peer-joined');
    expect((await reader.next()).type).toBe('pack');
  });

  it('fault 29: while a store hangs what is pushed is bounded, and other rooms go on', async () => {
    const { store, state, release, held } = watchedStore();
    const { url } = await serveHere(transport, { store, limits: { inboxBytes: 256 * 1024 } });
    onTestFinished(release);
    const [writer, reader] = [await Peer.dial(url), await Peer.enter(url)];
    const { welcome } = await writer.join();
    state.holding = true;
    const replica = await replicaOf(welcome);
    for (let i = 0; i < 100; i++) {
      replica.set('k', new Uint8Array(randomBytes(6000)));
      writer.send({ type: 'pack', nodes: toBase64(await sealed(replica)) });
      if (i === 0) await expect.poll(() => held.length, { message: 'the first one is at the store' }).toBe(1);
    }
    expect(await writer.closed).toEqual({ code: 4008, reason: 'rate limit exceeded' });
    expect(writer.frames.filter(({ type }) => type === 'pack-ack')).toEqual([]);
    expect(held).toHaveLength(1);

    const other = await Peer.dial(url, 'elsewhere');
    const elsewhere = await replicaOf((await other.join()).welcome);
    elsewhere.set('k', 1);
    expect(await push(other, elsewhere)).toMatchObject({ accepted_count: 1 });
    expect((await (await Peer.dial(url)).join()).welcome['canonical_seq']).toBe(0);
    release();
    expect((await reader.nextOf('pack')).type).toBe('pack');
  });
});

it('fault 29: a room whose store has failed leaves memory like any other', async () => {
  const { store, state } = watchedStore();
  const clock = new ManualClock();
  let open = 0;
  const telemetry = { record: (name: string, value: number) => void (open += name === 'rooms' ? value : 0) };
  const host = createHost({ store, clock, telemetry, onFault: () => undefined });
  const peer = testPeer(host, 'room');
  peer.send({ type: 'hello' });
  const replica = await replicaOf(await peer.nextOf('welcome'));
  replica.set('k', 1);
  state.failing = true;
  peer.send({ type: 'pack', nodes: toBase64(await sealed(replica)) });
  expect((await peer.closed).code).toBe(1011);
  expect(open).toBe(1);
  for (let minute = 0; minute < 20; minute++) {
    clock.advance(60_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(open).toBe(0);
});
