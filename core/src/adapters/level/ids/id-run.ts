/**
 * Run of ids that is open: what is asked of it is read from its file at once, a page at a time, and each page is held against its sum.
 *
 * One whose page is not what was written is taken off the disk: who opens the room next reads the log.
 */
import { close, fstat, open, read, readSync, unlinkSync } from 'node:fs';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import type { RoomId } from '../../../codec/bytes/room-id.js';
import { IDS_A_PAGE } from '../../../codec/nodes/filed-ids.js';
import { equalIds } from '../../../codec/nodes/id-index.js';
import { DIGEST_WORDS } from '../../../codec/sha256/words.js';
import { StoreError } from '../../../ports/store.js';
import { diskError } from '../disk.js';
import {
  ENTRIES_A_PAGE,
  FOOT_WORDS,
  type Layout,
  PAGE_BYTES,
  type Salt,
  bytesOf,
  footOf,
  keyOf,
  layoutOf,
  mayHold,
} from './layout.js';
import type { PageCache } from './page-cache.js';

/** A file stays open for as long as somebody holds its run: a past view, or a child that was opened from it. */
const files = new FinalizationRegistry<number>((file) => close(file, () => undefined));

export class IdRun {
  readonly room: RoomId;
  readonly name: string;
  readonly count: number;
  readonly salt: Salt;
  fault: Error | undefined;
  readonly #path: string;
  readonly #file: number;
  readonly #pages: PageCache;
  readonly #number: number;
  readonly #layout: Layout;
  readonly #sums: Uint32Array;
  readonly #fences: Uint32Array;
  readonly #filter: Uint32Array;
  #last: { readonly number: number; readonly page: Int32Array } | undefined;

  private constructor(parts: OpenFile, room: RoomId, name: string, path: string, pages: PageCache) {
    const { file, count, salt, tail } = parts;
    this.room = room;
    this.name = name;
    this.count = count;
    this.salt = salt;
    this.#path = path;
    this.#file = file;
    this.#pages = pages;
    this.#number = pages.newRun();
    this.#layout = layoutOf(count);
    const { idPages, entryPages } = this.#layout;
    this.#sums = tail.subarray(0, idPages + entryPages);
    this.#fences = tail.subarray(idPages + entryPages, idPages + entryPages * 2);
    this.#filter = tail.subarray(idPages + entryPages * 2);
    files.register(this, file);
  }

  /** Undefined for what is not there as it was written for that room. */
  static async open(path: string, room: RoomId, name: string, pages: PageCache): Promise<IdRun | undefined> {
    const file = await promisify(open)(path, 'r').catch(() => undefined);
    if (file === undefined) return undefined;
    const parts = await readTail(file, room).catch(() => undefined);
    if (!parts) await promisify(close)(file);
    return parts && new IdRun(parts, room, name, path, pages);
  }

  /** Ids of a page, in the order of the log. */
  idPage(number: number): Int32Array {
    return this.#page(number);
  }

  /** Keys and places of a page, ascending. */
  entryPage(number: number): Int32Array {
    return this.#page(this.#layout.idPages + number);
  }

  /** Sums of the pages of ids. */
  get idSums(): Uint32Array {
    return this.#sums.subarray(0, this.#layout.idPages);
  }

  get entryPages(): number {
    return this.#layout.entryPages;
  }

  find(words: Int32Array, at: number): number {
    if (!mayHold(this.#filter, words, at)) return -1;
    for (const place of this.#withKey(keyOf(this.salt, words[at]!, words[at + 1]!)))
      if (equalIds(this.idPage(Math.floor(place / IDS_A_PAGE)), (place % IDS_A_PAGE) * DIGEST_WORDS, words, at))
        return place;
    return -1;
  }

  beginning(first: number, second: number): number[] {
    return [...this.#withKey(keyOf(this.salt, first, second))].filter((place) => {
      const page = this.idPage(Math.floor(place / IDS_A_PAGE));
      const at = (place % IDS_A_PAGE) * DIGEST_WORDS;
      return page[at] === first && page[at + 1] === second;
    });
  }

  /** Places that have a key, ascending. */
  *#withKey(key: number): Generator<number> {
    for (let number = this.#firstPage(key); number < this.#fences.length && this.#fences[number]! <= key; number++) {
      const page = this.entryPage(number);
      const entries = Math.min(ENTRIES_A_PAGE, this.count - number * ENTRIES_A_PAGE);
      for (let i = firstAtLeast(page, entries, key); i < entries && page[i * 2]! >>> 0 === key; i++)
        yield page[i * 2 + 1]!;
    }
  }

  /** The page on which the first entry of a key would stand: the last that begins below it. */
  #firstPage(key: number): number {
    let [low, high] = [0, this.#fences.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#fences[middle]! < key) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  #page(number: number): Int32Array {
    if (this.fault) throw this.fault;
    if (this.#last?.number === number) return this.#last.page;
    const page = this.#pages.get(this.#number, number) ?? this.#pages.put(this.#number, number, this.#read(number));
    this.#last = { number, page };
    return page;
  }

  #read(number: number): Int32Array {
    const { idPages, entriesAt, tailAt } = this.#layout;
    const position = number < idPages ? number * PAGE_BYTES : entriesAt + (number - idPages) * PAGE_BYTES;
    const length = Math.min(PAGE_BYTES, tailAt - position);
    const page = new Int32Array(length / 4);
    try {
      if (readSync(this.#file, page, 0, length, position) === length && crc32(bytesOf(page)) === this.#sums[number])
        return page;
    } catch (error) {
      throw this.#fail(diskError(`read ${this.#path}`, error));
    }
    throw this.#fail(
      // Not for good: it opens from its log.
      new StoreError('failed', `${this.#path} is damaged: it was removed, and the room is read from its log`),
    );
  }

  #fail(fault: Error): Error {
    this.fault = fault;
    try {
      unlinkSync(this.#path);
    } catch {
      // Nobody opens it as it is: another one may have taken it away, and the disk that fails is told of by what comes next.
    }
    return fault;
  }
}

interface OpenFile {
  readonly file: number;
  readonly count: number;
  readonly salt: Salt;
  readonly tail: Uint32Array;
}

async function readTail(file: number, room: RoomId): Promise<OpenFile | undefined> {
  const { size } = await promisify(fstat)(file);
  const foot = new Uint32Array(FOOT_WORDS);
  await readWhole(file, foot, size - foot.byteLength);
  const [, count, ...salted] = foot;
  if (count === undefined || count % IDS_A_PAGE > 0) return undefined;
  const { bytes, tailAt, tailWords } = layoutOf(count);
  if (bytes !== size) return undefined;
  const tail = new Uint32Array(tailWords);
  await readWhole(file, tail, tailAt);
  const salt: Salt = [salted[0]!, salted[1]!];
  const expected = footOf(room, count, salt, tail);
  return foot.every((word, i) => word === expected[i]) ? { file, count, salt, tail } : undefined;
}

async function readWhole(file: number, into: Uint32Array, position: number): Promise<void> {
  const bytes = bytesOf(into);
  for (let done = 0; done < bytes.length;) {
    const { bytesRead } = await promisify(read)(file, bytes, done, bytes.length - done, position + done);
    if (bytesRead === 0) throw new Error('a file ends too early');
    done += bytesRead;
  }
}

function firstAtLeast(page: Int32Array, entries: number, key: number): number {
  let [low, high] = [0, entries];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (page[middle * 2]! >>> 0 < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
