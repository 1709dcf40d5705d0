/**
 * The rows of a projection: what a query finds in a room at one moment. [PJ4]
 *
 * A row's value is kept as the text that the digest covers. Rows are kept by key, so that a projection that is built again
 * looks only at keys that were written since.
 */
import { BlobRef } from '../crdt/registers.js';
import { Rejection } from '../rejection.js';
import type { DocumentView } from '../room/document-view.js';
import { type Candidate, KINDS, type Kind, type Query, compareText } from './descriptor.js';
import { type Json, canonicalJson, jsonOf } from './json.js';

/** What one projection holds, at most. */
export const ROW_BOUNDS = { rows: 50_000, units: 64 * 1024 * 1024 } as const;
/** Longer values are not shown: how long they are stands in their place. */
const LARGE = { units: 2 ** 20, items: 2 ** 16 } as const;

export interface Row {
  readonly key: string;
  readonly kind: Kind;
  /** Its value, as canonical JSON. */
  readonly json: string;
  readonly order: Json | undefined;
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

  /** Characters of all values. */
  get units(): number {
    return this.#units;
  }

  /** Looks at a key anew. Throws a `Rejection` when the rows are far too many: some may go again. */
  look(key: string, view: DocumentView): void {
    if (!this.query.mayTouch(key)) return;
    for (const row of this.#rows.get(key) ?? []) this.#tally(row, -1);
    const rows = this.#found(key, view);
    if (rows.length > 0) this.#rows.set(key, rows);
    else this.#rows.delete(key);
    for (const row of rows) this.#tally(row, 1);
    this.#mustFit(2);
  }

  /** Those that are shown, in their order. Throws a `Rejection` when the rows are too many. */
  sorted(): Row[] {
    this.#mustFit(1);
    const { query } = this;
    const rows = [...this.#rows.values()].flat();
    rows.sort((a, b) => query.compare(a.order, b.order) || compareText(a.key, b.key) || kindCode(a) - kindCode(b));
    return rows.slice(0, query.limit);
  }

  #mustFit(times: number): void {
    if (this.#count <= ROW_BOUNDS.rows * times && this.#units <= ROW_BOUNDS.units * times) return;
    throw new Rejection('reject.query_backpressure', `a projection holds at most ${ROW_BOUNDS.rows} rows`);
  }

  #tally({ json }: Row, by: 1 | -1): void {
    this.#count += by;
    this.#units += by * json.length;
  }

  #found(key: string, view: DocumentView): Row[] {
    return [...candidates(key, view, this.query)].flatMap((candidate) => {
      if (!this.query.meets(candidate)) return [];
      const json = canonicalJson(this.query.shown(candidate.value));
      const shown = json.length > LARGE.units ? canonicalJson({ $large: json.length }) : json;
      return [{ key, kind: candidate.kind, json: shown, order: this.query.orderOf(candidate) }];
    });
  }
}

export function kindCode({ kind }: Pick<Row, 'kind'>): number {
  return KINDS.indexOf(kind);
}

function* candidates(key: string, view: DocumentView, query: Query): Generator<Candidate> {
  const held = query.wants('register') || query.wants('blob') ? view.register(key) : undefined;
  if (held instanceof BlobRef && query.wants('blob')) yield { key, kind: 'blob', value: held.hash };
  if (held instanceof Uint8Array && query.wants('register')) yield { key, kind: 'register', value: jsonOf(held) };
  const units = query.wants('text') ? view.lengthOf('text', key) : undefined;
  if (units !== undefined) yield { key, kind: 'text', value: units > LARGE.units ? { $large: units } : view.text(key) };
  const items = query.wants('list') ? view.lengthOf('list', key) : undefined;
  if (items !== undefined)
    yield { key, kind: 'list', value: items > LARGE.items ? { $large: items } : view.items(key).map(jsonOf) };
}
