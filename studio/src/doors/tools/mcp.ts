/**
 * MCP endpoint: the tools door over the Model Context Protocol.
 *
 * Both eras of the protocol (with and without a handshake) are answered by the same endpoint. A request without a handshake
 * gets a fresh protocol server, as the protocol wants; a handshake opens a session. A client of the older revisions that names
 * no session is answered all the same, request by request.
 */
import {
  type AuthInfo,
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  type McpRequestContext,
  ProtocolError,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { StudioLog } from '../../log.js';
import { TOOL_BODY } from '../entry/body.js';
import type { Offer, ToolCaller, Visitor } from './offer.js';
import { OpenStreams } from './open-streams.js';
import { refusedHeaders } from './param-headers.js';
import type { ResourceChanges } from './resource-changes.js';
import { takesTasks, tasksMissing } from './tasks.js';
import { type Subscribed, readable, refuse, toolServer } from './tool-server.js';
import { type ToolSessionLimits, ToolSessions } from './tool-sessions.js';

export interface ToolDoor {
  /** Serves a request, whose body was read. */
  fetch(request: Request, parsedBody: unknown, visitor: Visitor): Promise<Response>;
  /** Graceful shutdown: waits for calls in progress, then ends what is still open, such as sessions. */
  close(): Promise<void>;
}

export interface ToolDoorParts {
  readonly offerTo: (caller: ToolCaller) => Offer;
  readonly changes: ResourceChanges;
  readonly limits: ToolSessionLimits;
  readonly log: StudioLog;
}

export function createToolDoor({ offerTo, changes, limits, log }: ToolDoorParts): ToolDoor {
  const calls = new Set<Promise<unknown>>();
  const ending = new AbortController();
  /** The protocol library passes its own credentials through; ours are found again by them. */
  const visitors = new WeakMap<AuthInfo, Visitor>();
  const offerFor = ({ authInfo }: { readonly authInfo?: AuthInfo } = {}): Offer => {
    const visitor = authInfo && visitors.get(authInfo);
    if (!visitor) throw new Error('a tool request came past the guard');
    return offerTo(visitor);
  };
  const reportError = (error: Error): void =>
    log({ level: 'info', message: 'a tool request was not served', about: { reason: error.message } });
  const serve = ({ subscribed, hasTasks = false }: { subscribed?: Subscribed; hasTasks?: boolean } = {}): Server =>
    toolServer({
      hasTasks,
      offerFor: ({ http }: ServerContext) => offerFor(http),
      calls,
      ending: ending.signal,
      ...(subscribed === undefined ? {} : { subscribed }),
    });
  const sessions = new ToolSessions({ limits, changes, serve: (subscribed) => serve({ subscribed }) });
  const listening = new OpenStreams(limits);
  const tasksFor = ({ era, authInfo }: McpRequestContext): boolean =>
    era === 'modern' && authInfo !== undefined && offerFor({ authInfo }).task !== undefined;
  const handler = createMcpHandler((asked) => serve({ hasTasks: tasksFor(asked) }), {
    maxRequestBodySize: TOOL_BODY.bytes,
    onerror: reportError,
    bus: {
      publish: () => undefined,
      subscribe: (listener) =>
        changes.listen((changed) => {
          for (const uri of changed) listener({ kind: 'resource_updated', uri });
        }),
    },
  });
  return {
    fetch: async (request, parsedBody, visitor) => {
      const authInfo: AuthInfo = { token: '', clientId: visitor.requestId, scopes: [] };
      visitors.set(authInfo, visitor);
      // Without a handshake the method stands in a header.
      const method = request.headers.get('mcp-method');
      const options = parsedBody === undefined ? { authInfo } : { authInfo, parsedBody };
      if (method === LISTEN) {
        listening.refuseMore(visitor.token);
        const refused = refusedListening(parsedBody, offerTo(visitor), limits);
        if (refused) return refused;
        const response = await handler.fetch(request, options);
        return listening.pass(response, { countedAs: visitor.token, isAllowed: visitor.watch() });
      }
      if (method === CALL) {
        const refused = refusedCall(parsedBody, offerTo(visitor), request.headers);
        if (refused) return refused;
      }
      const id = request.headers.get('mcp-session-id');
      if (method === null && id !== null) return sessions.serve(id, { request, visitor, authInfo, parsedBody });
      if (isInitializeRequest(parsedBody) && (await isLegacyRequest(request, parsedBody)))
        return sessions.open({ request, visitor, authInfo, parsedBody });
      return handler.fetch(request, options);
    },
    close: async () => {
      ending.abort();
      sessions.quiet();
      await Promise.allSettled(calls);
      // The handler drops what is not answered yet, so calls that have just ended get a turn of the event loop first.
      await new Promise((resolve) => setImmediate(resolve));
      await Promise.all([handler.close(), sessions.close()]);
    },
  };
}

const LISTEN = 'subscriptions/listen';
const CALL = 'tools/call';

const listenRequest = z.object({
  id: z.union([z.string(), z.number()]),
  params: z.object({
    notifications: z.object({
      resourceSubscriptions: z.array(z.string()).default([]),
      taskIds: z.array(z.string()).optional(),
    }),
    _meta: z
      .looseObject({ [CLIENT_CAPABILITIES_META_KEY]: z.looseObject({ extensions: z.looseObject({}) }) })
      .optional()
      .catch(undefined),
  }),
});

const toolCall = z.object({
  id: z.union([z.string(), z.number()]),
  params: z.object({ name: z.string(), arguments: z.looseObject({}).optional() }),
});

/** Refusal of a call whose headers do not say what its arguments are. */
function refusedCall(body: unknown, offer: Offer, headers: Headers): Response | undefined {
  const { data } = toolCall.safeParse(body);
  const tool = data && offer.tools.find(({ name }) => name === data.params.name);
  return tool && refusedHeaders(data.id, tool, data.params.arguments, headers);
}

/** Refusal of subscriptions to addresses that are not ours, which the protocol library would accept. */
function refusedListening(body: unknown, offer: Offer, { mostSubscribed }: ToolSessionLimits): Response | undefined {
  const { data } = listenRequest.safeParse(body);
  if (!data) return undefined;
  const { notifications, _meta } = data.params;
  const uris = notifications.resourceSubscriptions;
  try {
    if (uris.length > mostSubscribed) refuse(`one is told of the changes of at most ${mostSubscribed} resources`);
    for (const uri of uris) readable(offer, uri);
    if (notifications.taskIds && !takesTasks(_meta?.[CLIENT_CAPABILITIES_META_KEY])) throw tasksMissing();
    return undefined;
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const { code, message, data: about } = error;
    return Response.json({ jsonrpc: '2.0', id: data.id, error: { code, message, data: about } });
  }
}
