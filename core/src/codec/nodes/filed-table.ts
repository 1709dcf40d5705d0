/** Tables whose first ids lie in files: only who keeps whole rooms loads this. */
import type { IntColumn } from '../bytes/columns.js';
import { DIGEST_WORDS } from '../sha256/words.js';
import type { FiledIds } from './filed-ids.js';
import { IdIndex } from './id-index.js';
import type { NodeTable } from './node-table.js';

/** Index of the ids in files and of the column of those behind them. */
export class FiledIndex extends IdIndex {
  readonly #ids: IntColumn;
  readonly #filed: FiledIds;

  constructor(ids: IntColumn, filed: FiledIds) {
    super(ids);
    this.#ids = ids;
    this.#filed = filed;
  }

  override find(words: Int32Array, at: number): number {
    const filed = this.#filed.find(words, at);
    if (filed >= 0) return filed;
    const place = super.find(words, at);
    return place < 0 ? place : this.#filed.count + place;
  }

  override beginning(first: number, second: number): number[] {
    const isFirst = (place: number): boolean => this.#filed.find(this.#ids.values, place * DIGEST_WORDS) < 0;
    const behind = super.beginning(first, second).filter(isFirst);
    return [...this.#filed.beginning(first, second), ...behind.map((place) => this.#filed.count + place)];
  }

  override truncate(size: number): void {
    if (size < this.#filed.count) throw new Error('a node whose id lies in a file is not taken back');
    super.truncate(size - this.#filed.count);
  }
}

/** These take the place of the first ids in memory. */
export function fileIds(table: NodeTable, filed: FiledIds): void {
  const { ids } = table;
  ids.values = ids.values.slice((filed.count - table.filedTo) * DIGEST_WORDS, ids.length);
  ids.length = ids.values.length;
  table.filed = filed;
  table.filedTo = filed.count;
  table.index = new FiledIndex(ids, filed);
}

/** The ids from the first one in memory up to a node, for as long as none of those nodes is taken back. */
export function idsBefore({ ids, filedTo }: NodeTable, node: number): Int32Array {
  return ids.values.subarray(0, (node - filedTo) * DIGEST_WORDS);
}
