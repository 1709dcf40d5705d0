/**
 * The leaves of a state tree: path and leaf hash, 64 bytes each, nothing else.
 *
 * Bytes are kept as they came; words are only a faster way to copy them, so the byte order of the
 * machine does not matter.
 */
import { HASH_BYTES, LEAF_BYTES, PATH_BYTES, bodyWords, nibbleAt } from './node-body.js';
import { CHUNK_MASK, CHUNK_SHIFT, SlotPool } from './slot-pool.js';

const LEAF_WORDS = LEAF_BYTES / 4;

export class LeafTable {
  readonly #pool = new SlotPool(LEAF_WORDS);

  get memory(): number {
    return this.#pool.memory;
  }

  add(paths: Uint8Array, pathAt: number, hashes: Uint8Array, hashAt: number): number {
    const leaf = this.#pool.take();
    const bytes = this.#chunkOf(leaf);
    const at = startOf(leaf);
    for (let i = 0; i < PATH_BYTES; i++) bytes[at + i] = paths[pathAt + i] as number;
    for (let i = 0; i < HASH_BYTES; i++) bytes[at + PATH_BYTES + i] = hashes[hashAt + i] as number;
    return leaf;
  }

  release(leaf: number): void {
    this.#pool.release(leaf);
  }

  hasPath(leaf: number, paths: Uint8Array, pathAt: number): boolean {
    return sameBytes(this.#chunkOf(leaf), startOf(leaf), paths, pathAt, PATH_BYTES);
  }

  nibble(leaf: number, depth: number): number {
    return nibbleAt(this.#chunkOf(leaf), startOf(leaf), depth);
  }

  /** A copy. */
  path(leaf: number): Uint8Array {
    return this.#chunkOf(leaf).slice(startOf(leaf), startOf(leaf) + PATH_BYTES);
  }

  /** A copy. */
  hash(leaf: number): Uint8Array {
    const at = startOf(leaf) + PATH_BYTES;
    return this.#chunkOf(leaf).slice(at, at + HASH_BYTES);
  }

  /** False when it holds that hash already. */
  setHash(leaf: number, hashes: Uint8Array, hashAt: number): boolean {
    const bytes = this.#chunkOf(leaf);
    const at = startOf(leaf) + PATH_BYTES;
    if (sameBytes(bytes, at, hashes, hashAt, HASH_BYTES)) return false;
    for (let i = 0; i < HASH_BYTES; i++) bytes[at + i] = hashes[hashAt + i] as number;
    return true;
  }

  /** Copies path and hash to `bodyWords[at..at + LEAF_WORDS)` and returns where they end. */
  layOut(leaf: number, at: number): number {
    const words = this.#pool.words[leaf >>> CHUNK_SHIFT] as Int32Array;
    const from = (leaf & CHUNK_MASK) * LEAF_WORDS;
    for (let i = 0; i < LEAF_WORDS; i++) bodyWords[at + i] = words[from + i] as number;
    return at + LEAF_WORDS;
  }

  #chunkOf(leaf: number): Uint8Array {
    return this.#pool.bytes[leaf >>> CHUNK_SHIFT] as Uint8Array;
  }
}

function startOf(leaf: number): number {
  return (leaf & CHUNK_MASK) * LEAF_BYTES;
}

function sameBytes(a: Uint8Array, aAt: number, b: Uint8Array, bAt: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (a[aAt + i] !== b[bAt + i]) return false;
  return true;
}
