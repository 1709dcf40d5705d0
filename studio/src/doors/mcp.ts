/**
 * The tools door: the same operations over the Model Context Protocol, one profile of names per endpoint.
 *
 * Each request gets a fresh protocol server, as the protocol wants; everything it serves is made once, when it is
 * first asked for, so a call costs no schema work. Both eras of the protocol (with and without a handshake) are
 * answered by the same endpoint.
 */
import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type { AuthInfo, CallToolResult } from '@modelcontextprotocol/server';
import type { Shared } from '../operations/context.js';
import type { NamedOperation } from '../operations/define.js';
import { STUDIO_VERSION } from '../version.js';
import { MAX_BODY_BYTES } from './guard.js';
import { serveReading } from './mcp-reading.js';
import { once } from './once.js';
import { type ToolCaller, boundTools, callTool, toolList } from './tools.js';

export interface ToolDoor {
  fetch(request: Request, caller: ToolCaller): Promise<Response>;
  /** Waits for calls in progress, then ends what is still open, such as subscriptions. */
  close(): Promise<void>;
}

const ONE_HOUR_MS = 3_600_000;

export function createToolDoor(
  table: readonly NamedOperation[],
  profile: 'internal' | 'external',
  shared: Shared,
): ToolDoor {
  const bound = boundTools(table, profile);
  const byName = new Map(bound.map((tool) => [tool.name, tool]));
  const tools = once(() => [...toolList(table, profile)]);
  const dispatched = once(() => [...toolList(table, 'dispatched')]);
  const calls = new Set<Promise<CallToolResult>>();

  const serve = (caller: ToolCaller): Server => {
    const server = new Server(
      { name: 'weft-studio', version: STUDIO_VERSION },
      {
        capabilities: { tools: {}, resources: {}, prompts: {} },
        cacheHints: {
          // Agents see fewer.
          'tools/list': { ttlMs: ONE_HOUR_MS, cacheScope: 'private' },
          'prompts/list': { ttlMs: ONE_HOUR_MS, cacheScope: 'public' },
          'resources/templates/list': { ttlMs: ONE_HOUR_MS, cacheScope: 'public' },
          'server/discover': { ttlMs: ONE_HOUR_MS, cacheScope: 'public' },
        },
      },
    );
    server.setRequestHandler('tools/list', () => ({ tools: caller.caller.kind === 'agent' ? dispatched() : tools() }));
    server.setRequestHandler('tools/call', async ({ params }) => {
      const tool = byName.get(params.name);
      if (tool === undefined)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `no tool is named ${params.name}`);
      const call = callTool(tool, params.arguments ?? {}, { ...caller, key: commandIdOf(params._meta) }, shared);
      calls.add(call);
      const result = await call.finally(() => calls.delete(call));
      return server.projectCallToolResult(result, tool.outputSchema);
    });
    serveReading(server, shared, caller);
    return server;
  };

  /** The protocol library hands its own kind of credentials through; ours are found again by the name of the request. */
  const callers = new Map<string, ToolCaller>();
  const callerIn = (auth: AuthInfo | undefined): ToolCaller => {
    const caller = callers.get(auth?.clientId ?? '');
    if (!caller) throw new Error('a tool request came past the guard');
    return caller;
  };
  const handler = createMcpHandler(({ authInfo }) => serve(callerIn(authInfo)), {
    maxRequestBodySize: MAX_BODY_BYTES,
    onerror: (error) =>
      shared.log({ level: 'info', message: 'a tool request was not served', profile, reason: error.message }),
  });
  return {
    fetch: async (request, caller) => {
      const { requestId } = caller;
      callers.set(requestId, caller);
      try {
        return await handler.fetch(request, { authInfo: { token: '', clientId: requestId, scopes: [] } });
      } finally {
        callers.delete(requestId);
      }
    },
    close: async () => {
      await Promise.allSettled(calls);
      // The handler drops what is not answered yet, so the calls that have just ended get a turn to be answered first.
      await new Promise((resolve) => setImmediate(resolve));
      await handler.close();
    },
  };
}

/** What names a tool call, so that it can be repeated: the protocol has no header for it. */
const COMMAND_ID = 'weft/commandId';

function commandIdOf(meta: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const id = meta?.[COMMAND_ID];
  if (id === undefined) return undefined;
  if (typeof id === 'string') return id;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${COMMAND_ID} in _meta must be a string`);
}
