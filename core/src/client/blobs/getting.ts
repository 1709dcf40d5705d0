/**
 * Blobs of a room on their way here: in a frame, or by a link, where what breaks off goes on. Loaded when the first is fetched.
 * What comes is what its name says, or its reader is told so at its end. [CL7]
 */
import { toHex } from '../../codec/bytes/bytes.js';
import { sha256Stream } from '../../codec/bytes/hash-stream.js';
import { sift } from '../../codec/sieve.js';
import { blobPack, blobRedirect } from './blob-frames.js';
import {
  type BlobLink,
  Broken,
  type GetOptions,
  MOST_ATTEMPTS,
  askAgain,
  fetchWithin,
  refused,
  transfer,
  untilWhole,
} from './blob-link.js';

const SILENCE_MS = 30_000;
/** Larger than any that a link moves. */
const MOST_BYTES = 6 * 1024 ** 3;

/** All of a blob; undefined when the room has no such one. */
export function getBlob(link: BlobLink, hash: string, options: GetOptions = {}): Promise<Uint8Array | undefined> {
  return transfer(link, options.signal, async (signal) => {
    const chunks: Uint8Array[] = [];
    const size = await fetchBlob(link, hash, signal, (chunk, bytes) => {
      chunks.push(chunk);
      options.onProgress?.(bytes);
    });
    return size === undefined ? undefined : joined(chunks, size);
  });
}

/** A blob piece by piece, none of which is held; undefined when the room has no such one. Who reads slowly holds it up. */
export async function readBlob(
  link: BlobLink,
  hash: string,
  { signal, onProgress }: GetOptions = {},
): Promise<ReadableStream<Uint8Array> | undefined> {
  const own = new AbortController();
  const abort = (): void => own.abort(signal?.reason);
  signal?.addEventListener('abort', abort);
  const pipe = new TransformStream<Uint8Array, Uint8Array>();
  const writer = pipe.writable.getWriter();
  writer.closed.catch(() => own.abort(refused('disconnected', 'nobody reads the blob any more')));
  const { promise: found, resolve: find } = once<boolean>();
  const fetched = transfer(link, own.signal, (ends) =>
    fetchBlob(link, hash, ends, async (chunk, bytes) => {
      find(true);
      await writer.write(chunk);
      onProgress?.(bytes);
    }),
  ).finally(() => signal?.removeEventListener('abort', abort));
  const ended = fetched.then(
    async (size) => {
      if (size === undefined) return find(false);
      find(true);
      await writer.close();
    },
    (error) => writer.abort(error),
  );
  ended.catch(() => undefined); // its reader has gone
  const isThere = await Promise.race([found, fetched.then((size) => size !== undefined)]);
  return isThere ? pipe.readable : undefined;
}

type Take = (chunk: Uint8Array, bytes: number) => void | Promise<void>;

/** Hands on what comes; answers how much it was, or undefined when the room has no such blob. */
async function fetchBlob(link: BlobLink, hash: string, signal: AbortSignal, take: Take): Promise<number | undefined> {
  const digest = sha256Stream();
  let at = 0;
  const taken = async (chunk: Uint8Array): Promise<void> => {
    digest.update(chunk);
    at += chunk.length;
    if (at > MOST_BYTES) throw refused('blob-refused', `what comes is larger than any blob: not ${hash}`);
    await take(chunk, at);
  };
  const isThere = await untilWhole(link, signal, { moved: () => at, most: () => MOST_ATTEMPTS }, async () => {
    const held = await ask(link, hash, signal);
    if (held instanceof Uint8Array) await taken(held.subarray(at)); // all of it, also where links have brought some
    else if (typeof held === 'string') await fetchFrom(link, { url: held, hash, from: at }, signal, taken);
    return held !== undefined;
  });
  if (!isThere && at > 0) throw refused('blob-refused', `the room has let go of blob ${hash}`);
  if (!isThere) return undefined;
  if (toHex(digest.digest()) !== hash.toLowerCase()) throw refused('blob-refused', `what came is not blob ${hash}`);
  return at;
}

/** The bytes, a link to them, or nothing. */
async function ask(link: BlobLink, hash: string, signal: AbortSignal): Promise<Uint8Array | string | undefined> {
  const answer = await askAgain(link, { type: 'blob-request', hashes: [hash] }, signal);
  if (answer.type === 'blob-redirect') return sift(blobRedirect, answer)?.redirects[0]?.url;
  const pack = sift(blobPack, answer);
  if (!pack) throw refused('out-of-step', 'the server sent an answer that cannot be read');
  if (pack.too_large.length > 0)
    throw refused('blob-too-large', `blob ${hash} does not fit a frame: start the server with --blob-addr`);
  return pack.blobs[0]?.data;
}

interface Fetched {
  readonly url: string;
  readonly hash: string;
  /** Where it goes on. */
  readonly from: number;
}

async function fetchFrom(
  link: BlobLink,
  { url, hash, from }: Fetched,
  signal: AbortSignal,
  taken: (chunk: Uint8Array) => Promise<void>,
): Promise<void> {
  const headers: Record<string, string> = from === 0 ? {} : { Range: `bytes=${from}-` };
  await fetchWithin(link, { signal, silenceMs: SILENCE_MS }, url, { headers }, async ({ status, body }, within) => {
    if (status === 404) throw refused('blob-refused', `the room has let go of blob ${hash}`);
    if (status !== 200 && status !== 206) throw new Broken(`the server answers ${status}`);
    let known = status === 206 ? 0 : from; // all of it comes again
    const reader = body?.getReader();
    while (reader) {
      const { done, value } = await within(reader.read());
      if (done) return;
      if (known < value.length) await taken(value.subarray(known));
      known = Math.max(0, known - value.length);
    }
  });
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  if (chunks.length === 1 && chunks[0]) return chunks[0];
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

function once<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}
