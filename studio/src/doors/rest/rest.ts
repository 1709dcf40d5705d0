/** The REST door: one route per declared operation that has one. */
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context as HttpContext, Hono } from 'hono';
import type { Caller } from '../../operations/kernel/caller.js';
import type { OperationParts } from '../../operations/kernel/context.js';
import type { Follow, NamedOperation } from '../../operations/kernel/define.js';
import { jsonToSend } from '../../operations/kernel/long-results.js';
import { bindInput } from './bind.js';
import { call, follow } from '../entry/call.js';
import type { EventStreams } from '../events/event-streams.js';
import { bodyOf } from '../entry/body.js';
import type { Guard } from '../entry/guard.js';

/** What the door in front leaves on each request. */
export interface Admitted {
  Variables: { requestId: string; caller: Caller };
  Bindings: Connection;
}

/** Node's connection. Bodies are read from it, and what goes on answering is written to it: web streams cost more than the rest of a door. */
export interface Connection {
  readonly incoming?: IncomingMessage | Http2ServerRequest;
  readonly outgoing?: ServerResponse | Http2ServerResponse;
}

export interface RestParts {
  readonly table: readonly NamedOperation[];
  readonly shared: OperationParts;
  readonly streams: EventStreams;
  readonly guard: Guard;
}

const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
};

export function addRestRoutes(app: Hono<Admitted>, { table, shared, streams, guard }: RestParts): void {
  for (const operation of mostSpecificFirst(table)) {
    if (operation.rest === undefined) continue;
    const path = operation.rest.path.replace(/\{([^}]*)\}/g, ':$1');
    app.on(operation.rest.method, path, async (http) => {
      if (!operation.follow) return answer(http, operation, shared);
      const wanted = await followed(http, operation, shared);
      const headers = { ...STREAM_HEADERS, 'x-request-id': http.get('requestId') };
      if (http.req.method === 'HEAD') return http.body(null, 200, headers);
      const { outgoing } = http.env;
      if (!outgoing) throw new Error('events are followed over a connection of node');
      outgoing.writeHead(200, headers);
      streams.open(outgoing, wanted, guard.watch(http.req.raw));
      return RESPONSE_ALREADY_SENT;
    });
  }
}

function followed(http: HttpContext<Admitted>, operation: NamedOperation, shared: OperationParts): Promise<Follow> {
  const { searchParams: query } = new URL(http.req.url);
  // A browser that comes back asks the same URL, and says here how far it has come.
  const last = http.req.header('last-event-id');
  if (last !== undefined && last !== '') query.set('after', last);
  const path = http.req.param();
  return follow(shared, operation, {
    caller: http.get('caller'),
    about: path,
    bind: () => bindInput(operation, { path, query, body: undefined }),
  });
}

async function answer(
  http: HttpContext<Admitted>,
  operation: NamedOperation,
  shared: OperationParts,
): Promise<Response> {
  const { searchParams: query } = new URL(http.req.url);
  const path = http.req.param();
  const { data, next, etag } = await call(shared, operation, {
    caller: http.get('caller'),
    about: path,
    bind: async () => bindInput(operation, { path, query, body: await bodyOf(http.req.raw, http.env.incoming) }),
    key: http.req.header('idempotency-key') ?? http.req.header('x-command-id'),
    match: http.req.header('if-match'),
  });
  if (etag !== undefined) http.header('etag', etag);
  if (next !== undefined) {
    query.set('cursor', next);
    http.header('link', `<${http.req.path}?${query.toString()}>; rel="next"`);
    http.header('x-next-cursor', next);
  }
  return http.body(await jsonToSend(data), 200, { 'content-type': 'application/json' });
}

/** The router takes the first route that fits: a literal segment must come before a key in the same place. */
function mostSpecificFirst(table: readonly NamedOperation[]): NamedOperation[] {
  const rank = (operation: NamedOperation): string => (operation.rest?.path ?? '').replace(/\{[^}]*\}/g, '\uffff');
  return table.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
}
