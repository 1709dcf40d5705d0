/**
 * An endless sequence of cells for a set of ids, of which any beginning is a sketch: about one and a half times as many
 * cells as two sets differ in tell the difference, and when they do not, the next ones are sent, not others. [RC4]
 *
 * Cell n has each id with the chance 2 / (n + 2), the first one all of them. Where an id goes next after cell n follows
 * from a generator of random numbers that begins with its two words. Ids are short here: the first eight bytes.
 */
import { DecodeError } from '../codec/bytes/bytes.js';
import { IntColumn } from '../codec/bytes/columns.js';
import type { Graph } from '../graph/graph.js';
import { Cells } from './cells.js';
import { Follower } from './follower.js';
import { heldBeginning } from './held.js';
import { type SketchKey, shortIds } from './keyed-ids.js';
import { SHORT_WORDS } from './short-ids.js';

export const SYMBOL_BYTES = Cells.cellBytes(SHORT_WORDS);
export const MOST_SYMBOLS = 1 << 16;
const FIRST_KEPT = 512;
const GROWTH = 4;

/** The symbols of a set that does not change, and who is meant by a short id. */
export interface Symbols {
  /** The first `count`. */
  upTo(count: number): Cells;
  /** Nodes that each short id stands for. */
  nodesOf(ids: IntColumn): readonly (readonly number[])[];
}

export function symbolCells(ids: Int32Array, at: number, length: number, chosen: IntColumn): void {
  let s0 = ids[at]!;
  let s1 = ids[at + 1]!;
  for (let cell = 0; cell < length;) {
    chosen.push(cell);
    const random = Math.imul(s0, 0x9e3779bb) >>> 0;
    s1 ^= s0;
    s0 = ((s0 << 26) | (s0 >>> 6)) ^ s1 ^ (s1 << 9);
    s1 = (s1 << 13) | (s1 >>> 19);
    cell += 1 + Math.floor((cell + 1.5) * (65_536 / Math.sqrt(random + 1) - 1));
  }
}

export function writeSymbols(cells: Cells, from: number): Uint8Array {
  const bytes = new Uint8Array((cells.length - from) * SYMBOL_BYTES);
  cells.slice(from, cells.length).writeTo(bytes, 0);
  return bytes;
}

export function readSymbols(bytes: Uint8Array): Cells {
  if (bytes.length % SYMBOL_BYTES !== 0) throw new DecodeError('symbols are cut off');
  return Cells.read(bytes, 0, SHORT_WORDS);
}

/**
 * The symbols of a graph, which follow it: made anew only when more are asked for than ever before, which happens five
 * times at most. Memory: 16 bytes for each symbol, 8 KB to 1 MB, nothing per node. A node costs 0.2 µs, once.
 */
export class KeptSymbols {
  readonly #graph: Graph;
  #kept: Cells | undefined;
  #follower: Follower | undefined;

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  get memory(): number {
    return this.#kept?.memory ?? 0;
  }

  /** Symbols of the first `size` nodes, whatever the graph takes in meanwhile. */
  asOf(size: number): Symbols {
    return {
      upTo: (count) => this.#upTo(count, size),
      nodesOf: (ids) => eachShort(ids, (first, second) => heldBeginning(this.#graph, first, second, size)),
    };
  }

  #upTo(count: number, size: number): Cells {
    let length = this.#kept?.length ?? FIRST_KEPT;
    while (length < count) length *= GROWTH;
    if (length !== this.#kept?.length) {
      this.#kept = new Cells(length, SHORT_WORDS);
      this.#follower = new Follower(this.#graph);
    }
    this.#follower!.follow(this.#kept, symbolCells);
    const cells = this.#kept.slice(0, count);
    this.#follower!.withdraw(cells, symbolCells, size);
    return cells;
  }
}

/** Under a key that nobody knew when the nodes were made: made for one use, at O(nodes). */
export function keyedSymbols(graph: Graph, size: number, key: SketchKey): Symbols {
  const ids = shortIds(graph.table, size, key);
  let made: Cells | undefined;
  return {
    upTo: (count) => {
      if (!made || made.length < count) made = cellsOf(ids, Math.max(count, FIRST_KEPT));
      return made.slice(0, count);
    },
    nodesOf: (wanted) => {
      const found: number[][] = eachShort(wanted, () => []);
      const byFirst = new Map<number, number[]>();
      for (let n = 0; n < found.length; n++) {
        const alike = byFirst.get(wanted.values[n * SHORT_WORDS]!);
        if (alike) alike.push(n);
        else byFirst.set(wanted.values[n * SHORT_WORDS]!, [n]);
      }
      for (let node = 0; node < size; node++)
        for (const n of byFirst.get(ids[node * SHORT_WORDS]!) ?? [])
          if (wanted.values[n * SHORT_WORDS + 1] === ids[node * SHORT_WORDS + 1]) found[n]!.push(node);
      return found;
    },
  };
}

function cellsOf(ids: Int32Array, count: number): Cells {
  const cells = new Cells(count, SHORT_WORDS);
  const chosen = new IntColumn(32);
  for (let at = 0; at < ids.length; at += SHORT_WORDS) {
    chosen.length = 0;
    symbolCells(ids, at, count, chosen);
    cells.toggle(ids, at, chosen, 1);
  }
  return cells;
}

function eachShort<T>(ids: IntColumn, give: (first: number, second: number) => T): T[] {
  const all: T[] = [];
  for (let at = 0; at < ids.length; at += SHORT_WORDS) all.push(give(ids.values[at]!, ids.values[at + 1]!));
  return all;
}
