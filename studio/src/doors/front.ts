/**
 * Front: all doors behind one guard, as one web-standard application.
 *
 * Every request gets an id that its answer, its error and the log share. Outside the table stand only what describes the table
 * and what says that the host is alive.
 */
import { randomBytes } from 'node:crypto';
import { RequestError } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context as HttpContext, Hono } from 'hono';
import { SCOPES } from '../operations/kernel/caller.js';
import type { Speech } from '../operations/kernel/speech.js';
import type { OperationParts } from '../operations/kernel/context.js';
import type { NamedOperation } from '../operations/kernel/define.js';
import { isReason, refusal } from '../reasons.js';
import { CONTRACT_VERSION, STUDIO_VERSION } from '../version.js';
import { failureOf, restError } from './entry/errors.js';
import { REST_BODY, TOOL_BODY, bodyOf } from './entry/body.js';
import { checkBody } from './entry/guard.js';
import type { Guard } from './entry/guard.js';
import { faceFile, isOfFace } from './face/face-files.js';
import type { Pages } from './face/pages.js';
import { type RoomsDoor, addRoomRoutes } from './rest/rooms.js';
import { HOOK_PATH, heedHook } from './webhooks/forge-hooks.js';
import { DOCS_PAGE } from './docs/docs-page.js';
import { EventStreams, type StreamLimits } from './events/event-streams.js';
import { LateToolDoors } from './tools/late-tool-doors.js';
import type { Offer, ToolCaller, Visitor } from './tools/offer.js';
import type { ToolDoors } from './tools/tool-doors.js';
import { once } from './entry/once.js';
import { openApiDocument } from './docs/openapi.js';
import { type RateLimit, RateLimiter } from './entry/rate-limit.js';
import { addRestRoutes } from './rest/rest.js';
import type { Admitted, Connection } from './rest/rest.js';
import type { ToolSessionLimits } from './tools/tool-sessions.js';

export interface Front {
  readonly fetch: (request: Request, connection?: Connection) => Response | Promise<Response>;
  /** Answer to a request that cannot be parsed, such as one for a malformed host. */
  readonly unreadable: (error: unknown) => Response;
  /** Drains: from now on every request is answered with 503. */
  drain(): void;
  close(): Promise<void>;
}

/** Public paths: they tell nothing that the open port does not. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/studio', '/studio/health', '/studio/docs', '/studio/openapi.json']);
/** Reads that a page may have with the answer that lets it in, which spares it another way there and back. */
const FIRST_READS = ['/studio/attention', '/studio/agents'] as const;
/** Path that takes a one-time code, which is its own proof. */
const CODE_PATH = /^\/studio\/codes\/[0-9a-f]+$/;

const LINKS = {
  health: '/studio/health',
  docs: '/studio/docs',
  openapi: '/studio/openapi.json',
  tools: '/mcp',
  internalTools: '/mcp/internal',
} as const;

const NOT_JSON = Symbol('not JSON');
/** Tools of one agent: those that its token names, of its unit alone. */
export const AGENT_TOOLS = '/mcp/agent';
const TOOL_PATHS: ReadonlySet<string> = new Set([LINKS.tools, LINKS.internalTools, AGENT_TOOLS]);

export interface FrontParts {
  readonly table: readonly NamedOperation[];
  /** Tools that only agents have, for programs that work as agents. Default: none. */
  readonly agentTable?: readonly NamedOperation[];
  readonly shared: OperationParts;
  readonly guard: Guard;
  readonly limit: RateLimit;
  /** Pages that links let in. Absent: there are no links. */
  readonly pages?: Pages;
  /** Where agents are heard while they speak. Absent: nothing of it is streamed. */
  readonly speech?: Speech | undefined;
  readonly limits?: StreamLimits | undefined;
  readonly toolSessionLimits?: Partial<ToolSessionLimits> | undefined;
  /** Words of an operator of rooms, where this process has them. */
  readonly rooms?: RoomsDoor | undefined;
  /** Tools offered to outside programs. Default: the external tools of the table. */
  readonly outside?: (caller: ToolCaller) => Offer;
}

