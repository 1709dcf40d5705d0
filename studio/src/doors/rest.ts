/** The REST door: one route per declared operation that has one. */
import type { Context as HttpContext, Hono } from 'hono';
import type { Caller } from '../operations/caller.js';
import type { Shared } from '../operations/context.js';
import type { NamedOperation } from '../operations/define.js';
import { bindInput } from './bind.js';
import { admit, call } from './call.js';
import { readJson } from './guard.js';

/** What the door in front leaves on each request. */
export interface Admitted {
  Variables: { requestId: string; caller: Caller };
}

export function addRestRoutes(app: Hono<Admitted>, table: readonly NamedOperation[], shared: Shared): void {
  for (const operation of mostSpecificFirst(table)) {
    if (operation.rest === undefined) continue;
    const path = operation.rest.path.replace(/\{([^}]*)\}/g, ':$1');
    app.on(operation.rest.method, path, (http) => answer(http, operation, shared));
  }
}

async function answer(http: HttpContext<Admitted>, operation: NamedOperation, shared: Shared): Promise<Response> {
  const caller = http.get('caller');
  await admit(shared, operation, caller, http.req.param()); // before the body is read
  const { searchParams: query } = new URL(http.req.url);
  const input = bindInput(operation, { path: http.req.param(), query, body: await readJson(http.req.raw) });
  const key = http.req.header('idempotency-key') ?? http.req.header('x-command-id');
  const { data, next, etag } = await call(shared, operation, input, {
    caller,
    key,
    match: http.req.header('if-match'),
  });
  if (etag !== undefined) http.header('etag', etag);
  if (next !== undefined) {
    query.set('cursor', next);
    http.header('link', `<${http.req.path}?${query.toString()}>; rel="next"`);
    http.header('x-next-cursor', next);
  }
  return http.body(JSON.stringify(data), 200, { 'content-type': 'application/json' });
}

/** The router takes the first route that fits: a literal segment must come before a key in the same place. */
function mostSpecificFirst(table: readonly NamedOperation[]): NamedOperation[] {
  const rank = (operation: NamedOperation): string => (operation.rest?.path ?? '').replace(/\{[^}]*\}/g, '\uffff');
  return table.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
}
