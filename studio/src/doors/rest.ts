/** The REST door: one route per declared operation that has one. */
import type { Context as HttpContext, Hono } from 'hono';
import type { Context } from '../operations/context.js';
import type { NamedOperation, Scope } from '../operations/define.js';
import { bindInput } from './bind.js';
import { readJson, requireScope } from './guard.js';

/** What the door in front leaves on each request. */
export interface Admitted {
  Variables: { requestId: string; scope: Scope };
}

export function addRestRoutes(app: Hono<Admitted>, table: readonly NamedOperation[], context: Context): void {
  for (const operation of mostSpecificFirst(table)) {
    if (operation.rest === undefined) continue;
    const path = operation.rest.path.replace(/\{([^}]*)\}/g, ':$1');
    app.on(operation.rest.method, path, (http) => answer(http, operation, context));
  }
}

async function answer(http: HttpContext<Admitted>, operation: NamedOperation, context: Context): Promise<Response> {
  requireScope(http.get('scope'), operation.scope);
  const input = bindInput(operation, {
    path: http.req.param(),
    query: new URL(http.req.url).searchParams,
    body: await readJson(http.req.raw),
  });
  const result = await operation.call(context, input);
  return http.body(JSON.stringify(result), 200, { 'content-type': 'application/json' });
}

/** The router takes the first route that fits: a literal segment must come before a key in the same place. */
function mostSpecificFirst(table: readonly NamedOperation[]): NamedOperation[] {
  const rank = (operation: NamedOperation): string => (operation.rest?.path ?? '').replace(/\{[^}]*\}/g, '\uffff');
  return table.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
}
