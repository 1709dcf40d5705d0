/** Many entries in an order in which neighbours in the tree come one after the other: by the first 16 bits of paths. */
import type { Entries } from './entries.js';
import { LEAF_BYTES } from './node-body.js';

/** How many nibbles of a path that order looks at. */
export const PREFIX_NIBBLES = 4;
const PREFIXES = 1 << (PREFIX_NIBBLES * 4);

export interface Ordered {
  /** Which entry comes first, second and so on. */
  readonly order: Int32Array;
  /** Indices in that order at which each prefix begins, and the last one ends. */
  readonly starts: Int32Array;
}

/** Cost: a pass over all prefixes and two over the entries. */
export function byPrefix(entries: Entries, count: number): Ordered {
  const starts = new Int32Array(PREFIXES + 1);
  for (let entry = 0; entry < count; entry++) starts[prefixAt(entries, entry)]! += 1;
  for (let prefix = 1; prefix <= PREFIXES; prefix++) starts[prefix]! += starts[prefix - 1]!;
  const order = new Int32Array(count);
  for (let entry = count - 1; entry >= 0; entry--) {
    const prefix = prefixAt(entries, entry);
    starts[prefix]! -= 1;
    order[starts[prefix]!] = entry;
  }
  return { order, starts };
}

export function prefixAt({ bytes }: Entries, entry: number): number {
  return (bytes[entry * LEAF_BYTES]! << 8) | bytes[entry * LEAF_BYTES + 1]!;
}
