/** The list of an archive's blobs: hash (32) ‖ size (8, big-endian) for each, in the order of the hashes. [AR4] */
import { type BlobHash, parseBlobHash } from '../codec/bytes/blob-hash.js';
import { ByteReader } from '../codec/bytes/byte-reader.js';
import { ByteWriter } from '../codec/bytes/byte-writer.js';
import { fromHex, toHex } from '../codec/bytes/bytes.js';
import { sha256 } from '../codec/bytes/hash.js';

const HASH_BYTES = 32;
const SIZE_BYTES = 8;

export interface BlobRow {
  readonly hash: BlobHash;
  readonly size: number;
  /** Offset at which it begins among the bytes of all. */
  readonly at: number;
}

export class BlobIndex {
  readonly bytes: Uint8Array;

  private constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  static read(bytes: Uint8Array): BlobIndex {
    return new BlobIndex(bytes);
  }

  /** An index of blobs, which come in the order of their hashes. */
  static async of(blobs: AsyncIterable<{ readonly hash: BlobHash; readonly size: number }>): Promise<BlobIndex> {
    const out = new ByteWriter(4096);
    for await (const { hash, size } of blobs) {
      out.bytes(fromHex(hash));
      out.uint(size, SIZE_BYTES);
    }
    return new BlobIndex(out.finish());
  }

  get count(): number {
    return this.bytes.length / (HASH_BYTES + SIZE_BYTES);
  }

  get total(): number {
    let total = 0;
    for (const { size } of this.rows()) total += size;
    return total;
  }

  get digest(): string {
    return toHex(sha256(this.bytes));
  }

  /** Throws a `DecodeError` where it is no index. */
  *rows(): Generator<BlobRow> {
    const input = new ByteReader(this.bytes);
    for (let at = 0; input.left > 0;) {
      const hash = parseBlobHash(toHex(input.bytes(HASH_BYTES)))!;
      const size = input.uint(SIZE_BYTES);
      yield { hash, size, at };
      at += size;
    }
  }

  get isSorted(): boolean {
    let before = '';
    for (const { hash } of this.rows()) {
      if (hash <= before) return false;
      before = hash;
    }
    return true;
  }
}
