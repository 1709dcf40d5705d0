import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as path } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { levelStore } from '../../adapters/level/level-store.js';
import { memoryStore } from '../../adapters/memory/memory-store.js';
import { generateKeys } from '../../peer.js';
import type { IdFiles } from '../../ports/id-files.js';
import type { Images, Store } from '../../ports/store.js';
import { EDITS, answersOf, edit, fill, id, join, open, push } from '../../testing/open-rooms.js';
import type { Room, RoomParts } from '../room.js';

const edits = fc.array(fc.record({ by: fc.nat(2), kind: fc.constantFrom(...EDITS), at: fc.nat(1000) }), {
  maxLength: 30,
});

let folder = '';
let store: Store;
beforeEach(async () => {
  folder = await mkdtemp(path(tmpdir(), 'weft-filed-'));
  store = levelStore(folder);
  await store.open();
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

/** A room that files every id that it may. */
const filing = (of: Store, others: Partial<RoomParts> = {}): Promise<Room> =>
  open(of, { leastDormant: 0, leastFiled: 0, ...others });
/** The room of that log as it is where everything stays in memory. */
const twinOf = (of: Store): Promise<Room> =>
  open(
    { ...memoryStore(), log: of.log, authoritySeed: () => of.authoritySeed() },
    { leastDormant: Number.POSITIVE_INFINITY },
  );
const versionOf = async (): Promise<number | undefined> => (await store.images.get(id))?.[0];
async function runs(): Promise<string[]> {
  const all = await readdir(path(folder, 'images'), { recursive: true });
  return all.filter((name) => name.includes('.ids/')).map((name) => path(folder, 'images', name));
}
async function filled(nodes = 1500): Promise<Room> {
  const room = await filing(store);
  await fill(room, nodes);
  await room.rest();
  expect([await versionOf(), (await runs()).length]).toEqual([6, 1]);
  return filing(store);
}

/** Images and their files, of which the n-th write that is asked for comes after the end of the process. */
function endingAfter(images: Images, writes: number): Images {
  let left = writes;
  const counted =
    <A extends unknown[], T>(write: (...args: A) => Promise<T>) =>
    (...args: A): Promise<T> =>
      left-- > 0 ? write(...args) : Promise.reject(new Error('the process ends'));
  const real: IdFiles = images.ids!;
  return {
    get: (room) => images.get(room),
    put: counted((room, bytes) => images.put(room, bytes)),
    remove: counted((room) => images.remove(room)),
    ids: {
      open: (room, names) => real.open(room, names),
      isOf: (room, held) => real.isOf(room, held),
      add: counted((room, held, words) => real.add(room, held, words)),
      keep: counted((room, names) => real.keep(room, names)),
    },
  };
}

describe('a room whose old ids lie in files', () => {
  it('[ID1] answers what one answers that has all in memory, wherever it was cut, and goes on alike', async () => {
    await fc.assert(
      fc.asyncProperty(edits, edits, edits, fc.boolean(), async (before, between, after, shares) => {
        await store.close();
        await rm(folder, { recursive: true });
        store = levelStore(folder);
        await store.open();
        let room = await filing(store);
        await fill(room);
        const keys = generateKeys();
        // Two of them may be one author in two places; one reads and writes late, on what lies in files by then.
        const replicas = [await join(room, keys), await join(room, shares ? keys : undefined), await join(room)];
        for (const some of [before, between, after]) {
          for (const step of some) await edit(replicas[step.by]!, room, step);
          for (const replica of some === between ? replicas.slice(1) : replicas) await push(replica, room);
          await fill(room);
          await room.rest();
          expect(await versionOf()).toBe(6);
          const twin = await twinOf(store);
          expect(await answersOf(room)).toEqual(await answersOf(twin));
          room = await filing(store);
          expect(await answersOf(room)).toEqual(await answersOf(twin));
          const ids = [...Array(room.seq).keys()].map((seq) => room.nodes.describe(seq).nodeId);
          expect(ids).toEqual([...Array(room.seq).keys()].map((seq) => twin.nodes.describe(seq).nodeId));
          expect(room.nodes.numbersOf(ids)).toEqual([...ids.keys()]);
          expect(room.nodes.ids.tree.root).toEqual(twin.nodes.ids.tree.root);
        }
      }),
      { numRuns: 3 },
    );
  });

  it('[ID1] keeps them in memory in a store that has no files, and until there are a million', async () => {
    const inMemory = memoryStore();
    const room = await filing(inMemory);
    await fill(room);
    await room.rest();
    expect((await inMemory.images.get(id))![0]).toBe(5);
    const usual = await open(store, { leastDormant: 0 });
    await fill(usual);
    await usual.rest();
    expect([await versionOf(), existsSync(path(folder, 'images')), await runs()]).toEqual([5, true, []]);
  });

  it('[ID1] opens to the same answers when the process ends between any two writes', async () => {
    await filled();
    const before = `${folder}-before`;
    for (let writes = 0; writes < 4; writes++) {
      const room = await filing(store, { images: endingAfter(store.images, writes) });
      await fill(room, 900, `v${writes}`);
      if (writes < 3) await expect(room.rest()).rejects.toThrow('the process ends');
      else await room.rest();
      await store.close();
      await cp(folder, before, { recursive: true }); // what a process finds that comes after it
      store = levelStore(before);
      await store.open();
      const twin = await twinOf(store);
      const again = await filing(store);
      expect(await answersOf(again)).toEqual(await answersOf(twin));
      await twin.rest();
      await again.set('k', 1);
      await fill(again);
      await again.rest();
      const [last, other] = [await filing(store), await twinOf(store)];
      expect(await answersOf(last)).toEqual(await answersOf(other));
      for (const each of [last, other]) await each.rest();
      await store.close();
      await rm(before, { recursive: true });
      store = levelStore(folder);
      await store.open();
    }
    // What was left over went with the next image, and no file is there that it does not name.
    const [file] = await runs();
    expect((await runs()).length).toBeLessThanOrEqual(3);
    expect(file).toBeDefined();
  });

  it.each(['gone', 'cut', 'changed at its end', 'changed where opening reads'])(
    '[ID2] is read from its log where a file is %s',
    async (how) => {
      await fill(await filled(), 5); // whose author stands on the first node
      const [file] = await runs();
      const bytes = await readFile(file!);
      if (how === 'gone') await rm(file!);
      if (how === 'cut') await writeFile(file!, bytes.subarray(0, -1));
      if (how === 'changed at its end') await writeFile(file!, bytes.with(-1, bytes.at(-1)! ^ 1));
      if (how === 'changed where opening reads') await writeFile(file!, bytes.with(7, bytes[7]! ^ 1));
      const room = await filing(store);
      expect([await versionOf(), await runs()]).toEqual([undefined, []]);
      expect(await answersOf(room)).toEqual(await answersOf(await twinOf(store)));
      await fill(room);
      await room.rest();
      expect(await versionOf()).toBe(6);
    },
  );

  it('[ID2] writes nothing more once a page of a file was not what was written, and is read from its log then', async () => {
    await filled();
    const [file] = await runs();
    const bytes = await readFile(file!);
    await writeFile(file!, bytes.fill(0, 256 * 32, 1408 * 32)); // ids, and nothing of what is read when it is opened
    const faults: unknown[] = [];
    const room = await filing(store, { onFault: (error) => faults.push(error) });
    const { seq } = room;
    await room.set('k', 'before');
    expect([room.fault, room.seq]).toEqual([undefined, seq + 1]);
    expect(() => room.nodes.describe(500)).toThrow('is damaged: it was removed, and the room is read from its log');
    expect([room.fault === undefined, await runs()]).toEqual([false, []]);
    await expect(room.set('k', 'after')).rejects.toThrow('is damaged');
    expect([faults, await store.log.head(id), room.seq]).toEqual([[room.fault], seq + 1, seq + 1]);
    await expect(fill(room)).rejects.toThrow('is damaged');
    await expect(room.compact()).rejects.toThrow('compact failed: the store failed');
    expect(await versionOf()).toBe(6); // as it was
    const again = await filing(store);
    expect([again.get('k'), again.seq]).toEqual(['before', seq + 1]);
    expect(await answersOf(again)).toEqual(await answersOf(await twinOf(store)));
    await again.set('k', 'after');
    expect((await filing(store)).get('k')).toBe('after');
  });
});