export function createFront({ table, shared, guard, limit, limits, toolSessionLimits, ...given }: FrontParts): Front {
  const app = new Hono<Admitted>();
  const { outside, pages, rooms, agentTable = [], speech } = given;
  const tools = new LateToolDoors({ table, agentTable, shared, limits: toolSessionLimits, outside });
  const openApi = once(() => JSON.stringify(openApiDocument(table)));
  const streams = new EventStreams(shared.ledger.feed, { ...limits, speech });
  const limiter = new RateLimiter(limit);
  let draining = false;

  const { tracing } = shared;
  if (tracing) {
    app.use(async (http, next) => {
      const { headers, method } = http.req.raw;
      // Paths are not told: some hold a code that lets its bearer in.
      const span = tracing.begin(
        'weft.request',
        { 'http.request.method': method },
        tracing.remote(headers.get('traceparent') ?? ''),
      );
      await tracing.within(span, next).finally(() => {
        const { status } = http.res;
        span.end({ 'http.response.status_code': status }, status >= 500 ? String(status) : undefined);
      });
    });
  }
  app.use(async (http, next) => {
    const requestId = newRequestId();
    http.set('requestId', requestId);
    http.header('x-request-id', requestId);
    if (draining) throw refusal('reject.stopping', 'the host is shutting down');
    guard.checkOrigin(http.req.raw);
    if (HOOK_PATH.test(http.req.path)) {
      if (limiter.take('notices of forges') > 0) throw refusal('reject.rate_limited', 'too many notices were sent');
    } else if (!isOpen(http.req)) {
      const caller = guard.authenticate(http.req.raw);
      http.set('caller', caller);
      const missing = limiter.take(caller.name);
      if (missing > 0) {
        http.header('retry-after', String(Math.ceil(missing / 1000)));
        throw refusal('reject.rate_limited', `${caller.name} has sent too many requests`, { retryAfterMs: missing });
      }
      checkBody(http.req.raw, TOOL_PATHS.has(http.req.path) ? TOOL_BODY.bytes : REST_BODY.bytes);
    }
    await next();
    // A kept-alive connection would hold up a server that has stopped listening.
    if (draining && http.res !== RESPONSE_ALREADY_SENT) http.header('connection', 'close');
  });

  app.use(async (http, next) => {
    if (!isOfFace(http.req.path)) return next();
    if (http.req.method !== 'GET' && http.req.method !== 'HEAD') return next();
    return faceFile(http.req.raw, http.req.path);
  });
  if (pages) addPageRoutes(app, pages);
  if (rooms) addRoomRoutes(app, rooms);
  app.post('/studio/hooks/:repositoryId', async (http) =>
    http.json(await heedHook(shared.forges(), http.req.param('repositoryId'), http.req.raw, http.env.incoming)),
  );
  app.get('/studio', (http) => http.json({ name: 'Weft Studio', version: STUDIO_VERSION, links: LINKS }));
  app.get(LINKS.health, (http) =>
    http.json({ ok: true, contractVersion: CONTRACT_VERSION, programs: shared.programs.confined.kind }),
  );
  app.get(LINKS.docs, (http) => http.html(DOCS_PAGE.html, 200, { 'content-security-policy': DOCS_PAGE.policy }));
  app.get(LINKS.openapi, (http) => http.body(openApi(), 200, { 'content-type': 'application/json' }));
  addRestRoutes(app, { table, shared, streams, guard });
  const visitor = ({ caller, requestId }: Admitted['Variables'], request: Request): Visitor => {
    return { caller, requestId, token: guard.digest(request), watch: () => guard.watch(request) };
  };
  const served = async (door: keyof ToolDoors, http: HttpContext<Admitted>): Promise<Response> => {
    const request = http.req.raw;
    const body = await bodyOf(request, http.env.incoming, TOOL_BODY).catch((error: unknown) => {
      if (isReason(error, 'reject.invalid_input')) return NOT_JSON;
      throw error;
    });
    return body === NOT_JSON ? notJson() : tools.fetch(door, request, body, visitor(http.var, request));
  };
  app.all(LINKS.tools, (http) => served('external', http));
  app.all(LINKS.internalTools, (http) => {
    if (!http.get('caller').internal) throw refusal('reject.scope_missing', 'this needs a token of scope internal');
    return served('internal', http);
  });
  app.all(AGENT_TOOLS, (http) => {
    const { kind, workUnitId } = http.get('caller');
    if (kind !== 'agent' || workUnitId === undefined)
      throw refusal('reject.scope_missing', 'this needs a token that an agent was given for its work unit');
    return served('ofAgents', http);
  });

  app.notFound((http) => {
    throw refusal('reject.route_not_found', `no operation answers ${http.req.method} ${http.req.path}`);
  });
  app.onError((error, http) => {
    const failure = failureOf(error, http.get('requestId'), shared.log);
    if (failure.status === 401) http.header('www-authenticate', 'Bearer realm="weft-studio"');
    return http.body(JSON.stringify(restError(failure)), failure.status, { 'content-type': 'application/json' });
  });

  return {
    fetch: (request, connection) => app.fetch(request, connection ?? {}),
    unreadable: (error) => {
      const why = error instanceof RequestError ? refusal('reject.invalid_input', error.message) : error;
      const failure = failureOf(why, newRequestId(), shared.log);
      return Response.json(restError(failure), { status: failure.status });
    },
    drain: () => {
      draining = true;
      streams.close();
    },
    close: async () => {
      await tools.close();
    },
  };
}

