import { describe, expect, it, vi } from 'vitest';
import { Entry } from '../access/entry.js';
import { defaultCrypto } from '../adapters/crypto/default.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { toBase64 } from '../codec/bytes/bytes.js';
import { type Host, createHost } from '../engine.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import { createReplica, generateKeys } from '../peer.js';
import type { Store } from '../ports/store.js';
import { type Telemetry, silent } from '../ports/telemetry.js';
import { altered } from '../testing/altered.js';
import { ManualClock } from '../testing/manual-clock.js';
import { type TestPeer, testPeer } from '../testing/test-peer.js';
import { LIMITS } from '../wire/limits.js';
import { Rooms } from './rooms.js';

const IDLE = 5 * 60_000;

function hostWith(store: Store = memoryStore()) {
  const clock = new ManualClock();
  let rooms = 0;
  const telemetry: Telemetry = { record: (metric, by) => void (rooms += metric === 'rooms' ? by : 0) };
  const host = createHost({ store, clock, telemetry });
  /** Time passes, in steps of a sweep. */
  const pass = async (ms: number): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    for (let left = ms; left > 0; left -= IDLE / 5) {
      clock.advance(Math.min(left, IDLE / 5));
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { host, pass, rooms: () => rooms };
}

function roomsOver(store: Store) {
  const clock = new ManualClock();
  const onFault = (error: unknown): never => {
    throw error;
  };
  const adminKey = () => Promise.resolve(undefined);
  const parts = { store, clock, telemetry: silent, limits: LIMITS, crypto: defaultCrypto, adminKey, onFault };
  return {
    clock,
    rooms: new Rooms({
      ...parts,
      blobUrls: undefined,
      archives: { stores: {} },
      entry: new Entry({}, { clock, onFault }),
    }),
  };
}

const set = (host: Host, key: string, value: unknown): Promise<unknown> =>
  host.submit({ room_id: 'room', command: { MapSet: { namespace: 'n', key, value } } });
const get = async (host: Host, key: string): Promise<unknown> => {
  const { events } = await host.submit({ room_id: 'room', command: { MapGet: { namespace: 'n', key } } });
  return events[0]?.['MapValueRead']?.['value'];
};

async function join(host: Host, room = 'room'): Promise<TestPeer> {
  const peer = testPeer(host, room);
  peer.send({ type: 'hello' });
  while ((await peer.nextOf('pack'))['final'] !== true);
  return peer;
}

describe('rooms', () => {
  it('[GN4] leave memory when nobody uses them, and come back as they were', async () => {
    const { host, pass, rooms } = hostWith();
    await set(host, 'k', 1);
    await pass(IDLE - 1);
    expect(rooms()).toBe(1);
    await pass(IDLE / 5 + 1);
    expect(rooms()).toBe(0);
    expect([await get(host, 'k'), rooms()]).toEqual([1, 1]);
  });

  it('[GN4] stay for an application that holds them', async () => {
    const { host, pass, rooms } = hostWith();
    const room = await host.room('room');
    await pass(3 * IDLE);
    expect(rooms()).toBe(1);
    await room.set('k', 1);
    expect(await host.room('room')).toBe(room);
  });

  it('[GN4] stay until what is built in them is done, though nobody waits for it any more', async () => {
    const { rooms, clock } = roomsOver(memoryStore());
    const { tenancy, release } = await rooms.lease('room');
    const { room, queries } = tenancy;
    for (let part = 0; part < 4; part++) {
      const writes = Array.from({ length: 10_000 }, (_, i) => ({ key: `${part}/${i}`, value: i }));
      await room.transact(() => ({ writes, result: undefined }));
    }
    await queries.register('q', '1', {}, 'ann');
    const building = queries.build('p', 'q', undefined, { name: 'ann', read: undefined });
    release();
    for (let sweep = 0; sweep < 10; sweep++) {
      clock.advance(IDLE / 5);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(queries.building).toBe(1);
    const again = await rooms.lease('room');
    expect(again.tenancy).toBe(tenancy);
    again.release();
    await building;
  });

  it('[GN4] let a hello wait until they are there: nobody is shown an empty one', async () => {
    const store = memoryStore();
    const { host, pass } = hostWith(store);
    await set(host, 'k', 1);
    await pass(2 * IDLE);
    const peers = await Promise.all([join(host), join(host)]);
    peers[0]?.send({ type: 'presence', data: 'one room for both' });
    expect((await peers[1]?.nextOf('presence'))?.['data']).toBe('one room for both');
  });

  it('[GN4] that cannot be opened are tried again by whoever comes next', async () => {
    const store = memoryStore();
    const { log } = store;
    let isBroken = true;
    const head: typeof log.head = async (room) => {
      if (room === 'room' && isBroken) throw new Error('the disk is away');
      return log.head(room);
    };
    const { host, rooms } = hostWith({ ...store, log: altered(log, { head }) });
    await expect(set(host, 'k', 1)).rejects.toThrow('the disk is away');
    isBroken = false;
    await set(host, 'k', 1);
    expect([await get(host, 'k'), rooms()]).toEqual([1, 1]);
  });

  it('[GN4] send everybody away when the host closes, and store before that what was being judged', async () => {
    const memory = memoryStore();
    let isClosed = false;
    const close = async (): Promise<void> => void (isClosed = true);
    const log = altered(memory.log, {
      append(...batch) {
        if (isClosed) throw new Error('the store is closed');
        return memory.log.append(...batch);
      },
    });
    const faults: unknown[] = [];
    const store = { ...memory, log, close };
    const host = createHost({ store, onFault: (fault) => faults.push(fault) });
    const [peer, silent] = [await join(host), testPeer(host, 'other')];
    const replica = await createReplica({ genesis: (await host.room('room')).genesis.pack, keys: generateKeys() });
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const { verify: verified } = defaultCrypto;
    const verify = vi.spyOn(defaultCrypto, 'verify').mockImplementation(async (...seal) => {
      await held;
      return verified.call(defaultCrypto, ...seal);
    });
    for (let i = 0; i < 20; i++) {
      replica.set('k', i);
      peer.send({ type: 'pack', nodes: toBase64((await replica.sealedMessage())!) });
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(verify).toHaveBeenCalled();
    const closing = host.close();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isClosed).toBe(false);
    release();
    await closing;
    verify.mockRestore();
    const gone = { code: 1001, reason: 'the host is closed' };
    expect([await peer.closed, await silent.closed, isClosed, faults]).toEqual([gone, gone, true, []]);
    expect(await memory.log.head('room' as RoomId)).toBeGreaterThan(1);
    await expect(host.room('room')).rejects.toThrow('the host is closed');
  });

  it('[ER4] that are drained answer what was sent, then send everybody away, each for another time', async () => {
    const host = createHost({ store: memoryStore() });
    const peers = await Promise.all(Array.from({ length: 20 }, () => join(host)));
    const [peer] = peers;
    const replica = await createReplica({ genesis: (await host.room('room')).genesis.pack, keys: generateKeys() });
    for (let i = 0; i < 20; i++) {
      replica.set('k', i);
      peer!.send({ type: 'pack', nodes: toBase64((await replica.sealedMessage())!) });
    }
    const draining = host.drain();
    peer!.send({ type: 'presence', data: 'too late' });
    for (let i = 0; i < 20; i++) expect(await peer!.nextOf('pack-ack')).toMatchObject({ accepted_count: 1 });
    await draining;
    expect((await host.room('room')).get('k')).toBe(19);
    await expect(peers[1]!.nextOf('presence')).rejects.toThrow('closed with 1012');
    const ends = await Promise.all(peers.map(({ closed }) => closed));
    const waits = ends.map(({ code, reason }) => [
      code,
      /^the server restarts; come back in (\d+) ms$/.exec(reason)?.[1],
    ]);
    expect(waits.every(([code, ms]) => code === 1012 && Number(ms) < 1000)).toBe(true);
    expect(new Set(waits.map(([, ms]) => ms)).size).toBeGreaterThan(5);
  });

  it('[ER4] that are drained over a time go in waves, and who is not due yet is served', async () => {
    const clock = new ManualClock();
    const host = createHost({ store: memoryStore(), clock });
    const peers = await Promise.all(['a', 'b', 'c', 'd'].map((room) => join(host, room)));
    const gone: number[] = [];
    peers.forEach((peer, at) => void peer.closed.then(({ code }) => gone.push(at + code)));
    const draining = host.drain(1000);
    for (let wave = 0; wave < peers.length; wave++) {
      await expect.poll(() => gone).toEqual(peers.slice(0, wave + 1).map((_, at) => at + 1012));
      const [next] = peers.slice(wave + 1);
      next?.send({ type: 'server-info', req_id: wave });
      if (next) expect(await next.nextOf('server-info')).toMatchObject({ req_id: wave });
      clock.advance(250);
    }
    await draining;
  });

  it('[ER4] that are drained wait for a peer that has not taken its answers', async () => {
    const host = createHost({ store: memoryStore() });
    const peer = await join(host);
    peer.pause();
    for (let i = 0; i < 3; i++) peer.send({ type: 'server-info', req_id: i });
    let isDrained = false;
    const draining = host.drain().then(() => (isDrained = true));
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(isDrained).toBe(false);
    peer.resume();
    for (let i = 0; i < 3; i++) expect(await peer.nextOf('server-info')).toMatchObject({ req_id: i });
    await draining;
    expect((await peer.closed).code).toBe(1012);
  });
});
