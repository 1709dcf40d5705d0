/**
 * The tools door: the same operations over the Model Context Protocol, one profile of names per endpoint.
 *
 * Each request gets a fresh protocol server, as the protocol wants; everything it serves was made once, when the
 * door was built, so a call costs no schema work. Both eras of the protocol (with and without a handshake) are
 * answered by the same endpoint. Refusals are results with `isError`, in the envelope that REST errors have too.
 * An error carries no structured content: clients check that against the output schema, which describes success.
 */
import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type { AuthInfo, CallToolResult, ListToolsResult } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { Caller } from '../operations/caller.js';
import type { Shared } from '../operations/context.js';
import type { NamedOperation } from '../operations/define.js';
import { call } from './call.js';
import { CONTRACT_VERSION, STUDIO_VERSION } from '../version.js';
import { failureOf, toolError } from './errors.js';
import { MAX_BODY_BYTES } from './guard.js';
import { toolInputSchema, toolOutputSchema } from './schemas.js';
import type { ToolSchema } from './schemas.js';

/** `dispatched` is what agents see of the internal tools. */
export type ToolProfile = 'internal' | 'dispatched' | 'external';

type Tool = ListToolsResult['tools'][number];

interface BoundTool {
  readonly operation: NamedOperation;
  readonly listed: Tool;
  readonly outputSchema: ToolSchema;
  readonly result: (out: unknown) => unknown;
}

/** Who calls, as the guard found out. */
export interface ToolCaller {
  readonly caller: Caller;
  readonly requestId: string;
}

export interface ToolDoor {
  fetch(request: Request, caller: ToolCaller): Promise<Response>;
  /** Waits for calls in progress, then ends what is still open, such as subscriptions. */
  close(): Promise<void>;
}

const ONE_HOUR_MS = 3_600_000;

/** The tools of a profile as clients see them, sorted by name. */
export function toolList(table: readonly NamedOperation[], profile: ToolProfile): readonly Tool[] {
  return boundTools(table, profile).map(({ listed }) => listed);
}

export function createToolDoor(
  table: readonly NamedOperation[],
  profile: 'internal' | 'external',
  shared: Shared,
): ToolDoor {
  const bound = boundTools(table, profile);
  const byName = new Map(bound.map((tool) => [tool.listed.name, tool]));
  const tools = bound.map(({ listed }) => listed);
  const dispatched = bound.filter(({ operation }) => operation.dispatch).map(({ listed }) => listed);
  const calls = new Set<Promise<CallToolResult>>();

  const serve = (caller: ToolCaller): Server => {
    const server = new Server(
      { name: 'weft-studio', version: STUDIO_VERSION },
      {
        capabilities: { tools: {} },
        cacheHints: {
          // Agents see fewer.
          'tools/list': { ttlMs: ONE_HOUR_MS, cacheScope: 'private' },
          'server/discover': { ttlMs: ONE_HOUR_MS, cacheScope: 'public' },
        },
      },
    );
    server.setRequestHandler('tools/list', () => ({ tools: caller.caller.kind === 'agent' ? dispatched : tools }));
    server.setRequestHandler('tools/call', async ({ params }) => {
      const tool = byName.get(params.name);
      if (tool === undefined)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `no tool is named ${params.name}`);
      const call = callTool(tool, params.arguments ?? {}, { ...caller, key: commandIdOf(params._meta) }, shared);
      calls.add(call);
      const result = await call.finally(() => calls.delete(call));
      return server.projectCallToolResult(result, tool.outputSchema);
    });
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

async function callTool(
  { operation, listed, result }: BoundTool,
  input: Readonly<Record<string, unknown>>,
  { caller, requestId, key }: ToolCaller & { readonly key: string | undefined },
  shared: Shared,
): Promise<CallToolResult> {
  try {
    const { data, next } = await call(shared, operation, input, { caller, key });
    const page = next === undefined ? {} : { nextCursor: next };
    const envelope = { contractVersion: CONTRACT_VERSION, data: result(data), ...page };
    return { content: [{ type: 'text', text: JSON.stringify(envelope) }], structuredContent: envelope };
  } catch (error) {
    const envelope = toolError(listed.name, failureOf(error, requestId, shared.log));
    return { content: [{ type: 'text', text: JSON.stringify(envelope) }], isError: true };
  }
}

/** What names a tool call, so that it can be repeated: the protocol has no header for it. */
const COMMAND_ID = 'weft/commandId';

function commandIdOf(meta: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const id = meta?.[COMMAND_ID];
  if (id === undefined) return undefined;
  if (typeof id === 'string') return id;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${COMMAND_ID} in _meta must be a string`);
}

function boundTools(table: readonly NamedOperation[], profile: ToolProfile): BoundTool[] {
  const bound = table.flatMap((operation) => {
    if (profile === 'external') {
      const { external } = operation;
      return external === undefined
        ? []
        : bindTool(operation, `svcs_v1_${external.name}`, external.out, external.result);
    }
    return operation.tool === undefined || (profile === 'dispatched' && !operation.dispatch)
      ? []
      : bindTool(operation, `svc_v1_${operation.tool}`, operation.out, (out) => out);
  });
  return bound.sort((a, b) => (a.listed.name < b.listed.name ? -1 : 1));
}

function bindTool(operation: NamedOperation, name: string, out: z.ZodType, result: BoundTool['result']): BoundTool {
  const outputSchema = toolOutputSchema(out);
  const { readOnly, destructive, idempotent, openWorld } = operation.hints;
  const listed = {
    name,
    description: operation.summary,
    inputSchema: toolInputSchema(operation),
    outputSchema,
    annotations: {
      readOnlyHint: readOnly,
      destructiveHint: destructive,
      idempotentHint: idempotent,
      openWorldHint: openWorld,
    },
  };
  return { operation, listed, outputSchema, result };
}
