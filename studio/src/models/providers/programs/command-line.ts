/**
 * Providers over command-line programs: `claude` and `codex` answer one prompt and end, each with its own JSON. Neither is
 * given tools of its own: calls come as text, and the host decides about them. Conversations that they remember are used while
 * they last.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { NodeProcesses } from '../../../workspace/programs/node-processes.js';
import type { ModelRequest, ModelTurn, ModelUsage, Provider, ProviderFault, TurnOptions } from '../../provider.js';
import { ProviderError } from '../../provider.js';
import { Conversations } from './conversations.js';
import { byLines, Program, type ProgramLimits, programLimits } from './program.js';
import { Noise, programFault } from './program-fault.js';
import { usedSince } from '../../used-since.js';
import { parseJson } from '../replies/parse-json.js';
import { Reply } from '../replies/reply.js';
import { nextPrompt, readText, wholePrompt } from './text-protocol.js';

export interface ProgramModel {
  readonly processes: NodeProcesses;
  /** Program, and arguments before all others. Default: its usual name. */
  readonly command?: readonly string[] | undefined;
  /** Working folder of its own, with no instructions to follow. */
  readonly folder: string;
  readonly key: () => string | undefined | Promise<string | undefined>;
  readonly baseUrl?: string | undefined;
  /** Servers that it reaches, beside that of its model. */
  readonly hosts?: readonly string[] | undefined;
  readonly limits?: ProgramLimits | undefined;
}

/** Answer of a program so far. */
interface Told {
  text?: string;
  session?: string;
  usage?: ModelUsage;
  isWhole?: boolean;
  failure?: string;
  /** Error that the program may have recovered from. */
  trouble?: string;
}

interface Dialect {
  readonly program: string;
  args(model: string, session: string | undefined, baseUrl: string | undefined): readonly string[];
  /** Command by which its user logs in. */
  readonly logIn: string;
  readonly keyName: string;
  readonly addressName: string;
  /** Server of its model. */
  readonly host: string;
  /** Variable that names the folder in which it keeps conversations. */
  readonly keeps: string;
  /** What its usage is of: the run, or its conversation from the beginning. */
  readonly counts: 'run' | 'session';
  /** Reads one line of output into the answer. Returns text that is new. */
  read(line: unknown, told: Told): string | undefined;
}

export function claudeCli(model: ProgramModel): Provider {
  return commandLine('claude-cli', claude, model);
}

export function codexCli(model: ProgramModel): Provider {
  return commandLine('codex-cli', codex, model);
}

function commandLine(name: string, dialect: Dialect, model: ProgramModel): Provider {
  const conversations = new Conversations();
  return {
    name,
    async turn(request, options) {
      const known = conversations.find(request);
      const { turn, session, used } = known
        ? await run(dialect, model, request, options, known).catch((error: unknown) => {
            if (!(error instanceof ProviderError) || !mayHaveForgotten.has(error.fault)) throw error;
            options.onStartOver?.();
            return run(dialect, model, request, options);
          })
        : await run(dialect, model, request, options);
      if (session !== undefined) conversations.keep(request, turn, { session, used });
      return turn;
    },
  };
}

/** Faults that may mean a forgotten conversation: programs discard old ones, and say so in many ways. */
const mayHaveForgotten: ReadonlySet<ProviderFault> = new Set(['refused', 'unreachable']);

async function run(
  dialect: Dialect,
  { processes, command, folder, key, baseUrl, hosts = [], limits = programLimits }: ProgramModel,
  request: ModelRequest,
  { signal, onText }: TurnOptions,
  known?: ReturnType<Conversations['find']>,
): Promise<{ turn: ModelTurn; session: string | undefined; used: ModelUsage | undefined }> {
  const secret = await key();
  const told: Told = {};
  const noise = new Noise();
  const { isConfined } = processes;
  const program = await Program.start(
    {
      command: [...(command ?? [dialect.program]), ...dialect.args(request.model, known?.session, baseUrl)],
      environment: {
        ...(secret === undefined ? {} : { [dialect.keyName]: secret }),
        ...(baseUrl === undefined ? {} : { [dialect.addressName]: baseUrl }),
        // Its usual home is empty in there, and gone with it.
        ...(isConfined ? { [dialect.keeps]: await keptIn(folder) } : {}),
      },
      reaches: { hosts: [baseUrl ?? dialect.host, ...hosts], repositoryId: undefined },
      processes,
      folder,
      limits,
      signal,
    },
    byLines((line) => {
      noise.add(line);
      const text = line.trim() === '' ? undefined : dialect.read(parseJson(line), told);
      if (text !== undefined) onText?.(text);
    }),
  );
  program.tellLast(known ? nextPrompt(known.rest) : wholePrompt(request));
  const said = await program.ended;
  const failure = told.failure ?? (told.isWhole === true ? undefined : (told.trouble ?? said));
  if (failure !== undefined)
    throw programFault(
      { name: program.name, key: secret, logIn: isConfined ? NO_LOGIN : dialect.logIn, noise },
      failure,
    );
  const reply = new Reply(request);
  reply.text = told.text ?? '';
  const { usage: used, session } = told;
  reply.usage = dialect.counts === 'session' && used ? usedSince(used, known?.used) : used;
  readText(reply.text, reply);
  return { turn: reply.finish(), session, used };
}

