/**
 * Provider over the Agent Client Protocol: an agent program on stdin and stdout, used as a model. It is offered neither files
 * nor terminals, every permission that it asks for is denied, and it calls the host's tools as text. It runs for one turn. If
 * it can load its earlier conversation, only what is new is sent.
 */
import type { ClientContext, NewSessionRequest, StopReason } from '@agentclientprotocol/sdk';
import type { ModelRequest, ModelTurn, Provider, TurnOptions } from '../../provider.js';
import { ProviderError } from '../../provider.js';
import { NO_LOGIN, type ProgramModel, keptIn } from './command-line.js';
import { Conversations, type Remembered } from './conversations.js';
import { Program, byLines, programLimits } from './program.js';
import { Noise, programFault } from './program-fault.js';
import { Reply } from '../replies/reply.js';
import { nextPrompt, readText, wholePrompt } from './text-protocol.js';

export type AgentModel = Omit<ProgramModel, 'command' | 'baseUrl'> & {
  readonly command: readonly string[];
  /** Environment variable in which the agent looks for its key. */
  readonly keyName?: string | undefined;
};

/** Ends of an agent's turn. */
export const STOPS: Readonly<Record<StopReason, ModelTurn['stop']>> = {
  end_turn: 'end',
  max_tokens: 'length',
  max_turn_requests: 'end',
  refusal: 'refused',
  cancelled: 'end',
};

export function acp(model: AgentModel): Provider {
  const conversations = new Conversations();
  return { name: 'acp', turn: (request, options) => turn(model, conversations, request, options) };
}

async function turn(
  { processes, command, folder, key, keyName, hosts = [], limits = programLimits }: AgentModel,
  conversations: Conversations,
  request: ModelRequest,
  { signal, onText }: TurnOptions,
): Promise<ModelTurn> {
  const { client, methods, ndJsonStream } = await import('@agentclientprotocol/sdk');
  const secret = await key();
  const { isConfined } = processes;
  const environment = {
    ...(secret === undefined || keyName === undefined ? {} : { [keyName]: secret }),
    ...(isConfined ? { XDG_DATA_HOME: await keptIn(folder) } : {}),
  };
  const reaches = { hosts, repositoryId: undefined };
  const heard = new TransformStream<Uint8Array, Uint8Array>();
  const ear = heard.writable.getWriter();
  const noise = new Noise();
  const listen = byLines((line) => noise.add(line));
  const program = await Program.start({ processes, command, folder, environment, reaches, limits, signal }, (bytes) => {
    listen(bytes);
    ear.write(bytes).catch(() => undefined);
  });
  const spoken = { name: program.name, key: secret, noise, ...(isConfined ? { logIn: NO_LOGIN } : {}) };
  const mouth = new WritableStream<Uint8Array>({ write: (bytes) => program.tell(bytes) });
  const reply = new Reply(request, onText);
  // An agent that loads a conversation replays all of it before it is asked.
  const state = { isAsked: false };
  const app = client({ name: 'weft' })
    .onRequest(methods.client.session.requestPermission, ({ params: { options } }) => {
      const no = options.find(({ kind }) => kind === 'reject_once' || kind === 'reject_always');
      return { outcome: no ? { outcome: 'selected', optionId: no.optionId } : { outcome: 'cancelled' } };
    })
    .onNotification(methods.client.session.update, ({ params: { update } }) => {
      if (!state.isAsked || update.sessionUpdate !== 'agent_message_chunk') return;
      if (update.content.type === 'text') reply.addText(update.content.text);
    });
  const talk = app.connectWith(ndJsonStream(mouth, heard.readable), (agent) =>
    ask(agent, folder, conversations.find(request), request, state),
  );
  const gone = program.ended.then((said) => {
    throw programFault(spoken, said);
  });
  try {
    const { session, stop } = await Promise.race([talk, gone]);
    reply.stop = STOPS[stop];
    readText(reply.text, reply);
    const whole = reply.finish();
    conversations.keep(request, whole, { session, used: undefined });
    return whole;
  } catch (error) {
    // A program that has sent nothing in the protocol does not speak it.
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

async function ask(
  agent: ClientContext,
  cwd: string,
  known: Remembered | undefined,
  request: ModelRequest,
  state: { isAsked: boolean },
): Promise<{ session: string; stop: StopReason }> {
  const { agentCapabilities } = await agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const opening: NewSessionRequest = { cwd, mcpServers: [] };
  const isLoaded =
    known !== undefined &&
    agentCapabilities?.loadSession === true &&
    (await agent.request('session/load', { sessionId: known.session, ...opening }).then(
      () => true,
      () => false,
    ));
  const session = isLoaded ? known.session : (await agent.request('session/new', opening)).sessionId;
  state.isAsked = true;
  const text = isLoaded ? nextPrompt(known.rest) : wholePrompt(request);
  const { stopReason } = await agent.request('session/prompt', {
    sessionId: session,
    prompt: [{ type: 'text', text }],
  });
  return { session, stop: stopReason };
}
