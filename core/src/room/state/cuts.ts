/**
 * Cuts of a room's log: positions where every run is closed, so that history may be sent and stored in parts. [HS5]
 *
 * A part holds whole batches up to about a mebibyte. Parts that nothing will be added to become segments of the log; of
 * these, only where they end is remembered.
 */
import type { ByteReader } from '../../codec/bytes/byte-reader.js';
import type { ByteWriter } from '../../codec/bytes/byte-writer.js';
import { IntColumn } from '../../codec/bytes/columns.js';
import { loadColumn, saveColumn } from '../../codec/bytes/saved-column.js';
import { PACK_BOUNDS } from '../../codec/packs/pack.js';
import { lastAtMost } from '../../graph/last-at-most.js';
import type { Graph } from '../../graph/graph.js';
import { weightOf } from '../../graph/node.js';

/** Bytes of a part, about; a heavier batch goes alone. */
export const PART_WEIGHT = 1024 * 1024;

export class Cuts {
  readonly #graph: Graph;
  /** Log positions, ascending, and the weight up to each in KiB. */
  readonly #ends = new IntColumn();
  readonly #weights = new IntColumn();
  #weight = 0;
  #stored = 0;

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  /** The nodes up to `end` are durable, and all runs among them closed. */
  close(end: number): void {
    const from = this.#ends.length === 0 ? 0 : this.#ends.values[this.#ends.length - 1]!;
    if (end === from) return;
    for (let node = from; node < end; node++) this.#weight += weightOf(this.#graph.table, node);
    this.#ends.push(end);
    this.#weights.push(Math.ceil(this.#weight / 1024));
  }

  /** End of the part that begins at a position; the position itself when there is none. */
  endOfPart(from: number): number {
    let low = this.countUpTo(from);
    if (low === this.#ends.length) return from;
    const before = low === 0 ? 0 : this.#weights.values[low - 1]!;
    while (low + 1 < this.#ends.length && this.#weights.values[low + 1]! - before <= PART_WEIGHT / 1024) low++;
    return this.#ends.values[low]!;
  }

  /** The next part that nothing will be added to, to be stored as a segment; undefined while there is none. */
  get fullPart(): readonly [from: number, to: number] | undefined {
    if (this.#ends.length === 0) return undefined;
    let to = this.endOfPart(this.#stored);
    if (to === 1) to = this.endOfPart(1); // no record ends behind the genesis
    const isFull = to < this.#ends.values[this.#ends.length - 1]!;
    return isFull && to - this.#stored <= PACK_BOUNDS.nodes ? [this.#stored, to] : undefined;
  }

  /** Notes that the full part up to here is a segment now, and is read as one. */
  merged(to: number): void {
    const before = this.countUpTo(this.#stored);
    const last = this.countUpTo(to) - 1;
    for (const column of [this.#ends, this.#weights]) {
      column.values.copyWithin(before, last, column.length);
      column.truncate(column.length - (last - before));
    }
    this.#stored = to;
  }

  /** Nodes up to here lie in the log as segments, a part each. */
  get stored(): number {
    return this.#stored;
  }

  /** How many cuts lie at or before a position. */
  countUpTo(position: number): number {
    return lastAtMost(this.#ends, position) + 1;
  }

  save(out: ByteWriter): void {
    out.varint(this.#stored);
    out.varint(this.#weight);
    saveColumn(this.#ends, out);
    saveColumn(this.#weights, out);
  }

  load(input: ByteReader): void {
    this.#stored = input.varint();
    this.#weight = input.varint();
    loadColumn(this.#ends, input);
    loadColumn(this.#weights, input);
  }
}