/** Whether a request needs no token: what it asks for is the same for all, or it carries a proof of its own. */
function isOpen({ path, method }: { readonly path: string; readonly method: string }): boolean {
  return OPEN_PATHS.has(path) || isOfFace(path) || (method === 'POST' && CODE_PATH.test(path));
}

/** Links to the page: made by whoever has a token, used up by the page that they open, which can leave again. */
function addPageRoutes(app: Hono<Admitted>, pages: Pages): void {
  app.post('/studio/codes', (http) => {
    const wanted = http.req.query('scope');
    const scope = SCOPES.find((one) => one === wanted);
    if (wanted !== undefined && scope === undefined)
      throw refusal('reject.invalid_input', `scope: must be one of ${SCOPES.join(', ')}`);
    return http.json({ code: pages.issue(http.get('caller'), scope) }, 200, { 'cache-control': 'no-store' });
  });
  app.post('/studio/codes/:code', async (http) => {
    const { cookie, body } = await pages.enter(http.req.param('code'), http.req.raw);
    const paths = FIRST_READS.filter((path) => http.req.queries('read')?.includes(path));
    const headers = {
      host: http.req.header('host') ?? '',
      cookie: cookie.slice(0, cookie.indexOf(';')),
      'x-weft-page': body.page,
    };
    const reads: Record<string, string> = {};
    for (const path of paths) {
      const answer = await app.fetch(new Request(new URL(path, http.req.url), { headers }), {});
      if (answer.ok) reads[path] = await answer.text();
    }
    const answered = paths.length === 0 ? body : { ...body, reads };
    return http.json(answered, 200, { 'cache-control': 'no-store', 'set-cookie': cookie });
  });
  app.delete('/studio/page', async (http) => {
    const cookie = await pages.leave(http.get('caller'), http.req.raw);
    return http.body(null, 204, { 'set-cookie': cookie });
  });
}

/** Answer of the tools' protocol to a body that is no JSON. */
function notJson(): Response {
  const error = { code: -32700, message: 'Parse error: the body is not valid JSON in UTF-8' };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 400 });
}

function newRequestId(): string {
  return `req-${randomBytes(8).toString('hex')}`;
}
