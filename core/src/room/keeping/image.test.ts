import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../adapters/memory/memory-store.js';
import { richText } from '../../client/marks/rich-text.js';
import { generateKeys } from '../../peer.js';
import { ManualClock } from '../../testing/manual-clock.js';
import {
  EDITS,
  answersOf,
  edit,
  fill,
  id,
  join,
  open,
  push,
  recordsOf,
  withoutImages,
} from '../../testing/open-rooms.js';

const edits = fc.array(fc.record({ by: fc.nat(2), kind: fc.constantFrom(...EDITS), at: fc.nat(1000) }), {
  maxLength: 40,
});

describe('a room with an image', () => {
  it('[ST10] opens with it and what came since as it does from its log alone, and goes on alike', async () => {
    await fc.assert(
      fc.asyncProperty(edits, edits, edits, async (before, between, after) => {
        const store = memoryStore();
        let room = await open(store);
        await fill(room);
        const keys = generateKeys();
        // Two of them are one author in two places.
        const replicas = [await join(room, keys), await join(room, keys), await join(room)];
        for (const some of [before, between, after]) {
          for (const step of some) await edit(replicas[step.by]!, room, step);
          for (const replica of replicas) await push(replica, room);
          if (some === before) {
            await room.rest();
            expect(await store.images.get(id)).toBeDefined();
          }
          const alone = await open(withoutImages(store));
          expect(await answersOf(alone)).toEqual(await answersOf(room));
          room = await open(store);
          expect(await answersOf(room)).toEqual(await answersOf(alone));
        }
      }),
      { numRuns: 4 },
    );
  });

  it('[ST10] opens with what is packed of it as it does from its log alone, packs on, and leaves aside what is of another version', async () => {
    const store = memoryStore();
    const room = await open(store, { leastDormant: 0 });
    await fill(room);
    const replicas = [await join(room), await join(room)];
    for (const [at, kind] of EDITS.entries())
      for (const replica of replicas) {
        await edit(replica, room, { kind, at });
        await push(replica, room);
      }
    await room.rest();
    expect((await store.images.get(id))![0]).toBe(5);
    for (let i = 0; i < 600; i++) await room.set(`later/${i % 7}`, i);
    let again = await open(store, { leastDormant: 0 });
    const alone = await open(withoutImages(store), { leastDormant: Number.POSITIVE_INFINITY });
    expect(await answersOf(again)).toEqual(await answersOf(alone));
    await again.set('k', 1);
    await again.rest();
    again = await open(store, { leastDormant: 0 });
    expect(again.stateHash).toBe((await open(withoutImages(store))).stateHash);
    const newest = (await store.images.get(id))!.slice();
    newest[0] = 7;
    await store.images.put(id, [newest]);
    again = await open(store);
    expect([again.get('k'), await store.images.get(id)]).toEqual([1, undefined]);
  });

  it('[ST10] has the state hash and the frontier of the image before anything is computed', async () => {
    const store = memoryStore();
    const room = await open(store);
    await fill(room);
    await room.rest();
    const { stateHash, heads, seq } = room;
    const again = await open(store);
    expect([again.stateHash, again.heads, again.seq]).toEqual([stateHash, heads, seq]);
    await again.set('k', 1);
    await room.set('k', 2); // the log has moved: it follows, and writes behind
    await again.set('k', 3);
    const alone = await open(withoutImages(store));
    expect([again.get('k'), again.stateHash]).toEqual([3, alone.stateHash]);
  });

  it('[ST10] is not written down for a few nodes, nor twice for the same ones', async () => {
    const store = memoryStore();
    const room = await open(store);
    await fill(room, 10);
    await room.rest();
    expect(await store.images.get(id)).toBeUndefined();
    await fill(room);
    await room.rest();
    const image = await store.images.get(id);
    await room.set('k', 1);
    await room.rest();
    expect(await store.images.get(id)).toEqual(image);
  });

  it('[ST10] is written down by the host that keeps it, and by no copy that is put away elsewhere', async () => {
    const store = memoryStore();
    const [room, copy] = [await open(store), await open(store, { isElsewhere: true })];
    await fill(room);
    await copy.look();
    expect(copy.seq).toBe(room.seq);
    await copy.rest();
    expect(await store.images.get(id)).toBeUndefined();
    await room.rest();
    expect(await store.images.get(id)).toBeDefined();
  });

  it('[ST10] is written down for a few nodes that write much', async () => {
    const store = memoryStore();
    const room = await open(store);
    const writes = Array.from({ length: 600 }, (_, n) => ({ key: `k${n}`, value: n }));
    await room.transact(() => ({ writes, result: undefined }));
    await room.rest();
    expect(room.seq).toBeLessThan(10);
    expect(await store.images.get(id)).toBeDefined();
    expect((await open(store)).get('k599')).toBe(599);
  });

  it('[ST10] is written down sooner where other processes open it when this one dies', async () => {
    const [shared, own] = [memoryStore(), memoryStore()];
    const rooms = [await open(shared, { isShared: true }), await open(own)];
    for (const room of rooms) await fill(room, 200);
    expect(await shared.images.get(id)).toBeUndefined();
    for (const room of rooms) await fill(room, 100);
    await expect.poll(() => shared.images.get(id)).toBeDefined();
    expect(await own.images.get(id)).toBeUndefined();
  });

  it.each([{ isShared: true }, {}])(
    '[ST10] is written down anew for less when the room is put away (%o)',
    async (how) => {
      const store = memoryStore();
      const room = await open(store, how);
      await fill(room, 4000);
      await room.rest();
      const image = await store.images.get(id);
      await fill(room, 500);
      await room.rest();
      expect(await store.images.get(id)).toEqual(image);
      await fill(room, 100);
      await room.rest();
      expect(await store.images.get(id)).not.toEqual(image);
    },
  );

  it('[ST10] is written down while it is written to, and is whole', async () => {
    const store = memoryStore();
    const room = await open(store);
    for (let round = 0; round < 3; round++) {
      const writes = Array.from({ length: 50 }, (_, i) => room.set(`n${i}`, round));
      await Promise.all([fill(room, 9000), ...writes]);
    }
    await room.rest();
    const alone = await open(withoutImages(store));
    expect(await answersOf(await open(store))).toEqual(await answersOf(alone));
  });

  it.each([
    ['of another version', (image: Uint8Array) => image.with(0, 99)],
    ['of a machine with another order of bytes', (image: Uint8Array) => image.with(1, image[2]!)],
    ['that ends too early', (image: Uint8Array) => image.slice(0, -1)],
    ['that goes on too long', (image: Uint8Array) => Uint8Array.of(...image, 0)],
    ['of nothing', () => new Uint8Array(0)],
  ])('[ST10] does not mind one %s', async (_, change) => {
    const store = memoryStore();
    const room = await open(store);
    await fill(room);
    await room.rest();
    const image = await store.images.get(id);
    await store.images.put(id, [change(image!)]);
    const again = await open(store);
    expect(again.stateHash).toBe(room.stateHash);
    expect(await store.images.get(id)).toBeUndefined();
  });

  it('[ST10] has an image of a later version once a text is marked, and its marks from that', async () => {
    const [store, clock] = [memoryStore(), new ManualClock()];
    const room = await open(store, { clock });
    const replica = await join(room);
    replica.text('t').insert(0, 'plain and bold');
    await push(replica, room);
    await room.compact();
    expect((await store.images.get(id))![0]).toBe(1);
    richText(replica, 't').mark(10, 4, 'bold');
    await push(replica, room);
    clock.advance(60_000);
    await room.compact();
    const image = (await store.images.get(id))!;
    expect(image[0]).toBe(2);
    const again = await open(store);
    expect(again.spans('t')).toEqual([
      { text: 'plain and ', marks: {} },
      { text: 'bold', marks: { bold: true } },
    ]);
    expect(await store.images.get(id)).toEqual(image); // or it would have been read from the log
  });

  it('[ST10] tells that its log is cut off', async () => {
    const store = memoryStore();
    const room = await open(store);
    await fill(room);
    await room.rest();
    const cut = { ...store, log: memoryStore().log };
    await expect(open(cut)).rejects.toMatchObject({ name: 'StoreError', fault: 'damaged' });
    await store.images.remove(id);
    expect((await open(cut)).seq).toBe(0);
  });
});

