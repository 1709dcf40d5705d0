/**
 * The rows of a projection: what a query finds in a room at one moment. [PJ4]
 *
 * A row is kept as the text that the digest covers. Rows are kept by key, so that a projection that is built again
 * looks only at keys that were written since.
 */
import { type Json, canonicalJson } from '../codec/bytes/canonical-json.js';
import { BlobRef } from '../crdt/registers.js';
import { Rejection } from '../rejection.js';
import type { DocumentView } from '../room/reading/document-view.js';
import { type Candidate, KINDS, type Kind, type Query, type Sortable } from './descriptor.js';
import { jsonOf } from './json.js';

/** What one projection holds, at most. */
const ROW_BOUNDS = { rows: 50_000, units: 64 * 1024 * 1024 } as const;
/** Longer values are not shown: how long they are stands in their place. */
const LARGE = { units: 2 ** 20, items: 2 ** 16 } as const;

/** What rows are read from. */
export type RowSource = Pick<DocumentView, 'register' | 'lengthOf' | 'text' | 'items'>;

const utf8 = new TextEncoder();

export interface Row {
  readonly key: string;
  readonly kind: Kind;
  /** Key, kind and value as canonical JSON. */
  readonly text: string;
  /** Length as UTF-8. */
  readonly bytes: number;
  readonly order: Sortable | undefined;
}

/** The value of a row. */
export function valueOf({ text }: Row): Json {
  return (JSON.parse(text) as readonly [key: string, kind: Kind, value: Json])[2];
}

export class Rows {
  readonly query: Query;
  readonly #rows = new Map<string, readonly Row[]>();
  #count = 0;
  #units = 0;

  /** Goes on from other rows of the same query, which stay as they are. */
  constructor(query: Query, from?: Rows) {
    this.query = query;
    if (!from) return;
    this.#rows = new Map(from.#rows);
    this.#count = from.#count;
    this.#units = from.#units;
  }

  /** Characters of all rows. */
  get units(): number {
    return this.#units;
  }

  /**
   * Looks at a key anew; answers about how many bytes were looked at. Throws a `Rejection` when the rows are far too many:
   * some may go again.
   */
  look(key: string, view: RowSource): number {
    if (!this.query.mayTouch(key)) return 0;
    for (const row of this.#rows.get(key) ?? []) this.#tally(row, -1);
    const found = [...candidates(key, view, this.query)];
    const rows = found.flatMap((candidate) => this.#rowOf(candidate));
    if (rows.length > 0) this.#rows.set(key, rows);
    else this.#rows.delete(key);
    for (const row of rows) this.#tally(row, 1);
    this.#mustFit(2);
    return found.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** All of them, in their order. Throws a `Rejection` when the rows are too many. */
  sorted(): Row[] {
    this.#mustFit(1);
    const { query } = this;
    const rows: Row[] = [];
    for (const some of this.#rows.values()) rows.push(...some);
    rows.sort(byKey);
    if (query.isOrdered) rows.sort((a, b) => query.compare(a.order, b.order)); // ties stay as they are
    return rows;
  }

  #mustFit(times: number): void {
    if (this.#count <= ROW_BOUNDS.rows * times && this.#units <= ROW_BOUNDS.units * times) return;
    throw new Rejection('reject.query_backpressure', `a projection holds at most ${ROW_BOUNDS.rows} rows`);
  }

  #tally({ text }: Row, by: 1 | -1): void {
    this.#count += by;
    this.#units += by * text.length;
  }

  #rowOf(candidate: Candidate): Row[] {
    const { query } = this;
    if (!query.meets(candidate)) return [];
    const { key, kind } = candidate;
    const whole = canonicalJson([key, kind, query.shown(candidate.value)]);
    const text = whole.length > LARGE.units ? canonicalJson([key, kind, { $large: whole.length }]) : whole;
    return [{ key, kind, text, bytes: utf8.encode(text).length, order: query.orderOf(candidate) }];
  }
}

function byKey(a: Row, b: Row): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  return KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind);
}

function* candidates(key: string, view: RowSource, query: Query): Generator<Candidate & { readonly bytes: number }> {
  const held = query.wants('register') || query.wants('blob') ? view.register(key) : undefined;
  if (held instanceof BlobRef && query.wants('blob')) yield { key, kind: 'blob', value: held.hash, bytes: 0 };
  if (held instanceof Uint8Array && query.wants('register'))
    yield { key, kind: 'register', value: jsonOf(held), bytes: held.length };
  const units = query.wants('text') ? view.lengthOf('text', key) : undefined;
  if (units !== undefined)
    yield { key, kind: 'text', ...(units > LARGE.units ? largeOf(units) : { value: view.text(key), bytes: units }) };
  const items = query.wants('list') ? view.lengthOf('list', key) : undefined;
  if (items !== undefined) yield { key, kind: 'list', ...(items > LARGE.items ? largeOf(items) : itemsOf(key, view)) };
}

const largeOf = (length: number) => ({ value: { $large: length }, bytes: 0 });

function itemsOf(key: string, view: RowSource) {
  const items = view.items(key);
  return { value: items.map(jsonOf), bytes: items.reduce((sum, { length }) => sum + length, 0) };
}
