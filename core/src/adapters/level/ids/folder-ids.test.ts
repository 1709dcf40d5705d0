import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toHex, toUtf8 } from '../../../codec/bytes/bytes.js';
import { IntColumn } from '../../../codec/bytes/columns.js';
import { sha256 } from '../../../codec/bytes/hash.js';
import type { RoomId } from '../../../codec/bytes/room-id.js';
import { type FiledIds, IDS_A_PAGE } from '../../../codec/nodes/filed-ids.js';
import { IdIndex, equalIds } from '../../../codec/nodes/id-index.js';
import { DIGEST_WORDS } from '../../../codec/sha256/words.js';
import type { IdFiles } from '../../../ports/id-files.js';
import { FolderImages } from '../folder-images.js';

const [room, child] = ['room', 'child'] as RoomId[] as [RoomId, RoomId];
const PAGE_WORDS = IDS_A_PAGE * DIGEST_WORDS;

let folder = '';
let ids: IdFiles;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-ids-'));
  ids = new FolderImages(folder).ids;
});
afterEach(() => rm(folder, { recursive: true }));

/** The n-th of a row of ids; some of which are there again, and some begin alike. */
function wordsOf(seed: number, number: number): Int32Array {
  const some = number % 97 === 96 ? number - 50 : number;
  const bytes = createHash('sha256').update(`${seed}/${some}`).digest();
  const words = new Int32Array(new Uint8Array(bytes).buffer);
  if (number % 89 > 86) words.fill(7, 0, 2);
  return words;
}
function pages(seed: number, from: number, count: number): Int32Array {
  const words = new Int32Array(count * PAGE_WORDS);
  for (let i = 0; i < count * IDS_A_PAGE; i++) words.set(wordsOf(seed, from * IDS_A_PAGE + i), i * DIGEST_WORDS);
  return words;
}
const folderOf = (id: RoomId): string => join(folder, `${toHex(sha256(toUtf8(id)))}.ids`);
const pathOf = (id: RoomId, name: string | undefined): string => join(folderOf(id), name!);

/** What a column in memory answers of the same ids. */
class Model {
  readonly #column = new IntColumn();
  readonly #index = new IdIndex(this.#column);

