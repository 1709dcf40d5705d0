/** MCP server for one offer. Lists and schemas are made once, when they are first asked for, so a call costs no schema work. */
import {
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { STUDIO_VERSION } from '../../version.js';
import type { Offer } from './offer.js';
import { type OfferedTask, TASKS, isTaskCreated, requireTasks, shownTask } from './tasks.js';

export interface ToolServerParts {
  /** Offer for the sender of a request: a session may see its caller's rights change. */
  readonly offerFor: (during: ServerContext) => Offer;
  readonly calls: Set<Promise<unknown>>;
  /** Aborted when nobody can be asked anything any more. */
  readonly ending: AbortSignal;
  /** Resource subscriptions of the client; only one with a session has any. */
  readonly subscribed?: Subscribed;
  /** Whether tasks are served: in the revision of 2026-07-28, where there may be any. */
  readonly hasTasks?: boolean;
}

export interface Subscribed {
  add(uri: string): void;
  delete(uri: string): void;
}

/** What a model is told that is given these tools. */
const INSTRUCTIONS = [
  'Weft Studio has coding agents work on goals in git repositories, and lands what a person has approved.',
  'The usual order: list the repositories, or register one by its absolute path; run a goal with its repositoryId; ask for its status from time to time.',
  'The status says what waits for a person: questions to answer, proposals to review, failures to recover from, keys that are missing.',
  'Show a person what a proposal changes before you approve or apply it. A refusal names its code and what to do next.',
].join(' ');

const ONE_HOUR_MS = 3_600_000;
/** Limit of the protocol. */
const MOST_COMPLETIONS = 100;

export function toolServer({ offerFor, calls, ending, subscribed, hasTasks = false }: ToolServerParts): Server {
  const server = new Server(
    { name: 'weft-studio', title: 'Weft Studio', version: STUDIO_VERSION },
    {
      instructions: INSTRUCTIONS,
      capabilities: {
        tools: {},
        resources: { subscribe: true },
        prompts: {},
        completions: {},
        logging: {},
        ...(hasTasks ? { extensions: { [TASKS]: {} } } : {}),
      },
      cacheHints: {
        // Private, because agents see fewer tools.
        'tools/list': { ttlMs: ONE_HOUR_MS, cacheScope: 'private' },
        'prompts/list': { ttlMs: ONE_HOUR_MS, cacheScope: 'public' },
        'resources/templates/list': { ttlMs: ONE_HOUR_MS, cacheScope: 'public' },
        'server/discover': { ttlMs: ONE_HOUR_MS, cacheScope: 'public' },
      },
    },
  );
  server.setRequestHandler('tools/list', (_request, during) => ({ tools: [...offerFor(during).tools] }));
  server.setRequestHandler('tools/call', async ({ params }, during) => {
    const tool = offerFor(during).tool(params.name) ?? refuse(`no tool is named ${params.name}`);
    const capabilities = server.getClientCapabilities();
    const call = tool.call(params.arguments ?? {}, commandIdOf(params._meta), { ...during, capabilities, ending });
    calls.add(call);
    const result = await call.finally(() => calls.delete(call));
    if (isInputRequiredResult(result) || isTaskCreated(result)) return result;
    return server.projectCallToolResult(result, tool.outputSchema);
  });
  server.setRequestHandler('resources/templates/list', (_request, during) => ({
    resourceTemplates: offerFor(during).templates,
  }));
  server.setRequestHandler('resources/list', (_request, during) => ({ resources: offerFor(during).resources() }));
  server.setRequestHandler('resources/read', ({ params: { uri } }, during) => readable(offerFor(during), uri));
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }, during) => {
    if (!subscribed) return refuse('only a session can be told of changes: begin with initialize');
    readable(offerFor(during), uri);
    subscribed.add(uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    subscribed?.delete(uri);
    return {};
  });
  server.setRequestHandler('prompts/list', (_request, during) => ({
    prompts: offerFor(during).prompts.map(({ get: _get, ...shown }) => shown),
  }));
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: given = {} } }, during) => {
    const prompt = offerFor(during).prompts.find((one) => one.name === name) ?? refuse(`no prompt is named ${name}`);
    const missing = prompt.arguments?.find((one) => one.required === true && (given[one.name] ?? '') === '');
    return missing ? refuse(`${name} needs ${missing.name}`) : prompt.get(given, during);
  });
  server.setRequestHandler('completion/complete', ({ params: { argument } }, during) => {
    const all = offerFor(during).completions(argument.name, argument.value);
    const values = all.slice(0, MOST_COMPLETIONS);
    return { completion: { values, total: all.length, hasMore: all.length > values.length } };
  });
  if (hasTasks) serveTasks(server, offerFor);
  return server;
}

const taskNamed = z.object({ taskId: z.string().min(1).max(200) });

function serveTasks(server: Server, offerFor: ToolServerParts['offerFor']): void {
  const found = async (taskId: string, during: ServerContext): Promise<OfferedTask> => {
    requireTasks(server.getClientCapabilities());
    return (await offerFor(during).task?.(taskId)) ?? refuse(`no task is called ${taskId}`);
  };
  server.setRequestHandler('tasks/get', { params: taskNamed }, async ({ taskId }, during) => {
    const task = await found(taskId, during);
    return shownTask(await task.get(server.getClientCapabilities()));
  });
  server.setRequestHandler('tasks/update', { params: taskNamed }, async ({ taskId }, during) => {
    const task = await found(taskId, during);
    // The protocol library takes the answers out of what it hands on, and drops those that answer nothing.
    await task.update(during.mcpReq.inputResponses ?? refuse('inputResponses: is missing'));
    return {};
  });
  server.setRequestHandler('tasks/cancel', { params: taskNamed }, async ({ taskId }, during) => {
    const task = await found(taskId, during);
    await task.cancel();
    return {};
  });
}

/** Resource at an address; refused when there is none that the caller may read. */
export function readable(offer: Offer, uri: string): NonNullable<ReturnType<Offer['read']>> {
  const found = offer.read(uri);
  if (found) return found;
  throw new ResourceNotFoundError(uri);
}

/** Idempotency key of a tool call: the protocol has no header for it. */
const COMMAND_ID = 'weft/commandId';

function commandIdOf(meta: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const id = meta?.[COMMAND_ID];
  if (id === undefined || typeof id === 'string') return id;
  return refuse(`${COMMAND_ID} in _meta must be a string`);
}

export function refuse(message: string): never {
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
