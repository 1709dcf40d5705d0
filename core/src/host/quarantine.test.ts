import { describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { type Host, createHost } from '../engine.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import { type Store, StoreError } from '../ports/store.js';
import { ManualClock } from '../testing/manual-clock.js';
import { type TestPeer, testPeer } from '../testing/test-peer.js';

const [room, other] = ['room', 'other'] as RoomId[];
const TOLD = { type: 'error', code: 'room-quarantined', msg: 'the room is quarantined' };
const CLOSED = { code: 1011, reason: 'the room is quarantined' };

function hostWith(store: Store = memoryStore()) {
  const faults: unknown[] = [];
  const clock = new ManualClock();
  return { host: createHost({ store, clock, onFault: (fault) => faults.push(fault) }), clock, faults };
}

async function join(host: Host, roomId = 'room'): Promise<TestPeer> {
  const peer = testPeer(host, roomId);
  peer.send({ type: 'hello' });
  while ((await peer.nextOf('pack'))['final'] !== true);
  return peer;
}

/** Who is inside is told that the room is quarantined, and has to go. */
async function expectSentAway(peer: TestPeer): Promise<void> {
  expect(await peer.nextOf('error')).toMatchObject(TOLD);
  expect(await peer.closed).toEqual(CLOSED);
}

async function expectRefused(host: Host): Promise<void> {
  const peer = testPeer(host, 'room');
  peer.send({ type: 'hello' });
  expect(await peer.next()).toMatchObject(TOLD);
  expect(await peer.closed).toEqual(CLOSED);
  await expect(host.submit({ room_id: 'room', command: 'GetFrontier' })).rejects.toMatchObject({
    reason: 'room-quarantined',
  });
}

/** A store whose log of the one room says how it fails. */
function failingStore(failure: { error: Error | undefined; opened: number }): Store {
  const store = memoryStore();
  const { log } = store;
  return {
    ...store,
    log: Object.assign(log, {
      async head(this: typeof log, id: RoomId) {
        if (id === room && failure.error) {
          failure.opened++;
          throw failure.error;
        }
        return Object.getPrototypeOf(log).head.call(log, id);
      },
    }),
  };
}

describe('a room in quarantine', () => {
  it('[QU1] is entered by nobody before an operator resumes it, and other rooms notice nothing', async () => {
    const { host } = hostWith();
    const [inside, elsewhere] = [await join(host), await join(host, 'other')];
    await (await host.room('room')).set('k', 1);
    await host.quarantine(room!, 'a test');
    await expectSentAway(inside);
    await expectRefused(host);
    expect([...host.quarantined]).toEqual([[room, { reason: 'a test', by: 'operator', since: expect.any(Number) }]]);
    await (await host.room('other')).set('k', 2);
    expect((await elsewhere.nextOf('pack'))['from']).toBe('server');
    expect([await host.resume(room!), await host.resume(room!)]).toEqual([true, false]);
    await join(host);
    expect((await host.room('room')).get('k')).toBe(1);
  });

  it('[QU1] stays there across restarts when an operator has put it there', async () => {
    const store = memoryStore();
    await hostWith(store).host.quarantine(room!, 'a test');
    const { host } = hostWith(store);
    await host.ready();
    await expectRefused(host);
    await host.resume(room!);
    await join(hostWith(store).host);
  });

  it('[QU1] [fault 28] is there after it could not be opened, and is not opened again and again', async () => {
    const failure = { error: new StoreError('damaged', 'bit rot') as Error | undefined, opened: 0 };
    const { host, faults } = hostWith(failingStore(failure));
    const first = testPeer(host, 'room');
    first.send({ type: 'hello' });
    expect((await first.closed).code).toBe(1011);
    for (let i = 0; i < 5; i++) await expectRefused(host);
    expect([failure.opened, faults.length]).toEqual([1, 1]);
    expect(host.quarantined.get(room!)).toMatchObject({ by: 'host', reason: expect.stringContaining('bit rot') });
    await join(host, 'other');
    failure.error = undefined;
    expect(await host.resume(room!)).toBe(true);
    await join(host);
  });

  it('[QU1] [fault 29] is not there for a store that fails for a while', async () => {
    const failure = { error: new StoreError('failed', 'try again') as Error | undefined, opened: 0 };
    const { host } = hostWith(failingStore(failure));
    for (let i = 0; i < 20; i++) await expect(host.room('room')).rejects.toThrow('try again');
    failure.error = undefined;
    await join(host);
    expect(host.quarantined.size).toBe(0);
  });

  it('[QU1] is there after it has failed ten times within a minute, and not for fewer', async () => {
    const { host, clock, faults } = hostWith();
    const peer = await join(host);
    const opened = await host.room('room');
    opened.onCommit(() => {
      throw new Error('a follower with a bug');
    });
    for (let i = 0; i < 9; i++) await opened.set('k', i);
    clock.advance(60_001);
    for (let i = 0; i < 9; i++) await opened.set('k', i);
    await join(host);
    await opened.set('k', 'once too often');
    await expectSentAway(peer);
    await expectRefused(host);
    expect(faults).toHaveLength(19);
    await host.resume(room!);
    expect((await host.room('room')).get('k')).toBe('once too often');
  });

  it('[QU1] is opened again only when what was under way has ended', async () => {
    const { host } = hostWith();
    const opened = await host.room('room');
    const writes = Array.from({ length: 50 }, (_, i) => opened.set(`k${i}`, i));
    await host.quarantine(room!, 'a test');
    await host.resume(room!);
    const again = await host.room('room');
    await Promise.all(writes);
    expect([again.seq, [...again.entries('k')].length]).toEqual([opened.seq, 50]);
    await again.set('k', 1);
    expect(again.seq).toBe(opened.seq + 1);
  });

  it('[QU1] cannot be the host’s own', async () => {
    const { host } = hostWith();
    await expect(host.quarantine('~host' as RoomId, 'a test')).rejects.toMatchObject({ reason: 'invalid-command' });
    await host.quarantine(other!, 'a test');
    expect(host.quarantined.size).toBe(1);
  });

  it('[QU1] is of what can be a room', async () => {
    const { host } = hostWith();
    const refused = { reason: 'invalid-command', message: '"a/b" is not a room id' };
    await expect(host.quarantine('a/b', 'a test')).rejects.toMatchObject(refused);
    await expect(host.resume('a/b')).rejects.toMatchObject(refused);
    expect(() => host.load('a/b')).toThrow(refused.message);
    expect(host.quarantined.size).toBe(0);
  });
});
