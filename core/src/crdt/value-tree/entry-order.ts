/** Order of entries: by the bytes of their keys, then by kind. As bits, no entry is the beginning of another one. [VR3] */
import { toUtf8 } from '../../codec/bytes/bytes.js';
import type { ValueKind } from '../state-leaf.js';

export const ENTRY_KINDS: readonly ValueKind[] = ['register', 'text', 'list'];

/** Place of an entry in their order; a kind of 3 is behind all that its key holds. */
export interface EntryPlace {
  readonly key: Uint8Array;
  readonly kind: number;
}

/** Bits of a byte of the key: 1, then its own. */
const BYTE_BITS = 9;

export function placeOf(key: string, kind: number): EntryPlace {
  return { key: toUtf8(key), kind };
}

export function bitAt({ key, kind }: EntryPlace, position: number): number {
  const at = Math.floor(position / BYTE_BITS);
  const bit = position % BYTE_BITS;
  if (at < key.length) return bit === 0 ? 1 : (key[at]! >> (BYTE_BITS - 1 - bit)) & 1;
  return at === key.length && bit > 0 && bit < 3 ? (kind >> (2 - bit)) & 1 : 0;
}

/** The first bit in which two places differ; -1 when they are one. */
export function firstDifference(a: EntryPlace, b: EntryPlace): number {
  const length = Math.min(a.key.length, b.key.length);
  for (let at = 0; at < length; at++) {
    const differing = a.key[at]! ^ b.key[at]!;
    if (differing !== 0) return at * BYTE_BITS + 1 + Math.clz32(differing) - 24;
  }
  if (a.key.length !== b.key.length) return length * BYTE_BITS;
  const differing = a.kind ^ b.kind;
  return differing === 0 ? -1 : length * BYTE_BITS + 1 + Math.clz32(differing) - 30;
}

/** Below zero where `a` stands before `b`. */
export function comparePlaces(a: EntryPlace, b: EntryPlace): number {
  const position = firstDifference(a, b);
  return position < 0 ? 0 : bitAt(a, position) - bitAt(b, position);
}
