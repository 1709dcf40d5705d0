/**
 * GET and HEAD of a blob, of the type that it was uploaded as. The answer is a file that no browser shows or runs, whatever its
 * type, and caches may keep it for ever: other bytes
 * would have another name. The room must be linked to it now, not when the link was made.
 */
import { pipeline } from 'node:stream/promises';
import type { Store } from '@weft/core';
import type { Budgets } from './budgets.js';
import type { Exchange } from './exchange.js';
import type { Grant } from './links.js';
import { type Part, parseRange } from './range-header.js';

const HEADERS = {
  'Content-Disposition': 'attachment',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cache-Control': 'private, max-age=31536000, immutable',
  'Accept-Ranges': 'bytes',
} as const;

export async function sendBlob(exchange: Exchange, grant: Grant, store: Store, budgets: Budgets): Promise<void> {
  const { request, response } = exchange;
  const { room, hash } = grant;
  const size = (await store.blobs.isLinked(room, hash)) ? await store.blobs.size(hash) : undefined;
  if (size === undefined) return exchange.refuse(404, 'not-found', 'the room has no such blob');
  const etag = `"${hash}"`;
  const type = (await store.blobs.contentType(room, hash)) ?? 'application/octet-stream';
  const headers = { ...HEADERS, 'Content-Type': type, ETag: etag };
  if (namesTag(request.headers['if-none-match'], etag)) return void response.writeHead(304, headers).end();
  if (request.method === 'HEAD') return void response.writeHead(200, { ...headers, 'Content-Length': size }).end();

  const part = wantedPart(exchange, etag, size);
  if (part === 'unsatisfiable') {
    response.setHeader('Content-Range', `bytes */${size}`);
    return exchange.refuse(416, 'bad-range', `the blob has ${size} bytes`);
  }
  const { from, to } = part ?? { from: 0, to: size };
  const giveBack = budgets.take(grant, size, to - from);
  if (!giveBack) return exchange.refuse(429, 'link-used-up', 'this link has moved enough: ask for another');
  const content = await store.blobs.get(hash, { from, to });
  if (!content) return exchange.refuse(404, 'not-found', 'the room has no such blob');
  response.writeHead(part ? 206 : 200, {
    ...headers,
    'Content-Length': to - from,
    ...(part ? { 'Content-Range': `bytes ${from}-${to - 1}/${size}` } : {}),
  });
  await send(exchange, content.bytes, to - from, giveBack);
}

async function send(
  exchange: Exchange,
  bytes: AsyncIterable<Uint8Array>,
  length: number,
  giveBack: (unmoved: number) => void,
): Promise<void> {
  const moved = exchange.expect(length);
  let left = length;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      left -= chunk.length;
      yield chunk;
    }
  }
  try {
    await pipeline(counted, exchange.response);
  } finally {
    moved();
    giveBack(left);
  }
}

/** Byte range that was asked for; the whole blob where `If-Range` names another one. */
function wantedPart({ request }: Exchange, etag: string, size: number): Part | 'unsatisfiable' | undefined {
  const { range, 'if-range': ifRange } = request.headers;
  return ifRange === undefined || ifRange === etag ? parseRange(range, size) : undefined;
}

function namesTag(header: string | undefined, etag: string): boolean {
  return header !== undefined && header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
