/** Checks and ranges that every blob store needs: check them on the way in, cut a range on the way out. Nothing is kept. */
import type { BlobHash } from '../codec/bytes/blob-hash.js';
import { toHex } from '../codec/bytes/bytes.js';
import { sha256Stream } from '../codec/bytes/hash-stream.js';
import { BlobError, type ByteRange } from '../ports/blob-store.js';

/** Passes on chunks; ends without an error only when they are what `hash` says and no more than `limit`. */
export async function* checked(
  hash: BlobHash,
  bytes: AsyncIterable<Uint8Array>,
  limit: number,
): AsyncGenerator<Uint8Array> {
  const digest = sha256Stream();
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > limit) throw new BlobError('too-large', `the blob ${hash} has more than ${limit} bytes`);
    digest.update(chunk);
    if (chunk.length > 0) yield chunk;
  }
  const found = toHex(digest.digest());
  if (found !== hash) throw new BlobError('hash-mismatch', `the bytes that came for ${hash} are ${found}`);
}

export function cutRange(range: ByteRange | undefined, size: number): { from: number; to: number } {
  const to = Math.min(Math.max(range?.to ?? size, 0), size);
  return { from: Math.min(Math.max(range?.from ?? 0, 0), to), to };
}
