/**
 * Agents over the Agent Client Protocol as workers: the agent edits the folder of the branch with tools of its own, and the studio is
 * its tool server, over HTTP where it can, else by a bridge that it starts. What it asks leave for is allowed where all of it lies in the folder.
 */
import { resolve, sep } from 'node:path';
import type {
  AgentCapabilities,
  ClientContext,
  McpServer,
  RequestPermissionRequest,
  ResumeSessionRequest,
  SessionNotification,
} from '@agentclientprotocol/sdk';
import type { Assignment, Executor, ExecutorOptions, Heard, ToolsOverHttp } from '../../../executor.js';
import { NO_ABILITIES, NO_USAGE } from '../../../executor.js';
import type { ModelTurn } from '../../../provider.js';
import { ProviderError } from '../../../provider.js';
import { STOPS } from '../acp.js';
import { Program, byLines } from '../program.js';
import { Noise, programFault } from '../program-fault.js';
import { EXECUTOR_LIMITS, type ExecutorProgram } from './line-program.js';
import { toolsOverStdio } from './tools-over-stdio.js';

type Update = SessionNotification['update'];

/** What an agent has said of itself, whenever it was started last; kept by who makes executors. */
export interface AgentSaid {
  resumes?: boolean;
}

interface AgentProgram extends ExecutorProgram {
  readonly command: readonly string[];
  readonly said: AgentSaid;
}

export function acpAgent(program: AgentProgram): Executor {
  // One that has not been started yet may.
  const { resumes: resume = true } = program.said;
  const abilities = { ...NO_ABILITIES, turnTelemetry: true, resume, hooks: true, mcp: true };
  return { name: 'acp', abilities, counts: 'session', run: (assignment, options) => run(program, assignment, options) };
}

async function run(
  { processes, command, key, keyName, hosts = [], limits = EXECUTOR_LIMITS, said }: AgentProgram,
  given: Assignment,
  { signal, hear }: ExecutorOptions,
): Promise<ModelTurn> {
  const { client, methods, ndJsonStream } = await import('@agentclientprotocol/sdk');
  const assignment = { ...given, door: { ...given.door, url: processes.found(given.door.url) } };
  const { folder, home, repositoryId } = assignment;
  const secret = assignment.isKeyed ? await key() : undefined;
  const heard = new TransformStream<Uint8Array, Uint8Array>();
  const ear = heard.writable.getWriter();
  const noise = new Noise();
  const listen = byLines((line) => noise.add(line));
  const environment = {
    // Many keep their settings there, servers of the user among them.
    HOME: home,
    XDG_CONFIG_HOME: home,
    XDG_DATA_HOME: home,
    ...(secret === undefined || keyName === undefined ? {} : { [keyName]: secret }),
  };
  const reaches = { hosts, door: given.door.url, repositoryId };
  const program = await Program.start(
    { processes, command, folder, environment, also: [home], reaches, limits, signal },
    (bytes) => {
      listen(bytes);
      ear.write(bytes).catch(() => undefined);
    },
  );
  const spoken = { name: program.name, key: secret, noise };
  const mouth = new WritableStream<Uint8Array>({ write: (bytes) => program.tell(bytes) });
  const turn = new Turn(hear);
  const app = client({ name: 'weft' })
    .onRequest(methods.client.session.requestPermission, ({ params }) => permitted(params, folder))
    .onNotification(methods.client.session.update, ({ params: { update } }) => turn.take(update));
  const talk = app.connectWith(ndJsonStream(mouth, heard.readable), (agent) => prompted(agent, assignment, turn, said));
  const gone = program.ended.then((said) => {
    throw programFault(spoken, said);
  });
  try {
    const stop = await Promise.race([talk, gone]);
    return { text: turn.text, calls: [], stop, usage: turn.usage };
  } catch (error) {
    if (error instanceof ProviderError && error.fault === 'timeout' && noise.text !== undefined)
      throw programFault(spoken, '');
    if (error instanceof ProviderError) throw error;
    throw programFault(spoken, error instanceof Error ? error.message : 'it failed');
  } finally {
    program.end(new ProviderError('stopped', 'the turn is over'));
    talk.catch(() => undefined);
    await Promise.allSettled([gone, ear.abort()]);
  }
}

