/**
 * Judge of HTTP requests: an upgrade, or a refusal.
 *
 * Both transports ask here, so they agree to the byte. `GET /ws/<room>` upgrades and nothing
 * else does, but `GET /yjs/<room>` where that is asked for; there is no other route. The path must come as it was sent: decoded exactly
 * once, here, so an encoded slash is part of a (refused) room id and never a path separator.
 */
import { parseRoomId, type RoomId } from '@weft/core';

export interface RequestHead {
  readonly method: string;
  /** Path as it was sent, without the query. */
  readonly path: string;
  /** Query as it was sent, without the question mark. */
  readonly query: string;
  /** Value of a header by its lower-case name, or an empty string. */
  header(name: string): string;
}

export interface Refusal {
  readonly status: number;
  readonly phrase: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Whether a page of this origin may connect; the origin is empty where a request names none. */
export type MayConnect = (origin: string) => boolean;

/** Protocol that a connection speaks, by the route that it came, and the query that it came with. */
export interface Door {
  readonly name: 'ws' | 'yjs';
  readonly query: string;
}

export type Verdict = { readonly upgrade: RoomId; readonly door: Door } | { readonly refusal: Refusal };

/** Limit of the headers, above which the answer is 431. Not less, since cookies of other programs on the host count. */
export const HEADER_BYTES = 16 * 1024;

const ROUTE = /^\/(ws|yjs)\/([^/]*)$/;
const WEBSOCKET_KEY = /^[+/0-9A-Za-z]{22}==$/;

const notFound = refusal(
  404,
  'Not Found',
  'not found: this is a Weft room server, and its only route is ws://<host>/ws/<room>\n',
);
const notFoundBare = refusal(404, 'Not Found', '');
const badRoom = refusal(
  400,
  'Bad Request',
  'bad room id: use 1 to 128 of the characters A-Z a-z 0-9 . _ ~ -, and neither . nor ..\n',
);
const foreignOrigin = refusal(
  403,
  'Forbidden',
  'this origin may not connect: the operator lets it in with --allow-origin\n',
);
/** Refusal of a server that has been told to stop. */
export const shuttingDown = refusal(503, 'Service Unavailable', 'the server is shutting down\n').refusal;

export const upgradeRequired = refusal(
  426,
  'Upgrade Required',
  'this address speaks WebSocket: connect with ws:// or wss://\n',
  {
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
  },
);

/** `hasYjs`: whether clients of Yjs have a route. */
export function judgeRequest(head: RequestHead, mayConnect: MayConnect, hasYjs = false): Verdict {
  const method = head.method.toUpperCase();
  if (method === 'HEAD') return notFoundBare; // An answer to HEAD has no body.
  const [, route, segment] = (method === 'GET' && ROUTE.exec(head.path)) || [];
  const name = route === 'yjs' ? route : 'ws';
  if (segment === undefined || (name === 'yjs' && !hasYjs)) return notFound;
  const roomId = decodeRoomId(segment);
  if (roomId === undefined) return badRoom;
  if (!asksForWebSocket(head)) return upgradeRequired;
  return mayConnect(head.header('origin')) ? { upgrade: roomId, door: { name, query: head.query } } : foreignOrigin;
}

/** HTTP message of a refusal, for a socket that no HTTP server owns any more. */
export function renderRefusal({ status, phrase, body, headers }: Refusal): string {
  const lines = Object.entries({ ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' });
  return `HTTP/1.1 ${status} ${phrase}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}

function decodeRoomId(segment: string): RoomId | undefined {
  try {
    return parseRoomId(decodeURIComponent(segment));
  } catch {
    return undefined; // A malformed escape is a bad room id like any other; the caller answers 400.
  }
}

function asksForWebSocket(head: RequestHead): boolean {
  return (
    head.header('upgrade').toLowerCase() === 'websocket' &&
    /\bupgrade\b/i.test(head.header('connection')) &&
    head.header('sec-websocket-version') === '13' &&
    WEBSOCKET_KEY.test(head.header('sec-websocket-key'))
  );
}

function refusal(status: number, phrase: string, body: string, headers = {}): { readonly refusal: Refusal } {
  return { refusal: { status, phrase, body, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers } } };
}
