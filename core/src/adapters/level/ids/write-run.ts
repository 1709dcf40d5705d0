/** Writing of a run of ids: what some runs hold, and the ids that follow. Nothing that was written is read again. */
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { RoomId } from '../../../codec/bytes/room-id.js';
import { IDS_A_PAGE } from '../../../codec/nodes/filed-ids.js';
import { DIGEST_WORDS } from '../../../codec/sha256/words.js';
import type { IdRun } from './id-run.js';
import { PAGE_BYTES, type Salt, addToFilter, bytesOf, footOf, layoutOf } from './layout.js';
import { type Entries, RunEntries, least, sortIds } from './sorted-ids.js';

const PAGE_WORDS = PAGE_BYTES / 4;
/** Pages that are written at once: some milliseconds of work. */
const PAGES_AT_ONCE = 64;

/** The runs have the salt, and the order in which their ids follow each other. */
export async function writeRun(
  file: FileHandle,
  room: RoomId,
  salt: Salt,
  runs: readonly IdRun[],
  words: Int32Array,
): Promise<void> {
  let held = 0;
  const sources: Entries[] = [];
  for (const run of runs) {
    sources.push(new RunEntries(run, held));
    held += run.count;
  }
  sources.push(await sortIds(words, held, salt));
  const count = held + words.length / DIGEST_WORDS;
  const { idPages, entryPages, filterBlocks, tailWords } = layoutOf(count);
  const tail = new Uint32Array(tailWords);
  const [sums, fences, filter] = [
    tail.subarray(0, idPages + entryPages),
    tail.subarray(idPages + entryPages, idPages + entryPages * 2),
    tail.subarray(tailWords - filterBlocks * 8),
  ];
  const pages = new PagesOut(file, sums);
  for (const page of idPagesOf(runs, words)) {
    for (let id = 0; id < IDS_A_PAGE; id++) addToFilter(filter, page, id * DIGEST_WORDS);
    pages.put(page);
    if (pages.isDue) await pages.flush();
  }
  await pages.flush();
  for (let number = 0; number < entryPages; number++) {
    const page = entryPageOf(sources);
    fences[number] = page[0]! >>> 0;
    pages.put(page);
    if (pages.isDue) await pages.flush();
  }
  await pages.flush();
  await file.writeFile(bytesOf(tail));
  await file.writeFile(bytesOf(footOf(room, count, salt, tail)));
}

function* idPagesOf(runs: readonly IdRun[], words: Int32Array): Generator<Int32Array> {
  for (const run of runs) for (let page = 0; page < run.count / IDS_A_PAGE; page++) yield run.idPage(page);
  for (let at = 0; at < words.length; at += PAGE_WORDS) yield words.subarray(at, at + PAGE_WORDS);
}

function entryPageOf(sources: readonly Entries[]): Int32Array {
  const page = new Int32Array(PAGE_WORDS);
  let at = 0;
  for (let source = least(sources); source && at < PAGE_WORDS; source = least(sources)) {
    page[at++] = source.key;
    page[at++] = source.place;
    source.next();
  }
  return page.subarray(0, at);
}

/** Pages that go to a file one after the other, with their sums. */
class PagesOut {
  readonly #file: FileHandle;
  readonly #sums: Uint32Array;
  #count = 0;
  #waiting: Uint8Array[] = [];

  constructor(file: FileHandle, sums: Uint32Array) {
    this.#file = file;
    this.#sums = sums;
  }

  put(page: Int32Array): void {
    const bytes = bytesOf(page);
    this.#sums[this.#count++] = crc32(bytes);
    this.#waiting.push(bytes);
  }

  get isDue(): boolean {
    return this.#waiting.length >= PAGES_AT_ONCE;
  }

  async flush(): Promise<void> {
    const pages = this.#waiting;
    this.#waiting = [];
    await this.#file.writeFile(Buffer.concat(pages));
  }
}
