import { describe, expect, it } from 'vitest';
import { Globs } from '../../access/glob.js';
import { memoryStore } from '../../adapters/memory/memory-store.js';
import { decodePack } from '../../codec/packs/plain-pack.js';
import { join, open, push } from '../../testing/open-rooms.js';

const MANY = 300;

describe('long history that is in no segment', () => {
  it('[HS5] is packed once for all who read it, and anew when it has grown', async () => {
    const room = await open(memoryStore());
    const replica = await join(room);
    const write = async (count: number): Promise<number> => {
      for (let i = 0; i < count; i++) replica.set(`k${i}`, i);
      await push(replica, room);
      return room.packed.endOfPart(0);
    };
    const end = await write(MANY);
    const first = await room.packed.read(0, end, {});
    expect(await room.packed.read(0, end, { held: new Uint8Array(end) })).toBe(first);
    expect(decodePack(first!).nodes).toHaveLength(end);

    const later = await write(1);
    expect(later).toBe(end + 1);
    expect(decodePack((await room.packed.read(0, later, {}))!).nodes).toHaveLength(later);
  });

  it('[HS5] is not what somebody gets who holds a part of it', async () => {
    const room = await open(memoryStore());
    const replica = await join(room);
    for (let i = 0; i < MANY; i++) replica.set(`k${i}`, i);
    await push(replica, room);
    const end = room.packed.endOfPart(0);
    await room.packed.read(0, end, {});
    const held = new Uint8Array(end).fill(1, 0, 10);
    expect(decodePack((await room.packed.read(0, end, { held }))!).nodes).toHaveLength(end - 10);
  });

  it('[HS5] is not sent to somebody who holds all of it, not as an empty pack either', async () => {
    const room = await open(memoryStore());
    const replica = await join(room);
    replica.set('k', 1);
    await push(replica, room);
    expect([...room.packs(replica.frontier)]).toEqual([]);
    for await (const pack of room.attestedPacks(replica.frontier)) expect.unreachable(`${pack.length} bytes`);
    const held = new Uint8Array(room.seq).fill(1);
    expect(await room.packed.read(0, room.seq, { held })).toBeUndefined();
    const sight = room.packed.sight({ subscribed: new Globs(['k']), readable: undefined })!;
    expect(await room.packed.read(0, room.seq, { held, sight })).toBeUndefined();
  });
});