describe('the records of a log', () => {
  /** About 100 bytes each: four segments, and twice as many in the long suite. */
  const TYPED = process.env['TESTS_LONG'] ? 40_000 : 20_000;

  it('[ST11] become segments of about a megabyte, which joins are sent as they are', async () => {
    const store = memoryStore();
    const room = await open(store);
    for (let i = 0; i < TYPED; i += 1000) await fill(room, 1000);
    await room.rest();
    const records = await recordsOf(store);
    expect(records.length).toBeGreaterThan(1);
    expect(records.length).toBeLessThan(TYPED / 2000);
    const [first] = records;
    const end = room.packed.endOfPart(0);
    expect([first!.seq, first!.count]).toEqual([0, end]);
    expect(await room.packed.read(0, end, {})).toBe(first!.pack);
    for (const each of [room, await open(store), await open(withoutImages(store))]) {
      const reader = await join(each);
      for (let from = 0, to = 0; from < each.seq; from = to) {
        to = each.packed.endOfPart(from);
        expect((await reader.receive((await each.packed.read(from, to, {}))!)).refused).toEqual([]);
      }
      expect([reader.frontier, reader.stateHash]).toEqual([room.heads.frontier, room.stateHash]);
    }
  });

  it('[ST11] become segments by the host that keeps it, and by no copy elsewhere that reads or writes it', async () => {
    const store = memoryStore();
    const [writing, reading] = [await open(store, { isElsewhere: true }), await open(store, { isElsewhere: true })];
    for (let i = 0; i < 6; i++) await writing.set(`k${i}`, 'v'.repeat(300_000));
    await reading.look();
    for (const copy of [writing, reading]) await copy.rest();
    expect([reading.seq, (await recordsOf(store)).length]).toEqual([7, 6]);
    const room = await open(store);
    await room.rest();
    expect((await recordsOf(store)).length).toBeLessThan(6);
  });

  it('[ST11] become segments also behind a first node that fills one', async () => {
    const store = memoryStore();
    const room = await open(store);
    const replica = await join(room);
    for (let i = 0; i < 5; i++) {
      replica.set('large', 'x'.repeat(900_000));
      await push(replica, room);
    }
    await room.rest();
    expect((await recordsOf(store)).map(({ count }) => count)).toEqual([2, 1, 1, 1, 1]);
    const end = room.packed.endOfPart(0);
    expect([end, (await room.packed.read(0, end, {})) === (await recordsOf(store))[0]!.pack]).toEqual([2, true]);
  });

  it('[ST11] are sealed wherever a reader stops in what has been merged meanwhile', async () => {
    const room = await open(memoryStore());
    const reader = await join(room);
    const ends: number[] = [];
    for (let i = 0; i < 300; i++) {
      await room.set(`k${i % 7}`, `${i}`.repeat(4000));
      ends.push(room.seq);
    }
    await room.rest();
    for (const [i, to] of ends.entries())
      expect((await reader.receive((await room.packed.read(ends[i - 1] ?? 0, to, {}))!)).refused).toEqual([]);
    expect(reader.frontier).toEqual(room.heads.frontier);
  });

  it('[ST11] are read from the middle of a segment all the same', async () => {
    const store = memoryStore();
    const room = await open(store);
    const reader = await join(room);
    await fill(room, 3000);
    const [from, first] = [room.seq, room.packed.endOfPart(0)];
    expect(from).toBe(first);
    await reader.receive((await room.packed.read(0, from, {}))!);
    for (let i = 0; i < TYPED; i += 1000) await fill(room, 1000);
    await room.rest();
    for (let at = from, to = 0; at < room.seq; at = to) {
      to = room.packed.endOfPart(at);
      expect((await reader.receive((await room.packed.read(at, to, {}))!)).refused).toEqual([]);
    }
    expect(reader.frontier).toEqual(room.heads.frontier);
  });
});
