/** What an archive holds, in its order: nodes in parts, values, the list of blobs, blobs one after the other in segments. [AR2] */
import { PACK_BOUNDS } from '../codec/packs/pack.js';
import type { Entry } from './layout.js';

/** An entry with the SHA-256 of its content. */
export interface SummedEntry extends Entry {
  readonly sha256: string;
}

export const MANIFEST = 'manifest.json';
export const SNAPSHOT = 'snapshot.pack';
export const BLOB_INDEX = 'blobs.index';
export const SEGMENT_BYTES = 256 * 1024 * 1024;
/** Bytes of a blob's row in the index: its hash, and how many bytes it has. */
const INDEX_ROW = 40;

/** Most bytes of all nodes: they are taken in at once, so all of them are in memory twice for a moment. */
export const MOST_NODES = 4 * 1024 * 1024;
export const MOST_BLOBS = 1024 * 1024;
/** What is read at once. */
const MOST_PACK = PACK_BOUNDS.inflatedBytes;
export const MOST_MANIFEST = 16 * 1024 * 1024;
const MOST_SNAPSHOT = 256 * 1024 * 1024;

export const packName = (number: number): string => `nodes/${numbered(number)}.pack`;
export const segmentName = (number: number): string => `blobs/${numbered(number)}.bin`;

function numbered(number: number): string {
  return String(number).padStart(6, '0');
}

/** What is wrong with a list of entries, if something is. */
export function faultIn(
  entries: readonly Entry[],
  { nodes, blobs }: { readonly nodes: number; readonly blobs: number },
  sizes: { readonly nodes: number; readonly blobs: number },
): string | undefined {
  const packs = entries.findIndex(({ name }) => name === SNAPSHOT);
  const segments = Math.ceil(sizes.blobs / SEGMENT_BYTES);
  if (packs < 1 || nodes > MOST_NODES || blobs > MOST_BLOBS) return 'it holds too much, or nothing';
  const names = [
    ...Array.from({ length: packs }, (_, number) => packName(number)),
    ...[SNAPSHOT, BLOB_INDEX],
    ...Array.from({ length: segments }, (_, number) => segmentName(number)),
  ];
  if (names.length !== entries.length || names.some((name, at) => name !== entries[at]!.name))
    return 'its entries have other names or another order';
  const fits = entries.every(({ name, size }, at) => {
    if (at < packs) return size <= MOST_PACK;
    if (name === SNAPSHOT) return size <= MOST_SNAPSHOT;
    if (name === BLOB_INDEX) return size === blobs * INDEX_ROW;
    return at < entries.length - 1 ? size === SEGMENT_BYTES : size === sizes.blobs - (segments - 1) * SEGMENT_BYTES;
  });
  const ofNodes = entries.slice(0, packs).reduce((sum, { size }) => sum + size, 0);
  return fits && ofNodes === sizes.nodes ? undefined : 'its entries have other sizes';
}
