/**
 * PUT of a blob: exactly the bytes that were granted, straight into the store, which hashes them on the way and keeps
 * nothing of what is not the blob. So whoever announces it later need not read it again: a blob that the store has is
 * what its name says.
 *
 * The blob is staged in the room, not readable there: that takes an announcement over the room's own socket.
 *
 * PATCH brings it in parts, each from where the one before got to (`Upload-Offset`); HEAD of the same link says how far that is.
 */
import { BlobError, Rejection, StoreError } from '@weft/core';
import type { Budgets } from './budgets.js';
import type { Exchange } from './exchange.js';
import { type BlobLinks, type Grant, wholeNumber } from './links.js';

const OFFSET = 'Upload-Offset';

export async function receiveBlob(exchange: Exchange, grant: Grant, links: BlobLinks, budgets: Budgets): Promise<void> {
  const { room, hash, size } = grant;
  const { uploads } = links;
  const length = exchange.request.headers['content-length'];
  if (length === undefined) return exchange.refuse(411, 'length-required', 'send a Content-Length, not chunks');
  if (Number(length) > size) {
    uploads.fail(room, hash, 'too-large');
    return exchange.refuse(413, 'too-large', `this link takes ${size} bytes, not ${length}`);
  }
  if (Number(length) < size) {
    uploads.fail(room, hash, 'hash-mismatch'); // fewer bytes are other bytes
    return exchange.refuse(409, 'wrong-length', `this link takes ${size} bytes, not ${length}`);
  }
  const giveBack = budgets.take(grant, size, size);
  if (!giveBack) return exchange.refuse(429, 'link-used-up', 'this link has moved enough: ask for another');
  const body = bodyOf(exchange, size);
  try {
    await storeAs(grant, links, body.bytes());
    exchange.answer(201, { hash, size });
  } catch (error) {
    explain(exchange, error);
  } finally {
    body.end();
    giveBack(body.left);
  }
}

/** HEAD of a link for uploading: where its next part begins. Who sent the last one is taken to be gone. */
export async function sayTaken(exchange: Exchange, grant: Grant, { parts }: BlobLinks): Promise<void> {
  const upload = parts.of(grant.id);
  await upload?.pause();
  exchange.response.writeHead(204, { [OFFSET]: upload?.taken ?? 0, 'Cache-Control': 'no-store' }).end();
}

export async function receivePart(exchange: Exchange, grant: Grant, links: BlobLinks, budgets: Budgets): Promise<void> {
  const { id, hash, size } = grant;
  const { headers } = exchange.request;
  const from = wholeNumber(String(headers[OFFSET.toLowerCase()] ?? ''));
  const length = wholeNumber(headers['content-length'] ?? '');
  if (from === undefined) return exchange.refuse(400, 'bad-offset', `send an ${OFFSET}: where this part begins`);
  if (length === undefined) return exchange.refuse(411, 'length-required', 'send a Content-Length, not chunks');
  if (length === 0 || from + length > size)
    return exchange.refuse(413, 'too-large', `this link takes bytes up to ${size}, and at least one at a time`);
  await links.parts.of(id)?.pause();
  const known = links.parts.of(id);
  const taken = known?.taken ?? 0;
  exchange.response.setHeader(OFFSET, taken);
  if (from !== taken || known?.isWaiting === false)
    return exchange.refuse(409, 'wrong-offset', `the next part begins at ${taken}, not at ${from}`);
  const giveBack = budgets.take(grant, size, length);
  if (!giveBack) return exchange.refuse(429, 'link-used-up', 'this link has moved enough: ask for another');
  const upload = known ?? links.parts.begin(grant, (bytes) => storeAs(grant, links, bytes));
  const body = bodyOf(exchange, length);
  try {
    await upload.take({ bytes: body.bytes(), leave: () => void exchange.request.destroy() });
    if (!exchange.request.complete) return; // broken off, or the next sender is here; what the store refused is told below
    if (upload.taken === size) {
      await upload.stored;
      return exchange.answer(201, { hash, size });
    }
    exchange.response.setHeader(OFFSET, upload.taken).writeHead(204).end();
  } catch (error) {
    explain(exchange, error);
  } finally {
    body.end();
    giveBack(body.left);
  }
}

/** Puts the blob and stages it in the room; what is wrong with its bytes is known to who announces it. */
async function storeAs(grant: Grant, links: BlobLinks, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const { room, hash, size, type, by } = grant;
  const { store, uploads } = links;
  let leave: () => void = () => undefined;
  try {
    leave = await links.takeSpace(grant);
    await store.blobs.put(hash, bytes, size);
    if (!(await store.blobs.stage(room, hash, type, by)))
      throw new Error(`the blob ${hash} was deleted as soon as it was stored`);
  } catch (error) {
    if (error instanceof BlobError) uploads.fail(room, hash, error.fault);
    if (error instanceof Rejection) uploads.fail(room, hash, 'full');
    throw error;
  } finally {
    leave();
  }
  uploads.forget(room, hash);
}

interface Body {
  /** What of it has not come. */
  readonly left: number;
  bytes(): AsyncGenerator<Uint8Array>;
  end(): void;
}

/** Body of so many bytes, within its deadline. */
function bodyOf(exchange: Exchange, length: number): Body {
  exchange.letSend();
  let left = length;
  const end = exchange.expect(length);
  async function* bytes(): AsyncGenerator<Uint8Array> {
    // Stopping early must not cut the connection: the answer is to come over it.
    const chunks: AsyncIterable<Uint8Array> = exchange.request.iterator({ destroyOnReturn: false });
    for await (const chunk of chunks) {
      left -= chunk.length;
      yield chunk;
    }
    end();
    // What comes now is the disk's time, not the sender's.
    exchange.request.socket.setTimeout(0);
  }
  return {
    bytes,
    end,
    get left() {
      return left;
    },
  };
}

function explain(exchange: Exchange, error: unknown): void {
  if (exchange.request.errored) return; // the sender is gone
  if (error instanceof BlobError) {
    return exchange.refuse(error.fault === 'too-large' ? 413 : 422, error.fault, error.message);
  }
  if (error instanceof Rejection) return exchange.refuse(507, error.reason, error.message);
  if (!(error instanceof StoreError) || error.fault !== 'full') throw error;
  exchange.refuse(507, 'store-full', 'the server has no room for this blob');
}