/** Folder within its own in which a confined program keeps its conversations. */
export async function keptIn(folder: string): Promise<string> {
  const kept = join(folder, '.kept');
  await mkdir(kept, { recursive: true, mode: 0o700 });
  return kept;
}

/** Why a login does not help: it is in the home of the user, which confined programs do not see. */
export const NO_LOGIN =
  'give it a key by credentialRef, since it does not see your login; or say "unconfined": true beside its command in the file of models';

const Count = z.number().optional();
const ClaudeLine = z.union([
  z.object({
    type: z.literal('assistant'),
    message: z.object({ content: z.array(z.object({ type: z.string(), text: z.string().optional() })) }),
  }),
  z.object({
    type: z.literal('result'),
    is_error: z.boolean().optional(),
    result: z.string().optional(),
    subtype: z.string().optional(),
    session_id: z.string().optional(),
    usage: z
      .object({
        input_tokens: Count,
        cache_creation_input_tokens: Count,
        cache_read_input_tokens: Count,
        output_tokens: Count,
      })
      .optional(),
  }),
]);

const claude: Dialect = {
  program: 'claude',
  logIn: 'run `claude auth login`',
  keyName: 'ANTHROPIC_API_KEY',
  addressName: 'ANTHROPIC_BASE_URL',
  host: 'api.anthropic.com',
  keeps: 'CLAUDE_CONFIG_DIR',
  counts: 'run',
  args: (model, session) => [
    ...['--print', '--output-format', 'stream-json', '--verbose'],
    // Without the second, tool servers of the user's own configuration would be loaded.
    ...['--tools', '', '--strict-mcp-config'],
    ...['--system-prompt', 'You follow the instructions in the prompt.'],
    ...(model === '' ? [] : ['--model', model]),
    ...(session === undefined ? [] : ['--resume', session]),
  ],
  read(line, told) {
    const { data } = ClaudeLine.safeParse(line);
    if (data?.type === 'assistant') {
      const text = data.message.content.map((block) => (block.type === 'text' ? (block.text ?? '') : '')).join('');
      return text === '' ? undefined : text;
    }
    if (!data) return undefined;
    const { result, usage } = data;
    if (data.is_error === true || result === undefined) told.failure = result ?? data.subtype ?? 'no result';
    told.isWhole = true;
    if (result !== undefined) told.text = result;
    if (data.session_id !== undefined) told.session = data.session_id;
    if (usage) {
      const cachedInputTokens = usage.cache_read_input_tokens ?? 0;
      const inputTokens = (usage.input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0) + cachedInputTokens;
      told.usage = { inputTokens, cachedInputTokens, outputTokens: usage.output_tokens ?? 0 };
    }
    return undefined;
  },
};

const CodexLine = z.union([
  z.object({ type: z.literal('thread.started'), thread_id: z.string() }),
  z.object({
    type: z.literal('item.completed'),
    item: z.object({ type: z.literal('agent_message'), text: z.string() }),
  }),
  z.object({
    type: z.literal('turn.completed'),
    usage: z.object({ input_tokens: z.number(), cached_input_tokens: Count, output_tokens: z.number() }).optional(),
  }),
  z.object({ type: z.literal('turn.failed'), error: z.object({ message: z.string() }) }),
  z.object({ type: z.literal('error'), message: z.string() }),
]);

const codex: Dialect = {
  program: 'codex',
  logIn: 'run `codex login`',
  keyName: 'CODEX_API_KEY',
  addressName: 'OPENAI_BASE_URL',
  host: 'api.openai.com',
  keeps: 'CODEX_HOME',
  counts: 'session',
  args: (model, session, baseUrl) => [
    ...['exec', '--json', '--skip-git-repo-check', '--sandbox', 'read-only'],
    // Present versions read the address from here, those of 2025 from their environment.
    ...(baseUrl === undefined ? [] : ['--config', `openai_base_url=${JSON.stringify(baseUrl)}`]),
    ...(model === '' ? [] : ['--model', model]),
    ...(session === undefined ? [] : ['resume', session]),
    '-',
  ],
  read(line, told) {
    const { data } = CodexLine.safeParse(line);
    switch (data?.type) {
      case 'thread.started':
        told.session = data.thread_id;
        return undefined;
      case 'item.completed':
        // The last message is the answer; those before report progress.
        told.text = data.item.text;
        return data.item.text;
      case 'turn.completed':
        told.isWhole = true;
        if (data.usage)
          told.usage = {
            inputTokens: data.usage.input_tokens,
            cachedInputTokens: data.usage.cached_input_tokens ?? 0,
            outputTokens: data.usage.output_tokens,
          };
        return undefined;
      case 'turn.failed':
        told.failure = data.error.message;
        return undefined;
      case 'error':
        // Sent also when it reconnects.
        told.trouble = data.message;
        return undefined;
      case undefined:
        return undefined;
    }
  },
};
