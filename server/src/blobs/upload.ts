/**
 * PUT of a blob: exactly the bytes that were granted, straight into the store, which hashes them on the way and keeps
 * nothing of what is not the blob. So whoever announces it later need not read it again: a blob that the store has is
 * what its name says.
 *
 * The blob is staged in the room, not readable there: that takes an announcement over the room's own socket.
 */
import { BlobError, StoreError } from '@weft/core';
import type { Budgets } from './budgets.js';
import type { Exchange } from './exchange.js';
import type { BlobLinks, Grant } from './links.js';

export async function receiveBlob(exchange: Exchange, grant: Grant, links: BlobLinks, budgets: Budgets): Promise<void> {
  const { room, hash, size, type } = grant;
  const { store, uploads } = links;
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
  exchange.letSend();
  let left = size;
  const received = exchange.expect(size);
  async function* body(): AsyncGenerator<Uint8Array> {
    // Stopping early must not cut the connection: the answer is to come over it.
    const chunks: AsyncIterable<Uint8Array> = exchange.request.iterator({ destroyOnReturn: false });
    for await (const chunk of chunks) {
      left -= chunk.length;
      yield chunk;
    }
    received();
    // What comes now is the disk's time, not the sender's.
    exchange.request.socket.setTimeout(0);
  }
  try {
    await store.blobs.put(hash, body(), size);
    if (!(await store.blobs.stage(room, hash, type)))
      throw new Error(`the blob ${hash} was deleted as soon as it was stored`);
    uploads.forget(room, hash);
    exchange.answer(201, { hash, size });
  } catch (error) {
    if (error instanceof BlobError) uploads.fail(room, hash, error.fault);
    explain(exchange, error);
  } finally {
    received();
    giveBack(left);
  }
}

function explain(exchange: Exchange, error: unknown): void {
  if (exchange.request.errored) return; // the sender is gone
  if (error instanceof BlobError) {
    return exchange.refuse(error.fault === 'too-large' ? 413 : 422, error.fault, error.message);
  }
  if (!(error instanceof StoreError) || error.fault !== 'full') throw error;
  exchange.refuse(507, 'store-full', 'the server has no room for this blob');
}
