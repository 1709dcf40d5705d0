/**
 * Watcher of a query's rows: how those that it was told of differ from those that there are now, page by page. [PJ11]
 *
 * It holds the rows that it was told, and no list of changes: what came and went while its peer took nothing is not told.
 */
import { canonicalJson } from '../codec/bytes/canonical-json.js';
import type { PresentRows } from './live-rows.js';
import type { Row } from './rows.js';

export interface PutRow {
  readonly row: Row;
  /** Its place among the rows. */
  readonly index: number;
}

/** To be applied in this order: rows that go, then rows that come, each put in its place. */
export interface RowsPage {
  readonly seq: number;
  readonly removed: readonly Row[];
  readonly put: readonly PutRow[];
  /** With this page the rows are those of that log position. */
  readonly isFinal: boolean;
}

/** Rows and characters of a page. */
const MOST = 1000;
const UNITS = 1024 * 1024;

interface Change extends PresentRows {
  readonly removed: readonly Row[];
  readonly put: readonly PutRow[];
}

export class WatchedRows {
  #told: readonly Row[] | undefined;
  /** What is being told, and how much of it was. */
  #change: Change | undefined;
  #removed = 0;
  #put = 0;

  /** The next page; undefined while what was told is what there is. The first is told also where there are no rows. */
  async next(present: () => Promise<PresentRows>): Promise<RowsPage | undefined> {
    this.#change ??= changeOf(this.#told, await present());
    const change = this.#change;
    const isNew = this.#told === undefined;
    if (!isNew && change.removed.length + change.put.length === 0) return void this.#end(change);
    const removed = change.removed.slice(this.#removed, this.#removed + MOST);
    const put = pageOf(change.put, this.#put, MOST - removed.length);
    this.#removed += removed.length;
    this.#put += put.length;
    const isFinal = this.#removed === change.removed.length && this.#put === change.put.length;
    if (isFinal) this.#end(change);
    return { seq: change.seq, removed, put, isFinal };
  }

  #end({ rows }: Change): void {
    this.#told = rows;
    this.#change = undefined;
    this.#removed = this.#put = 0;
  }
}

/** Rows that are put again are those that read otherwise or stand elsewhere for themselves; the others keep their order. */
function changeOf(told: readonly Row[] = [], { seq, rows }: PresentRows): Change {
  if (told === rows) return { seq, rows, removed: [], put: [] };
  const before = new Map(told.map((row) => [idOf(row), row]));
  const put: PutRow[] = [];
  for (const [index, row] of rows.entries()) {
    const id = idOf(row);
    const known = before.get(id);
    before.delete(id);
    if (!known || !isSame(known, row)) put.push({ row, index });
  }
  return { seq, rows, removed: [...before.values()], put };
}

const idOf = ({ key, kind }: Row): string => canonicalJson([key, kind]);

function isSame(a: Row, b: Row): boolean {
  return a === b || (a.text === b.text && a.order?.rank === b.order?.rank && a.order?.by === b.order?.by);
}

function pageOf(put: readonly PutRow[], from: number, most: number): readonly PutRow[] {
  let to = from;
  for (let units = 0; to < put.length && to - from < most; to++) {
    units += put[to]!.row.text.length;
    if (units > UNITS && to > from) break;
  }
  return put.slice(from, to);
}
