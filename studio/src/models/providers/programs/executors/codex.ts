/** Codex as a worker: `codex exec --json` in the folder of the branch. The user's settings and rules are not read. */
import { z } from 'zod';
import { type Executor, type Heard, NO_ABILITIES } from '../../../executor.js';
import { type ExecutorProgram, type LineDialect, type Told, lineExecutor } from './line-program.js';

export function codexExec(program: ExecutorProgram): Executor {
  return lineExecutor(codex, program);
}

const TOKEN = 'STUDIO_AGENT_TOKEN';

const Item = z.object({
  id: z.string(),
  type: z.string(),
  text: z.string().optional(),
  command: z.string().optional(),
  aggregated_output: z.string().optional(),
  exit_code: z.number().nullish(),
  changes: z.array(z.object({ path: z.string(), kind: z.string() })).optional(),
  server: z.string().optional(),
  tool: z.string().optional(),
  arguments: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.unknown().optional(),
  status: z.string().optional(),
});
type Item = z.infer<typeof Item>;
const Count = z.number().optional();
const Line = z.union([
  z.object({ type: z.literal('thread.started'), thread_id: z.string() }),
  z.object({ type: z.enum(['item.updated', 'item.completed']), item: Item }),
  z.object({
    type: z.literal('turn.completed'),
    usage: z
      .object({
        input_tokens: z.number(),
        cached_input_tokens: Count,
        cache_write_input_tokens: Count,
        output_tokens: z.number(),
      })
      .optional(),
  }),
  z.object({ type: z.literal('turn.failed'), error: z.object({ message: z.string() }) }),
  z.object({ type: z.literal('error'), message: z.string() }),
]);

const codex: LineDialect = {
  name: 'codex',
  // With the policy never, it asks nothing.
  abilities: { ...NO_ABILITIES, turnTelemetry: true, resume: true, mcp: true },
  // A thread that goes on counts all its turns.
  counts: 'session',
  program: 'codex',
  logIn: 'give the profile injectApiKeyEnv and a key',
  keyName: 'CODEX_API_KEY',
  addressName: 'OPENAI_BASE_URL',
  host: 'api.openai.com',
  prepare({ model, effort, folder, home, door, session }, { isConfined, baseUrl }) {
    const settings: Readonly<Record<string, unknown>> = {
      approval_policy: 'never',
      web_search: 'disabled',
      'mcp_servers.weft.url': door.url,
      'mcp_servers.weft.bearer_token_env_var': TOKEN,
      'mcp_servers.weft.required': true,
      'mcp_servers.weft.tool_timeout_sec': 900,
      // Without it each call counts as one that the user has cancelled.
      'mcp_servers.weft.default_tools_approval_mode': 'approve',
      ...(effort === undefined ? {} : { model_reasoning_effort: effort }),
      ...(baseUrl === undefined ? {} : { openai_base_url: baseUrl }),
    };
    return Promise.resolve({
      args: [
        ...['exec', '--json', '--cd', folder, '--skip-git-repo-check', '--ignore-user-config', '--ignore-rules'],
        // One sandbox does not start within another; its own counts where there is none around it.
        ...['--sandbox', isConfined ? 'danger-full-access' : 'workspace-write'],
        ...(model === '' ? [] : ['--model', model]),
        ...Object.entries(settings).flatMap(([name, value]) => ['--config', `${name}=${JSON.stringify(value)}`]),
        ...(session === undefined ? [] : ['resume', session]),
        '-',
      ],
      environment: { CODEX_HOME: home, [TOKEN]: door.token },
    });
  },
  // It has no place for a role but the prompt.
  prompt: ({ system, prompt, session }) => (session === undefined ? `${system}\n\n${prompt}` : prompt),
  read(line, told) {
    const { data } = Line.safeParse(line);
    switch (data?.type) {
      case 'thread.started':
        return [{ kind: 'session', id: data.thread_id }];
      case 'item.updated':
        return data.item.type === 'agent_message' ? grownIn(data.item, told) : [];
      case 'item.completed': {
        if (data.item.type !== 'agent_message') return heardIn(data.item);
        const rest = told.saying === '' ? [] : grownIn(data.item, told);
        told.text = data.item.text ?? '';
        told.saying = '';
        return [...rest, ...heardIn(data.item)];
      }
      case 'turn.completed': {
        told.isOver = true;
        if (!data.usage) return [];
        const { input_tokens: inputTokens, output_tokens: outputTokens } = data.usage;
        const { cached_input_tokens: cachedInputTokens = 0, cache_write_input_tokens: written } = data.usage;
        const cacheWriteTokens = written ?? 0;
        told.usage = { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens };
        return [{ kind: 'used', usage: told.usage }];
      }
      case 'turn.failed':
        told.failure = data.error.message;
        return [];
      case 'error':
        // Sent also when it reconnects.
        told.trouble = data.message;
        return [];
      case undefined:
        return [];
    }
  },
};

/** What has been added to a message, of which each line tells all so far. */
function grownIn({ text = '' }: Item, told: Told): Heard[] {
  const piece = text.startsWith(told.saying) ? text.slice(told.saying.length) : '';
  told.saying = text;
  return piece === '' ? [] : [{ kind: 'saying', text: piece }];
}

/** What is heard of an item. Of kinds that are not known here nothing is. */
function heardIn(item: Item): Heard[] {
  const { id: callId, type, text = '', command = '', changes = [], status } = item;
  const done = (name: string, input: object, said: string, isError: boolean, writes = false): Heard[] => [
    { kind: 'called', call: { callId, name, input: { ...input }, writes } },
    { kind: 'answered', callId, text: said, isError },
  ];
  switch (type) {
    case 'agent_message':
      return text === '' ? [] : [{ kind: 'said', text }];
    case 'command_execution':
      return done('shell', { command }, item.aggregated_output ?? '', (item.exit_code ?? 0) !== 0);
    case 'file_change':
      return done('apply_patch', { changes }, status ?? '', status === 'failed', true);
    case 'mcp_tool_call': {
      const isError = status === 'failed' || (item.error ?? undefined) !== undefined;
      const input = z.record(z.string(), z.unknown()).safeParse(item.arguments).data ?? {};
      return done(`mcp__${item.server}__${item.tool}`, input, JSON.stringify(item.error ?? item.result ?? ''), isError);
    }
    default:
      return [];
  }
}
