/**
 * The blob address: its own listener, never the one that peers use. Every use of a blob needs a link that was signed
 * for it; there is nothing to list. Pages of any origin may use a link, because a link is all that counts: no cookie,
 * no other right of the browser is involved.
 */
import { createServer, type IncomingMessage, type ServerOptions, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { StoreError, parseBlobHash, parseRoomId } from '@weft/core';
import { formatAddress } from '../address.js';
import { bindHttp } from '../http-listening.js';
import type { Log } from '../log.js';
import type { Tls } from '../tls.js';
import type { Listening } from '../transports/transport.js';
import { Budgets } from './budgets.js';
import { sendBlob } from './download.js';
import { Exchange, TIMES, type Times } from './exchange.js';
import type { BlobLinks, LinkMethod, LinkTarget } from './links.js';
import { receiveBlob, receivePart, sayTaken } from './upload.js';

const METHODS: Readonly<Record<string, LinkMethod>> = { GET: 'GET', HEAD: 'GET', PUT: 'PUT', PATCH: 'PUT' };
const ALLOWED = 'GET, HEAD, PUT, PATCH, OPTIONS';
const HEADER_BYTES = 16 * 1024;
const MOST_CONNECTIONS = 256;

const ANY_ORIGIN = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Accept-Ranges, Content-Length, Content-Range, ETag, Upload-Offset',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
} as const;
const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, HEAD, PUT, PATCH',
  'Access-Control-Allow-Headers': 'Content-Type, If-None-Match, If-Range, Range, Upload-Offset',
  'Access-Control-Max-Age': '7200',
} as const;

export interface BlobListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly links: BlobLinks;
  /** Public URL, where peers do not reach the address itself. */
  readonly url?: string | undefined;
  /** Certificate; with it, nothing but TLS is spoken. */
  readonly tls?: Tls | undefined;
  readonly log: Log;
  readonly times?: Partial<Times>;
}

export interface BlobListening extends Listening {
  readonly url: string;
  /** Changes the certificate for connections from now on. */
  renew(tls: Tls): void;
}

export async function listenBlobs(options: BlobListenerOptions): Promise<BlobListening> {
  const { host, port, links, log, tls } = options;
  const times = { ...TIMES, ...options.times };
  const budgets = new Budgets(links.clock);
  const bounds: ServerOptions = {
    headersTimeout: times.headersMs,
    // No deadline here: bodies have their own, by their length.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(times.headersMs, 5000),
    maxHeaderSize: HEADER_BYTES,
  };
  const secure = tls && createTlsServer({ ...bounds, cert: tls.cert, key: tls.key });
  const http = secure ?? createServer(bounds);
  http.timeout = times.idleMs;
  http.maxConnections = MOST_CONNECTIONS;
  const take = (waits: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    const exchange = new Exchange(request, response, times, waits);
    handle(exchange, links, budgets).catch((error: unknown) => {
      const gone = request.errored !== null || response.destroyed;
      // A peer that goes away in the middle is no fault; a disk that fails it is.
      if (gone && !(error instanceof StoreError)) return;
      log({ level: 'error', message: 'a blob could not be moved', error });
      if (response.headersSent) response.destroy();
      else exchange.refuse(500, 'failed', 'the server could not do this');
    });
  };
  http.on('request', take(false)).on('checkContinue', take(true));
  const listening = await bindHttp(http, host, port, '--blob-addr');
  const url = (options.url ?? `${tls ? 'https' : 'http'}://${formatAddress(host, listening.port)}`).replace(/\/+$/, '');
  const close = (): Promise<void> => {
    links.withdraw();
    return listening.close();
  };
  try {
    await links.pointTo(url);
  } catch (error) {
    await close();
    throw error;
  }
  return { port: listening.port, url, renew: ({ cert, key }) => secure?.setSecureContext({ cert, key }), close };
}

async function handle(exchange: Exchange, links: BlobLinks, budgets: Budgets): Promise<void> {
  const { request, response } = exchange;
  const [path = '', query = ''] = (request.url ?? '').split('?', 2);
  for (const [name, value] of Object.entries(ANY_ORIGIN)) response.setHeader(name, value);
  const target = parsePath(path);
  if (!target) return exchange.refuse(404, 'not-found', 'there is nothing here');
  if (request.method === 'OPTIONS') return void response.writeHead(204, PREFLIGHT).end();
  const method = METHODS[request.method ?? ''];
  if (!method) {
    response.setHeader('Allow', ALLOWED);
    return exchange.refuse(405, 'method-not-allowed', `use one of ${ALLOWED}`);
  }
  const params = new URLSearchParams(query);
  let judgement = links.judge({ ...target, method }, params);
  // HEAD is asked of links of both kinds.
  if (judgement === 'bad-link' && request.method === 'HEAD')
    judgement = links.judge({ ...target, method: 'PUT' }, params);
  if (judgement === 'bad-link') return exchange.refuse(403, judgement, 'this link is not one of this server');
  if (judgement === 'link-expired') return exchange.refuse(403, judgement, 'this link has expired: ask for another');
  if (judgement.method === 'GET') return sendBlob(exchange, judgement, links.store, budgets);
  if (request.method === 'HEAD') return sayTaken(exchange, judgement, links);
  return request.method === 'PATCH'
    ? receivePart(exchange, judgement, links, budgets)
    : receiveBlob(exchange, judgement, links, budgets);
}

function parsePath(path: string): Omit<LinkTarget, 'method'> | undefined {
  const [, roomText = '', hashText = ''] = /^\/blobs\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
  const [room, hash] = [parseRoomId(roomText), parseBlobHash(hashText)];
  return room && hash && { room, hash };
}
