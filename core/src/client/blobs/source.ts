/** Bytes that are read twice, to name a blob and to send it, without being held: a file is read by its slices. */
import { toHex } from '../../codec/bytes/bytes.js';
import { sha256Stream } from '../../codec/bytes/hash-stream.js';
import { type BlobSource, refused } from './blob-link.js';

/** Piece that is hashed in one task. */
const SLICE_BYTES = 1024 * 1024;
/** Bytes of a stream that are held outside of browsers, which keep such on their disk. */
const MOST_HELD_BYTES = 64 * 1024 * 1024;

/** A blob as it can be read again. A stream is kept by the browser until it was sent. */
export async function readAgain(source: BlobSource, signal: AbortSignal): Promise<Blob> {
  if (source instanceof Blob) return source;
  if (source instanceof Uint8Array) return new Blob([source as Uint8Array<ArrayBuffer>]);
  const most = 'document' in globalThis || 'importScripts' in globalThis ? Infinity : MOST_HELD_BYTES;
  let size = 0;
  let parts: Blob[] = [];
  for await (const chunk of iterable(source)) {
    signal.throwIfAborted();
    size += chunk.length;
    if (size > most)
      throw refused(
        'blob-too-large',
        `a stream of more than ${most} bytes is not held in memory here: give a Blob, such as fs.openAsBlob(path)`,
      );
    parts.push(new Blob([chunk as Uint8Array<ArrayBuffer>]));
    if (parts.length === 256) parts = [new Blob(parts)];
  }
  return new Blob(parts);
}

/** Not every browser iterates over its streams. */
async function* iterable(source: Exclude<BlobSource, Blob>): AsyncGenerator<Uint8Array> {
  if (!('getReader' in source)) return yield* source as AsyncIterable<Uint8Array>;
  const reader = source.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined); // where it has ended, or failed by itself
  }
}

/** SHA-256 of a blob; `read` is told how far it is. */
export async function nameOf(blob: Blob, signal: AbortSignal, read: (bytes: number) => void): Promise<string> {
  const digest = sha256Stream();
  for (let at = 0; at < blob.size; at += SLICE_BYTES) {
    digest.update(new Uint8Array(await blob.slice(at, at + SLICE_BYTES).arrayBuffer()));
    signal.throwIfAborted();
    read(Math.min(blob.size, at + SLICE_BYTES));
  }
  return toHex(digest.digest());
}
