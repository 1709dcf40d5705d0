/** The rows of a query over entries that were proved: what a projection of that moment must say, worked out by who trusts no server. [VR7] */
import { toHex } from '../codec/bytes/bytes.js';
import type { Json } from '../codec/bytes/canonical-json.js';
import { BlobRef } from '../crdt/registers.js';
import type { ProvenEntry } from '../crdt/value-tree/verify-values.js';
import { type Kind, Query } from './descriptor.js';
import { digestOf } from './digest.js';
import { type RowSource, Rows, valueOf } from './rows.js';

export interface ProvenRow {
  readonly k: string;
  readonly kind: Kind;
  readonly v: Json;
}

/**
 * Rows in their order, and their digest (PJ5). `entries`: all that stands under the query's prefix, of all pages. Undefined where one of
 * them was too long to be told.
 */
export async function rowsOfEntries(
  descriptor: unknown,
  entries: readonly ProvenEntry[],
): Promise<{ readonly rows: readonly ProvenRow[]; readonly digest: string } | undefined> {
  if (entries.some(({ shown }) => shown === undefined)) return undefined;
  const query = Query.of(descriptor);
  const rows = new Rows(query);
  const source = sourceOf(entries);
  for (const key of new Set(entries.map((entry) => entry.key))) rows.look(key, source);
  const shown = rows.sorted().slice(0, query.limit);
  return { rows: shown.map((row) => ({ k: row.key, kind: row.kind, v: valueOf(row) })), digest: await digestOf(shown) };
}

function sourceOf(entries: readonly ProvenEntry[]): RowSource {
  const held = new Map(entries.map(({ key, kind, shown }) => [`${kind} ${key}`, shown] as const));
  const text = (key: string): string => {
    const shown = held.get(`text ${key}`);
    return shown?.form === 'text' ? shown.text : '';
  };
  const items = (key: string): readonly Uint8Array[] => {
    const shown = held.get(`list ${key}`);
    return shown?.form === 'list' ? shown.items : [];
  };
  return {
    register(key) {
      const shown = held.get(`register ${key}`);
      if (shown?.form === 'blob') return new BlobRef(toHex(shown.hash));
      return shown?.form === 'bytes' ? shown.bytes : undefined;
    },
    lengthOf: (kind, key) =>
      held.has(`${kind} ${key}`) ? (kind === 'text' ? text(key) : items(key)).length : undefined,
    text,
    items,
  };
}
