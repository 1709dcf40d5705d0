import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultCrypto } from '../../adapters/crypto/default.js';
import { memoryStore } from '../../adapters/memory/memory-store.js';
import { richText } from '../../client/marks/rich-text.js';
import { DecodeError } from '../../codec/bytes/bytes.js';
import { generateKeys, openSnapshot } from '../../peer.js';
import { type Store, StoreError } from '../../ports/store.js';
import { ManualClock } from '../../testing/manual-clock.js';
import {
  EDITS,
  NODES,
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
import { signSnapshot } from './snapshot.js';

const MINUTE = 60_000;

const edits = fc.array(fc.record({ by: fc.nat(2), kind: fc.constantFrom(...EDITS), at: fc.nat(1000) }), {
  maxLength: 40,
});

describe('compaction', () => {
  it('[CP1] ends in a room that holds nothing, after a write of nothing and a refused one', async () => {
    const clock = new ManualClock();
    const room = await open(memoryStore(), { clock });
    await room.transact(() => ({ writes: [], result: undefined }));
    expect((await room.compact()).seq).toBe(0);
    clock.advance(MINUTE);
    const refusing = room.transact(() => {
      throw new Error('no');
    });
    await expect(refusing).rejects.toThrow('no');
    expect((await room.compact()).seq).toBe(0);
    await room.rest();
  });

  it('[CP1] says of a room that was deleted meanwhile just that', async () => {
    const store = memoryStore();
    const room = await open(store);
    await room.set('exists', true);
    expect(await store.log.remove(room.id, new Uint8Array(1))).toBe(true);
    await expect(room.compact()).rejects.toMatchObject({ reason: 'room-deleted' });
  });

  it('[CP1] changes no answer, and what comes later is taken as before', async () => {
    await fc.assert(
      fc.asyncProperty(edits, edits, async (before, after) => {
        const [store, clock] = [memoryStore(), new ManualClock()];
        const room = await open(store, { clock });
        await room.set('exists', true);
        const keys = generateKeys();
        // Two of them are one author in two places.
        const replicas = [await join(room, keys), await join(room, keys), await join(room)];
        for (const some of [before, after]) {
          for (const step of some) await edit(replicas[step.by]!, room, step);
          const answers = await answersOf(room);
          clock.advance(MINUTE);
          const { snapshot, bytesBefore, bytesAfter } = await room.compact();
          expect(await answersOf(room)).toEqual(answers);
          for (const again of [await open(store), await open(withoutImages(store))])
            expect(await answersOf(again)).toEqual(answers);
          expect(bytesAfter).toBeLessThanOrEqual(bytesBefore);
          const read = await openSnapshot(snapshot);
          expect([[...read.entries()], read.text('t'), read.spans('t'), read.list('l')]).toEqual([
            [...room.entries()],
            room.text('t'),
            room.spans('t'),
            room.list('l'),
          ]);
        }
        // What was written before the cut and comes after it still finds its place.
        for (const replica of replicas) await push(replica, room);
        expect(await answersOf(await open(store))).toEqual(await answersOf(await open(withoutImages(store))));
      }),
      { numRuns: 7 },
    );
  });

  it('[CP1] leaves one segment, and an image', async () => {
    const store = memoryStore();
    const room = await open(store);
    for (let i = 0; i < 10; i++) await fill(room, 10);
    expect(await recordsOf(store)).toHaveLength(10);
    const { bytesBefore, bytesAfter, seq } = await room.compact();
    expect((await recordsOf(store)).map(({ count }) => count)).toEqual([101]);
    expect([seq, bytesAfter < bytesBefore, (await store.images.get(id)) !== undefined]).toEqual([101, true, true]);
  });

  it('[CP1] leaves nothing behind of a room that has no durable fact', async () => {
    const store = memoryStore();
    const room = await open(store);
    const { snapshot, seq, frontier } = await room.compact();
    expect([seq, frontier, (await openSnapshot(snapshot)).room]).toEqual([0, [], room.genesis.id]);
    expect([await store.images.get(id), await store.log.head(id)]).toEqual([undefined, 0]);
  });

  it('[CP2] makes a snapshot with marks where there are some, of a version of its own, and one without as ever', async () => {
    const [clock, crypto] = [new ManualClock(), defaultCrypto];
    const store = memoryStore();
    const room = await open(store, { clock });
    const replica = await join(room);
    replica.text('t').insert(0, 'plain and bold');
    replica.text('other').insert(0, 'plain');
    await push(replica, room);
    const made = async (): Promise<Uint8Array> => {
      clock.advance(MINUTE);
      return (await room.compact()).snapshot;
    };
    const plain = await made();
    expect([plain[1], (await openSnapshot(plain)).spans('t')]).toEqual([1, [{ text: 'plain and bold', marks: {} }]]);
    richText(replica, 't').mark(10, 4, 'bold');
    richText(replica, 't').mark(12, 2, '__proto__', { deep: [1, null] });
    await push(replica, room);
    const snapshot = await made();
    const read = await openSnapshot(snapshot);
    expect(snapshot[1]).toBe(2);
    expect(read.spans('t')).toEqual(room.spans('t'));
    expect(read.spans('t').map(({ text, marks }) => [text, Object.entries(marks)])).toEqual([
      ['plain and ', []],
      ['bo', [['bold', true]]],
      ['ld', expect.arrayContaining([['__proto__', { deep: [1, null] }]])],
    ]);
    expect([read.spans('other'), read.spans('none')]).toEqual([[{ text: 'plain', marks: {} }], []]);
    // One version is not read as another, and a body is read as what it was signed as.
    await expect(openSnapshot(snapshot.with(1, 3))).rejects.toThrow('unknown version');
    await expect(openSnapshot(snapshot.with(1, 1))).rejects.toMatchObject({ reason: 'snapshot-unsigned' });
    const body = snapshot.subarray(98);
    const signer = crypto.signer(await store.authoritySeed());
    await expect(openSnapshot(await signSnapshot({ version: 1, bytes: body }, signer))).rejects.toThrow(DecodeError);
    await expect(openSnapshot(await signSnapshot({ version: 2, bytes: body.subarray(0, -1) }, signer))).rejects.toThrow(
      DecodeError,
    );
    // Where nothing is marked any more, anybody reads it.
    richText(replica, 't').unmark(0, 14, 'bold');
    richText(replica, 't').unmark(0, 14, '__proto__');
    await push(replica, room);
    expect((await made())[1]).toBe(1);
  });

  it('[CP2] makes a snapshot that says what it is of, and that the room’s authority has signed', async () => {
    const store = memoryStore();
    const room = await open(store);
    await fill(room);
    await room.set('k', { deep: [1] });
    const { snapshot, hash, frontier, seq } = await room.compact();
    const read = await openSnapshot(snapshot);
    expect([read.room, read.seq, read.stateHash, read.frontier]).toEqual([
      room.genesis.id,
      seq,
      room.stateHash,
      room.heads.frontier,
    ]);
    expect([read.get('k'), read.resolve('k'), frontier]).toEqual([
      { deep: [1] },
      { value: { deep: [1] } },
      read.frontier,
    ]);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    for (let at = 0; at < snapshot.length; at += 7) {
      const changed = snapshot.with(at, snapshot[at]! ^ 1);
      await expect(openSnapshot(changed), `byte ${at}`).rejects.toThrow();
    }
    await expect(openSnapshot(snapshot.slice(0, -1))).rejects.toThrow();
  });

  it('[CP3] is done once for all who ask together, and not again while nothing is written', async () => {
    const clock = new ManualClock();
    const room = await open(memoryStore(), { clock });
    await fill(room);
    const [one, two] = await Promise.all([room.compact(), room.compact()]);
    expect(one.isNews).toBe(true);
    expect(two).toEqual({ ...one, isNews: false });
    expect(await room.compact()).toEqual({ ...one, at: clock.now(), isNews: false });
    await room.set('k', 1);
    clock.advance(MINUTE - 5000);
    await expect(room.compact()).rejects.toMatchObject({
      reason: 'rate-limit',
      message: 'compact failed: once a minute; try again in 5 s',
    });
    clock.advance(5000);
    expect((await room.compact()).seq).toBe(one.seq + 1);
  });

  const fails = (error: Error) => () => Promise.reject(error);
  const cases: [string, string, (store: Store) => object][] = [
    [
      'the log takes no segment',
      'compact failed: the store is full',
      ({ log }) => Object.assign(log, { merge: fails(new StoreError('full', 'cannot write in /secret')) }),
    ],
    [
      'the log has other records',
      'compact failed: internal error',
      ({ log }) => Object.assign(log, { merge: () => Promise.resolve(false) }),
    ],
    [
      'the image cannot be written',
      'compact failed: the store is unreadable',
      ({ images }) => Object.assign(images, { put: fails(new StoreError('unreadable', '/secret')) }),
    ],
    [
      'the snapshot cannot be read',
      'snapshot verify failed: no authority of the room has signed the snapshot',
      () => ({ verify: () => Promise.resolve(false) }),
    ],
    [
      'the store gives no image back',
      'rebuild failed: the store has no image',
      ({ images }) => Object.assign(images, { get: () => Promise.resolve(undefined) }),
    ],
    [
      'the store gives something else back',
      'rebuild failed: internal error',
      ({ images }) => Object.assign(images, { get: () => Promise.resolve(Uint8Array.of(1, 2, 3)) }),
    ],
  ];

  it.each(cases)('[CP4] names the stage and tells no secret when %s', async (_, message, change) => {
    const store = memoryStore();
    const faults: unknown[] = [];
    await fill(await open(store));
    const crypto = { ...defaultCrypto };
    const room = await open(store, { crypto, onFault: (fault) => faults.push(fault) });
    const answers = await answersOf(room);
    const changed = change(store);
    if ('verify' in changed) Object.assign(crypto, changed);
    await expect(room.compact()).rejects.toMatchObject({ reason: 'compact-failed', message });
    expect(faults).toHaveLength(1);
    expect(await answersOf(room)).toEqual(answers);
    expect(await answersOf(await open(withoutImages(store)))).toEqual(answers);
  });

  it('[CP4] takes away an image from which the room does not open as it was', async () => {
    const store = memoryStore();
    const clock = new ManualClock();
    const room = await open(store, { clock, onFault: () => undefined });
    await fill(room);
    const { put } = store.images;
    const older = await room.compact().then(() => store.images.get(id));
    await fill(room, NODES, 'other');
    clock.advance(MINUTE);
    Object.assign(store.images, { put: () => put.call(store.images, id, [older!]) });
    const answers = await answersOf(room);
    await expect(room.compact()).rejects.toMatchObject({
      message: 'rebuild failed: it is not the room that was compacted',
    });
    expect(await store.images.get(id)).toBeUndefined();
    expect(await answersOf(await open(store))).toEqual(answers);
  });
});
