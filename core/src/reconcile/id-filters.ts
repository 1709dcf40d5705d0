/**
 * Invertible Bloom filters over the ids of a graph, for `hello.ibf`. [RC1]
 *
 * One is kept, of the largest size that was asked for; smaller ones are folded from it, because two neighbours of the
 * larger are one cell of the smaller. It follows the graph: what was added since is taken in, and only a larger size makes
 * it anew, which happens at most eight times. Ids are hashes, but their authors can choose among many: such a filter may
 * not decode, and then there is another way.
 *
 * Memory: 40 bytes for each cell, 3 KB to 400 KB, nothing per node. A node costs about 0.1 µs, once.
 */
import { DecodeError } from '../codec/bytes/bytes.js';
import type { IntColumn } from '../codec/bytes/columns.js';
import { DIGEST_WORDS, digestBytes } from '../codec/sha256/words.js';
import type { Graph } from '../graph/graph.js';
import { Cells } from './cells.js';
import { Follower } from './follower.js';
import { heldAt } from './held.js';

const VERSION = 1;
const HEADER_BYTES = 2;
const HASHES = 4;
/** Cells of the smallest filter; each next size has twice as many. */
const FEWEST_CELLS = 80;
const LARGEST_FILTER = 7;

export interface FilterDifference {
  /** Ids that they have and we lack. */
  readonly theyHave: Uint8Array[];
  /** Our nodes that they lack, ascending. */
  readonly weHave: number[];
}

export class IdFilters {
  readonly #graph: Graph;
  #size = 0;
  #kept: Cells | undefined;
  #follower: Follower | undefined;

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  get memory(): number {
    return this.#kept?.memory ?? 0;
  }

  /** Version (1) ‖ size (1) ‖ cells. [RC1] */
  encode(size: number): Uint8Array {
    checkSize(size);
    const cells = this.#cells(size);
    const bytes = new Uint8Array(HEADER_BYTES + cells.length * Cells.cellBytes(DIGEST_WORDS));
    bytes[0] = VERSION;
    bytes[1] = size;
    cells.writeTo(bytes, HEADER_BYTES);
    return bytes;
  }

  /** Undefined when it does not decode. Throws `DecodeError` for what is no filter. */
  difference(bytes: Uint8Array): FilterDifference | undefined {
    const theirs = readFilter(bytes);
    const sides = Cells.difference(theirs, this.#cells(bytes[1]!)).peel(filterCells);
    if (!sides) return undefined;
    const weHave = sides.ours.length === 0 ? [] : this.#numbers(sides.ours);
    return weHave && this.#lacksAll(sides.theirs) ? { theyHave: idsIn(sides.theirs), weHave } : undefined;
  }

  #numbers(ids: IntColumn): number[] | undefined {
    const numbers = new Set<number>();
    for (let at = 0; at < ids.length; at += DIGEST_WORDS) numbers.add(heldAt(this.#graph, ids.values, at));
    return numbers.has(-1) || numbers.size * DIGEST_WORDS < ids.length ? undefined : [...numbers].sort((a, b) => a - b);
  }

  #lacksAll(ids: IntColumn): boolean {
    for (let at = 0; at < ids.length; at += DIGEST_WORDS) if (heldAt(this.#graph, ids.values, at) >= 0) return false;
    return true;
  }

  #cells(size: number): Cells {
    if (!this.#kept || size > this.#size) {
      this.#size = size;
      this.#kept = new Cells(FEWEST_CELLS << size, DIGEST_WORDS);
      this.#follower = new Follower(this.#graph);
    }
    this.#follower!.follow(this.#kept, filterCells);
    return size === this.#size ? this.#kept : this.#kept.folded(this.#size - size);
  }
}

/** Chooses one cell in each quarter: where the n-th word of the id lies among all words. */
export function filterCells(ids: Int32Array, at: number, length: number, chosen: IntColumn): void {
  const quarter = length / HASHES;
  for (let n = 0; n < HASHES; n++)
    chosen.push(n * quarter + Math.floor(((ids[at + n]! >>> 0) * quarter) / 0x1_0000_0000));
}

function readFilter(bytes: Uint8Array): Cells {
  if (bytes[0] !== VERSION) throw new DecodeError('a filter of another version');
  checkSize(bytes[1] ?? -1);
  if (bytes.length !== HEADER_BYTES + (FEWEST_CELLS << bytes[1]!) * Cells.cellBytes(DIGEST_WORDS))
    throw new DecodeError('a filter of another length than its size has');
  return Cells.read(bytes, HEADER_BYTES, DIGEST_WORDS);
}

function checkSize(size: number): void {
  if (!(Number.isInteger(size) && size >= 0 && size <= LARGEST_FILTER))
    throw new DecodeError('no such size of a filter');
}

function idsIn(column: IntColumn): Uint8Array[] {
  return Array.from({ length: column.length / DIGEST_WORDS }, (_, n) => digestBytes(column.values, n * DIGEST_WORDS));
}
