/**
 * The tools door: what is offered, over the Model Context Protocol.
 *
 * Each request gets a fresh protocol server, as the protocol wants; everything it serves is made once, when it is first
 * asked for, so a call costs no schema work. Both eras of the protocol (with and without a handshake) are answered by the
 * same endpoint.
 */
import {
  createMcpHandler,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
} from '@modelcontextprotocol/server';
import type { AuthInfo } from '@modelcontextprotocol/server';
import type { StudioLog } from '../log.js';
import { STUDIO_VERSION } from '../version.js';
import { MAX_BODY_BYTES } from './guard.js';
import type { Offer, ToolCaller } from './offer.js';

export interface ToolDoor {
  fetch(request: Request, caller: ToolCaller): Promise<Response>;
  /** Waits for calls in progress, then ends what is still open, such as subscriptions. */
  close(): Promise<void>;
}

const ONE_HOUR_MS = 3_600_000;
/** That the protocol lets an answer hold. */
const MOST_COMPLETIONS = 100;

export function createToolDoor(offerTo: (caller: ToolCaller) => Offer, log: StudioLog): ToolDoor {
  const calls = new Set<Promise<unknown>>();

  const serve = (offer: Offer): Server => {
    const server = new Server(
      { name: 'weft-studio', version: STUDIO_VERSION },
      {
        capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
        cacheHints: {
          // Agents see fewer.
          'tools/list': { ttlMs: ONE_HOUR_MS, cacheScope: 'private' },
          'prompts/list': { ttlMs: ONE_HOUR_MS, cacheScope: 'public' },
          'resources/templates/list': { ttlMs: ONE_HOUR_MS, cacheScope: 'public' },
          'server/discover': { ttlMs: ONE_HOUR_MS, cacheScope: 'public' },
        },
      },
    );
    server.setRequestHandler('tools/list', () => ({ tools: [...offer.tools] }));
    server.setRequestHandler('tools/call', async ({ params }, during) => {
      const tool = offer.tool(params.name) ?? refuse(`no tool is named ${params.name}`);
      const call = tool.call(params.arguments ?? {}, commandIdOf(params._meta), during);
      calls.add(call);
      const result = await call.finally(() => calls.delete(call));
      return isInputRequiredResult(result) ? result : server.projectCallToolResult(result, tool.outputSchema);
    });
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: offer.templates }));
    server.setRequestHandler('resources/list', () => ({ resources: offer.resources() }));
    server.setRequestHandler('resources/read', ({ params: { uri } }) => {
      const found = offer.read(uri);
      if (found) return found;
      throw new ResourceNotFoundError(uri);
    });
    server.setRequestHandler('prompts/list', () => ({
      prompts: offer.prompts.map(({ get: _get, ...shown }) => shown),
    }));
    server.setRequestHandler('prompts/get', ({ params: { name, arguments: given = {} } }, during) => {
      const prompt = offer.prompts.find((one) => one.name === name) ?? refuse(`no prompt is named ${name}`);
      const missing = prompt.arguments?.find((one) => one.required === true && (given[one.name] ?? '') === '');
      return missing ? refuse(`${name} needs ${missing.name}`) : prompt.get(given, during);
    });
    server.setRequestHandler('completion/complete', ({ params: { argument } }) => {
      const all = offer.completions(argument.name, argument.value);
      const values = all.slice(0, MOST_COMPLETIONS);
      return { completion: { values, total: all.length, hasMore: all.length > values.length } };
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
  const handler = createMcpHandler(({ authInfo }) => serve(offerTo(callerIn(authInfo))), {
    maxRequestBodySize: MAX_BODY_BYTES,
    onerror: (error) =>
      log({ level: 'info', message: 'a tool request was not served', about: { reason: error.message } }),
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
  if (id === undefined || typeof id === 'string') return id;
  return refuse(`${COMMAND_ID} in _meta must be a string`);
}

function refuse(message: string): never {
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
