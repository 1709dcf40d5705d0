import { describe, expect, it } from 'vitest';
import type { RoomId } from '../codec/bytes/room-id.js';
import { generateKeys } from '../peer.js';
import { ManualClock } from '../testing/manual-clock.js';
import { guests } from '../testing/guests.js';
import { silent } from '../ports/telemetry.js';
import { LIMITS } from '../wire/limits.js';
import { Callers } from './callers.js';
import { type Visit, VisitedRooms } from './visited-rooms.js';

const bounds = { addressRooms: 3, keyRooms: 2, addressRoomsBegun: 3, keyRoomsBegun: 2 };

function counted() {
  const clock = new ManualClock();
  const told: [string, number][] = [];
  const counts = new Callers(LIMITS, (name, by) => void told.push([name, by]));
  const rooms = new VisitedRooms({ limits: bounds, counts, clock, telemetry: silent });
  const visit = (room: string, more: Partial<Visit> = {}): Visit => ({
    room: room as RoomId,
    begins: false,
    address: '10.0.0.1',
    key: 'ann',
    ...more,
  });
  return {
    clock,
    told,
    counts,
    enter(room: string, more?: Partial<Visit>) {
      rooms.check(visit(room, more));
      return rooms.enter(visit(room, more));
    },
  };
}

describe('rooms of callers', () => {
  it('[LM14] are so many of one key and one address, each once whatever its connections', () => {
    const { enter } = counted();
    const leave = [enter('a'), enter('a'), enter('b')];
    expect(() => enter('c')).toThrow('this key is in its 2 rooms; leave some, or come back later');
    enter('a');
    enter('c', { key: 'bob' });
    expect(() => enter('d', { key: 'bob' })).toThrow('this address is in its 3 rooms');
    expect(() => enter('d', { key: undefined })).toThrow('this address is in its 3 rooms');
    enter('d', { key: 'eve', address: '10.0.0.2' });
    enter('e', { key: 'eve', address: undefined });
    leave[2]!();
    enter('c');
    leave[0]!();
    expect(() => enter('d')).toThrow('this key is in its 2 rooms');
  });

  it('[LM14] that were begun are so many within an hour, and others hear of both', () => {
    const { enter, clock, told, counts } = counted();
    enter('a', { begins: true })();
    clock.advance(1000);
    enter('b', { begins: true })();
    expect(() => enter('c', { begins: true })).toThrow('this key has begun its 2 rooms of an hour');
    enter('c');
    clock.advance(3_600_000 - 1000);
    expect(counts.count('key-begun ann')).toBe(1);
    enter('d', { begins: true })();
    expect(() => enter('e', { begins: true })).toThrow('this key has begun its 2 rooms of an hour');
    clock.advance(3_600_000);
    expect(counts.count('key-begun ann') + counts.count('address-begun 10.0.0.1')).toBe(0);
    const sums = new Map<string, number>();
    for (const [name, by] of told) sums.set(name, (sums.get(name) ?? 0) + by);
    expect(Object.fromEntries(sums)).toEqual({
      'address-rooms 10.0.0.1': 1,
      'key-rooms ann': 1,
      'address-begun 10.0.0.1': 0,
      'key-begun ann': 0,
    });
  });

  it('[LM14] of other hosts count too', () => {
    const { enter, counts } = counted();
    counts.heed('key-rooms ann', 1);
    enter('a');
    expect(() => enter('b')).toThrow('this key is in its 2 rooms');
    counts.heed('key-rooms ann', -1);
    enter('b');
  });

  it('[LM14] are those in which somebody is: a room is left with its last connection', async () => {
    const place = guests({ limits: { keyRooms: 1, keyRoomsBegun: 2 } });
    const ann = generateKeys();
    const first = await place.enter(await place.hello(ann));
    const second = await place.enter(await place.hello(ann));
    first.leave();
    second.leave();
    const third = await place.enter(await place.hello(ann));
    third.leave();
    // Nobody has written a word: it has been begun twice.
    const fourth = place.connect();
    fourth.send(await place.hello(ann));
    expect(await fourth.next()).toMatchObject({ code: 'too-many-rooms', retry_ms: expect.any(Number) });
    expect((await fourth.closed).code).toBe(1012);
    await place.host.submit({ room_id: 'room', command: { MapSet: { namespace: 'n', key: 'k', value: 1 } } });
    await place.enter(await place.hello(ann));
  });
});
