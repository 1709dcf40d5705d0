/** Entries of a run of ids, made and merged a piece at a time, so that everything else goes on meanwhile. */
import { IDS_A_PAGE } from '../../../codec/nodes/filed-ids.js';
import { DIGEST_WORDS } from '../../../codec/sha256/words.js';
import { Pauses } from '../../../concurrency/pauses.js';
import type { IdRun } from './id-run.js';
import { ENTRIES_A_PAGE, type Salt, keyOf } from './layout.js';

/** Entries of one key stand in one bucket, and a bucket is sorted in one go. */
const BUCKET_BITS = 12;
/** Ids of a page are so much work. */
const PAGE_WORK = 64;

/** Numbers whose upper half is the key sort as entries do. */
const [LOW, HIGH] = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? [0, 1] : [1, 0];

/** Keys and places, ascending, of which the next may be taken. */
export interface Entries {
  readonly key: number;
  readonly place: number;
  readonly isOver: boolean;
  next(): void;
}

/** Sorts the entries of ids by buckets of their keys. `first` is the place of the first. */
export async function sortIds(words: Int32Array, first: number, salt: Salt): Promise<Entries> {
  const count = words.length / DIGEST_WORDS;
  const entries = new BigUint64Array(count);
  const halves = new Uint32Array(entries.buffer);
  const ends = new Uint32Array(2 ** BUCKET_BITS + 1);
  const keyAt = (id: number): number => keyOf(salt, words[id * DIGEST_WORDS]!, words[id * DIGEST_WORDS + 1]!);
  const bucketOf = (key: number): number => key >>> (32 - BUCKET_BITS);
  await eachOf(count, (id) => {
    ends[bucketOf(keyAt(id)) + 1]!++;
  });
  for (let bucket = 1; bucket < ends.length; bucket++) ends[bucket]! += ends[bucket - 1]!;
  await eachOf(count, (id) => {
    const key = keyAt(id);
    const at = ends[bucketOf(key)]!++;
    halves[at * 2 + HIGH] = key;
    halves[at * 2 + LOW] = first + id;
  });
  const pauses = new Pauses();
  let from = 0;
  for (const to of ends.subarray(0, -1)) {
    entries.subarray(from, to).sort();
    if (pauses.due(to - from)) await pauses.take();
    from = to;
  }
  return new Sorted(halves, count);
}

/** Calls `act` for each of so many ids. */
async function eachOf(count: number, act: (id: number) => void): Promise<void> {
  const pauses = new Pauses();
  for (let from = 0; from < count; from += IDS_A_PAGE) {
    for (let id = from; id < from + IDS_A_PAGE; id++) act(id);
    if (pauses.due(PAGE_WORK)) await pauses.take();
  }
}

class Sorted implements Entries {
  readonly #halves: Uint32Array;
  readonly #count: number;
  #at = 0;

  constructor(halves: Uint32Array, count: number) {
    this.#halves = halves;
    this.#count = count;
  }

  get key(): number {
    return this.#halves[this.#at * 2 + HIGH]!;
  }

  get place(): number {
    return this.#halves[this.#at * 2 + LOW]!;
  }

  get isOver(): boolean {
    return this.#at >= this.#count;
  }

  next(): void {
    this.#at++;
  }
}

/** Entries of a run, whose first id has the place `first` in another one. */
export class RunEntries implements Entries {
  readonly #run: IdRun;
  readonly #first: number;
  #page: Int32Array;
  #at = 0;

  constructor(run: IdRun, first: number) {
    this.#run = run;
    this.#first = first;
    this.#page = run.entryPage(0);
  }

  get key(): number {
    return this.#page[(this.#at % ENTRIES_A_PAGE) * 2]! >>> 0;
  }

  get place(): number {
    return this.#first + this.#page[(this.#at % ENTRIES_A_PAGE) * 2 + 1]!;
  }

  get isOver(): boolean {
    return this.#at >= this.#run.count;
  }

  next(): void {
    this.#at++;
    if (this.#at % ENTRIES_A_PAGE === 0 && !this.isOver) this.#page = this.#run.entryPage(this.#at / ENTRIES_A_PAGE);
  }
}

/** The one whose entry is least; of one key the first, whose places are lower. Undefined when all are over. */
export function least(sources: readonly Entries[]): Entries | undefined {
  let found: Entries | undefined;
  for (const source of sources) if (!source.isOver && (!found || source.key < found.key)) found = source;
  return found;
}
