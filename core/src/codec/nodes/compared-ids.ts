/** Comparison of ids by what refers to them, wherever their words stand. */
import { compareIdWords, equalIds } from './id-index.js';
import type { NodeTable } from './node-table.js';

export function isSameId(one: NodeTable, ref: number, other: NodeTable, otherRef: number): boolean {
  return equalIds(one.idWords(ref), one.idAt(ref), other.idWords(otherRef), other.idAt(otherRef));
}

/** Bytewise order: negative, zero or positive. */
export function compareIds(table: NodeTable, a: number, b: number): number {
  return compareIdWords(table.idWords(a), table.idAt(a), table.idWords(b), table.idAt(b));
}
