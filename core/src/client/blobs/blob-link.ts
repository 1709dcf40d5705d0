/** What moving blobs takes of a room's client: its connection of the moment, and word of when it ends. */
import type { Clock } from '../../ports/clock.js';
import type { Frame } from '../../wire/frame.js';
import type { IsAnswer } from '../connection/requests.js';

/** Bytes of a blob: all at once, a file, or a stream that is read once. */
export type BlobSource = Uint8Array | Blob | AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

/** How far a blob is that is being stored. */
export interface BlobProgress {
  /** A blob is named by its bytes: they are read through once, then sent. */
  readonly stage: 'reading' | 'sending';
  readonly bytes: number;
  readonly size: number;
}

/** How a blob is stored. */
export interface PutOptions {
  readonly onProgress?: (progress: BlobProgress) => void;
  readonly signal?: AbortSignal;
  /** Media type that it is served with by link; that of a `Blob` when absent. */
  readonly type?: string;
}

/** How a blob is fetched. */
export interface GetOptions {
  readonly onProgress?: (bytes: number) => void;
  readonly signal?: AbortSignal;
}

/** What of a room's client is asked. */
interface BlobClient {
  readonly state: string;
  readonly lastError: Error | undefined;
  onState(listener: (state: string, detail: { readonly error?: Error }) => void): () => void;
  request(frame: Frame, isAnswer?: IsAnswer): Promise<Frame>;
}

/** How blobs reach the server, over all connections of a client. */
export interface BlobLink {
  readonly clock: Clock;
  readonly client: BlobClient;
  /** Most bytes of a frame on the room's present connection. */
  frameBytes(): number;
}

/** Part of a frame that a blob may take, in base64 and with what stands beside. */
const FRAME_SHARE = 0.7;
/** Connections on which a question may go unanswered. */
const MOST_TURNS = 16;
/** Waits between attempts double from the first to the last. */
const FIRST_WAIT_MS = 250;
const LAST_WAIT_MS = 8000;
/** Attempts one after the other without a byte moved. */
export const MOST_ATTEMPTS = 8;

export const fitsFrame = (link: BlobLink, size: number): boolean => (size * 4) / 3 <= link.frameBytes() * FRAME_SHARE;

/** Refusal, as a `Rejection` is; made here, so that nothing is cut out of what a page loads at first for it. */
export function refused(reason: string, message: string, options?: ErrorOptions): Error {
  return Object.assign(new Error(message, options), { name: 'Rejection', reason });
}

/** Reason of a refusal, of whoever's; empty for any other error. */
export function reasonOf(error: unknown): string {
  return error instanceof Error && 'reason' in error ? String(error.reason) : '';
}

/** An attempt broke off: another one may do. */
export class Broken extends Error {
  override readonly name = 'Broken';
}

/** Runs a transfer that ends when the client does, or whoever asked for it ends it. */
export async function transfer<T>(
  link: BlobLink,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const ended = new AbortController();
  const abort = (): void => ended.abort(signal?.reason);
  const unlisten = link.client.onState((state, { error }) => {
    if (state === 'ended') ended.abort(error);
  });
  signal?.addEventListener('abort', abort);
  try {
    return await run(ended.signal);
  } finally {
    unlisten();
    signal?.removeEventListener('abort', abort);
  }
}

/** The promise, or the end of the transfer if that comes first. */
function unless<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    const settled = (): void => signal.removeEventListener('abort', abort);
    promise.then(resolve, reject).finally(settled);
  });
}

/** Resolves on the present connection or the next; rejects when none will follow. */
function inRoom({ client }: BlobLink): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (client.state === 'joined') resolve();
      else if (client.state === 'ended') reject(client.lastError ?? refused('disconnected', 'there is no connection'));
      else return;
      unlisten();
    };
    const unlisten = client.onState(look);
    look();
  });
}

/** Asks on the connection that there is, and again on the next one where it ends before the answer. */
export async function askAgain(link: BlobLink, frame: Frame, signal: AbortSignal, isAnswer?: IsAnswer): Promise<Frame> {
  for (let turn = 1; ; turn++) {
    await unless(signal, inRoom(link));
    try {
      return await unless(signal, link.client.request(frame, isAnswer));
    } catch (error) {
      const isLost = LOST.has(reasonOf(error));
      if (!isLost || turn === MOST_TURNS) throw error;
    }
  }
}
const LOST: ReadonlySet<string> = new Set(['disconnected', 'unreachable', 'offline']);

/** Tries until an attempt does not break off, or so many have in which nothing has `moved`. */
export async function untilWhole<T>(
  link: BlobLink,
  signal: AbortSignal,
  { moved, most }: { moved(): number; most(): number },
  attempt: () => Promise<T>,
): Promise<T> {
  for (let failed = 0; ;) {
    const before = moved();
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Broken)) throw error;
      failed = moved() > before ? 1 : failed + 1;
      if (failed >= most())
        throw refused('unreachable', `a blob could not be moved: ${error.message}`, { cause: error });
      const ms = Math.min(LAST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failed - 1));
      let cancel = (): void => undefined;
      const waited = new Promise<void>((resolve) => (cancel = link.clock.after(ms, resolve)));
      await unless(signal, waited).finally(() => cancel());
    }
  }
}

/** Waits for what the server does next; it breaks off when that takes too long. */
type Within = <T>(promise: Promise<T>) => Promise<T>;

export interface Fetching {
  readonly signal: AbortSignal;
  /** How long the server may say nothing. */
  readonly silenceMs: number;
}

/** `fetch`, which breaks off with what broke it. */
export async function fetchWithin<T>(
  { clock }: BlobLink,
  { signal, silenceMs }: Fetching,
  url: string,
  init: RequestInit,
  read: (response: Response, within: Within) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const own = new AbortController();
  const abort = (): void => own.abort(signal.reason);
  signal.addEventListener('abort', abort);
  const within: Within = (promise) => {
    const tooLong = (): void => own.abort(new Broken(`the server has said nothing for ${silenceMs / 1000} s`));
    return promise.finally(clock.after(silenceMs, tooLong));
  };
  try {
    return await read(await within(fetch(url, { ...init, signal: own.signal })), within);
  } catch (error) {
    signal.throwIfAborted();
    if (reasonOf(error) !== '' || error instanceof Broken) throw error;
    throw new Broken(`${new URL(url).origin}: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