/** Opens or resumes the session, and prompts. */
async function prompted(
  agent: ClientContext,
  { folder: cwd, home, door, system, prompt, session: known }: Assignment,
  turn: Turn,
  said: AgentSaid,
): Promise<ModelTurn['stop']> {
  const { agentCapabilities = {} } = await agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  said.resumes = agentCapabilities.sessionCapabilities?.resume != null || agentCapabilities.loadSession === true;
  const mcpServers = [await toolsFor(agentCapabilities, door, home)];
  if (known !== undefined) await resumed(agent, agentCapabilities, { sessionId: known, cwd, mcpServers });
  const sessionId = known ?? (await agent.request('session/new', { cwd, mcpServers })).sessionId;
  turn.begin(sessionId);
  const text = known !== undefined ? prompt : `${system}\n\n${prompt}`;
  const { stopReason } = await agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
  return STOPS[stopReason];
}

/** The studio's tools, as the agent can take them: every agent starts programs, and some ask over HTTP. */
async function toolsFor({ mcpCapabilities }: AgentCapabilities, door: ToolsOverHttp, home: string): Promise<McpServer> {
  if (mcpCapabilities?.http !== true) return { name: 'weft', ...(await toolsOverStdio(door, home)) };
  const headers = [{ name: 'Authorization', value: `Bearer ${door.token}` }];
  return { type: 'http', name: 'weft', url: door.url, headers };
}

/** Resumes a session, or fails as one that is gone: then all is told to a new one. */
async function resumed(agent: ClientContext, can: AgentCapabilities, asked: ResumeSessionRequest): Promise<void> {
  const { sessionId, cwd, mcpServers = [] } = asked;
  if (can.sessionCapabilities?.resume) await agent.request('session/resume', asked);
  else if (can.loadSession === true) await agent.request('session/load', { sessionId, cwd, mcpServers });
  else throw new ProviderError('refused', 'this agent goes on with no earlier session');
}

/** Leave for what an agent asks: once, and where every place lies in the folder. */
function permitted({ toolCall, options }: RequestPermissionRequest, folder: string) {
  // Where a path leads is what counts, and not how it begins.
  const places = (toolCall.locations ?? []).map(({ path }) => resolve(folder, path));
  const isInside = places.every((path) => path === folder || path.startsWith(`${folder}${sep}`));
  const wanted = isInside ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
  const option = wanted.flatMap((kind) => options.filter((one) => one.kind === kind)).at(0);
  if (!option) return { outcome: { outcome: 'cancelled' as const } };
  return { outcome: { outcome: 'selected' as const, optionId: option.optionId } };
}

const WRITING: ReadonlySet<string> = new Set(['edit', 'delete', 'move']);
const OVER: ReadonlySet<string> = new Set(['completed', 'failed']);

/** Turn of an agent: what it says and calls. Before it is asked, an agent that loads a session replays all of it. */
class Turn {
  text = '';
  usage = NO_USAGE;
  readonly #hear: (heard: Heard) => void;
  readonly #called = new Set<string>();
  #said = '';
  #isAsked = false;

  constructor(hear: (heard: Heard) => void) {
    this.#hear = hear;
  }

  begin(id: string): void {
    this.#isAsked = true;
    this.#hear({ kind: 'session', id });
  }

  take(update: Update): void {
    if (!this.#isAsked) return;
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        if (update.content.type !== 'text') return;
        this.#said += update.content.text;
        this.text = this.#said;
        this.#hear({ kind: 'said', text: update.content.text });
        return;
      case 'tool_call':
      case 'tool_call_update':
        this.#call(update);
        return;
      case 'usage_update': {
        const { cost } = update;
        if (cost?.currency !== 'USD') return;
        this.usage = { ...this.usage, microUsd: Math.ceil(cost.amount * 1e6) };
        this.#hear({ kind: 'used', usage: this.usage });
        return;
      }
      default:
    }
  }

  #call({ toolCallId: callId, ...call }: Extract<Update, { sessionUpdate: 'tool_call' | 'tool_call_update' }>): void {
    const { title, name, kind, rawInput, locations, status, content } = call;
    if (!this.#called.has(callId)) {
      this.#called.add(callId);
      // What it says after a call is its latest word.
      this.#said = '';
      const places = (locations ?? []).map(({ path }) => path);
      const input = { ...(isObject(rawInput) ? rawInput : {}), ...(places.length === 0 ? {} : { places }) };
      const named = name ?? title ?? kind ?? 'tool';
      this.#hear({ kind: 'called', call: { callId, name: named, input, writes: WRITING.has(kind ?? '') } });
    }
    if (status == null || !OVER.has(status)) return;
    const said = (content ?? []).flatMap((one) =>
      one.type === 'content' && one.content.type === 'text' ? one.content.text : [],
    );
    this.#hear({ kind: 'answered', callId, text: said.join('\n'), isError: status === 'failed' });
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