  add(words: Int32Array): void {
    words.forEach((word) => this.#column.push(word));
  }

  /** What is answered otherwise of an id, whether it is there or not. */
  differs(filed: FiledIds, id: Int32Array): boolean {
    const sorted = (places: number[]): string => places.sort((a, b) => a - b).join();
    const [first, second] = [id[0]!, id[1]!];
    if (filed.find(id, 0) !== this.#index.find(id, 0)) return true;
    return sorted(filed.beginning(first, second)) !== sorted(this.#index.beginning(first, second));
  }

  expectAlike(filed: FiledIds, seed: number, step: number, first = 0): void {
    const { values, length } = this.#column;
    expect(filed.count).toBe(length / DIGEST_WORDS);
    for (let place = first % step; place < filed.count; place += step) {
      const at = (place % IDS_A_PAGE) * DIGEST_WORDS;
      if (!equalIds(filed.page(place), at, values, place * DIGEST_WORDS)) throw new Error(`${place} has another id`);
      if (this.differs(filed, values.slice(place * DIGEST_WORDS, (place + 1) * DIGEST_WORDS)))
        throw new Error(`${place} is found elsewhere`);
      if (this.differs(filed, wordsOf(seed + 1, place))) throw new Error('what is not there is found');
    }
  }
}

describe('ids in files', () => {
  it('[ID1] are found and read as those of a column in memory, however they were added, asked and opened again', async () => {
    const additions = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(additions, fc.nat(), fc.nat(), async (counts, seed, first) => {
        const model = new Model();
        let filed: FiledIds | undefined;
        let from = 0;
        for (const count of counts) {
          const words = pages(seed, from, count);
          filed = await ids.add(room, filed, words);
          model.add(words);
          from += count;
          model.expectAlike(filed, seed, 11, first);
        }
        model.expectAlike((await ids.open(room, filed!.names))!, seed, 7, first);
        await ids.keep(room, filed!.names);
        // Where there are none, no folder is left.
        const left = existsSync(folderOf(room)) ? await readdir(folderOf(room)) : [];
        expect(left.sort()).toEqual([...filed!.names].sort());
        model.expectAlike((await ids.open(room, filed!.names))!, seed, 13, first);
      }),
      { numRuns: 12, examples: [[[0], 0, 0]] },
    );
  });

  it('[ID1] lie in few files, of which each is much longer than the next', async () => {
    let filed: FiledIds | undefined;
    for (let i = 0; i < 40; i++) filed = await ids.add(room, filed, pages(1, i, 1));
    expect(filed!.names.length).toBeLessThanOrEqual(5);
    expect(await readdir(join(folder, 'incoming'))).toEqual([]);
    expect(((await stat(pathOf(room, filed!.names[0]))).mode & 0o777).toString(8)).toBe('600');
  });

  it('[ID2] of which any byte has changed are no files, or say so when they are asked: never another answer', async () => {
    const words = pages(3, 0, 2);
    const { names } = await ids.add(room, undefined, words);
    const path = pathOf(room, names[0]);
    const file = await readFile(path);
    const model = new Model();
    model.add(words);
    let [shut, said] = [0, 0];
    for (let at = 0; at < file.length; at += 31) {
      await writeFile(path, file.with(at, file[at]! ^ (1 << (at % 8))));
      const filed = await ids.open(room, names);
      if (!filed) {
        shut++;
        continue;
      }
      expect(() => model.expectAlike(filed, 3, 1)).toThrow('is damaged: it was removed');
      expect(filed.fault?.message).toContain('is damaged');
      expect(() => filed.page(0)).toThrow('is damaged'); // also what is whole: who asked before may be half done
      expect(existsSync(path)).toBe(false);
      said++;
    }
    expect([shut > 5, said > 100]).toEqual([true, true]);
  });

  it('[ID2] that are gone, cut, longer, or those of another room are no files', async () => {
    const { names } = await ids.add(room, undefined, pages(3, 0, 2));
    const others = await ids.add(child, undefined, pages(4, 0, 2));
    const path = pathOf(room, names[0]);
    const file = await readFile(path);
    for (const length of [0, 3, 4096, file.length - 1]) {
      await truncate(path, length);
      expect(await ids.open(room, names)).toBeUndefined();
    }
    await writeFile(path, Buffer.concat([file, randomBytes(4)]));
    expect(await ids.open(room, names)).toBeUndefined();
    await copyFile(pathOf(child, others.names[0]), path);
    expect(await ids.open(room, names)).toBeUndefined();
    await rm(path);
    expect(await ids.open(room, names)).toBeUndefined();
    expect(await ids.open(room, ['../server.key'])).toBeUndefined();
    expect((await ids.open(child, others.names))?.count).toBe(2 * IDS_A_PAGE);
  });

  it('[ID1] of a child are its own from the first time that it adds some, and those that went are read while somebody has them', async () => {
    const model = new Model();
    let filed = await ids.add(room, undefined, pages(5, 0, 9));
    model.add(pages(5, 0, 9));
    filed = await ids.add(room, filed, pages(5, 9, 1));
    model.add(pages(5, 9, 1));
    expect([filed.names.length, ids.isOf(room, filed), ids.isOf(child, filed)]).toEqual([2, true, false]);
    const own = await ids.add(child, filed, new Int32Array(0));
    expect([own.names.length, ids.isOf(child, own)]).toEqual([1, true]);
    await ids.keep(room, []);
    expect([existsSync(folderOf(room)), await ids.open(room, filed.names)]).toEqual([false, undefined]);
    model.expectAlike(filed, 5, 1);
    model.expectAlike(own, 5, 1);
    const more = await ids.add(child, own, pages(5, 10, 3));
    model.add(pages(5, 10, 3));
    model.expectAlike((await ids.open(child, more.names))!, 5, 1);
  });
});
