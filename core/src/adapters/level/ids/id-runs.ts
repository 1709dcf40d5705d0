/** Runs of ids that follow each other: what a room's table reads of its first nodes. */
import { type FiledIds, IDS_A_PAGE } from '../../../codec/nodes/filed-ids.js';
import { DIGEST_WORDS } from '../../../codec/sha256/words.js';
import type { IdRun } from './id-run.js';

export class IdRuns implements FiledIds {
  readonly runs: readonly IdRun[];
  readonly count: number;
  /** Place of the first id of each. */
  readonly #starts: readonly number[];

  constructor(runs: readonly IdRun[]) {
    this.runs = runs;
    let count = 0;
    this.#starts = runs.map((run) => (count += run.count) - run.count);
    this.count = count;
  }

  get names(): readonly string[] {
    return this.runs.map(({ name }) => name);
  }

  get fault(): Error | undefined {
    return this.runs.find(({ fault }) => fault)?.fault;
  }

  find(words: Int32Array, at: number): number {
    for (const [i, run] of this.runs.entries()) {
      const place = run.find(words, at);
      if (place >= 0) return this.#starts[i]! + place;
    }
    return -1;
  }

  beginning(first: number, second: number): number[] {
    const places = this.runs.flatMap((run, i) => run.beginning(first, second).map((place) => this.#starts[i]! + place));
    return places.filter((place) => this.find(this.page(place), (place % IDS_A_PAGE) * DIGEST_WORDS) === place);
  }

  page(place: number): Int32Array {
    let i = this.runs.length - 1;
    while (this.#starts[i]! > place) i--;
    return this.runs[i]!.idPage(Math.floor((place - this.#starts[i]!) / IDS_A_PAGE));
  }
}
