/**
 * Claude Code as a worker: `claude --print` with `stream-json` output, in the folder of the branch. Settings and servers of the
 * repository are not read, since their hooks would run without a question; the studio is its only tool server.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Executor, type Heard, NO_ABILITIES, NO_USAGE } from '../../../executor.js';
import type { ModelUsage } from '../../../provider.js';
import { sumUsage } from '../../replies/reply.js';
import { type ExecutorProgram, type LineDialect, type Told, lineExecutor } from './line-program.js';

export function claudeCode(program: ExecutorProgram): Executor {
  return lineExecutor(claude, program);
}

/** Tools of its own that it uses. Agents below it and the web are none of them. */
const OWN_TOOLS = ['Bash', 'Read', 'Edit', 'MultiEdit', 'Write', 'NotebookEdit', 'Glob', 'Grep', 'TodoWrite'];
const REFUSED = ['Task', 'WebFetch', 'WebSearch'];
const WRITING: ReadonlySet<string> = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit']);

const Count = z.number().optional();
const Usage = z.object({
  input_tokens: Count,
  cache_creation_input_tokens: Count,
  cache_read_input_tokens: Count,
  output_tokens: Count,
});
const Block = z.object({
  type: z.string(),
  text: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.record(z.string(), z.unknown()).optional(),
  tool_use_id: z.string().optional(),
  is_error: z.boolean().nullish(),
  content: z.unknown().optional(),
});
const Line = z.union([
  z.object({
    type: z.literal('system'),
    subtype: z.literal('init'),
    session_id: z.string(),
    mcp_servers: z.array(z.object({ name: z.string(), status: z.string() })).optional(),
  }),
  z.object({
    type: z.literal('assistant'),
    message: z.object({ id: z.string().optional(), content: z.array(Block), usage: Usage.optional() }),
  }),
  z.object({ type: z.literal('user'), message: z.object({ content: z.union([z.string(), z.array(Block)]) }) }),
  z.object({
    type: z.literal('stream_event'),
    event: z.object({
      type: z.literal('content_block_delta'),
      delta: z.object({ type: z.literal('text_delta'), text: z.string() }),
    }),
  }),
  z.object({
    type: z.literal('rate_limit_event'),
    rate_limit_info: z.object({ status: z.string(), resetsAt: z.number().optional() }),
  }),
  z.object({
    type: z.literal('result'),
    subtype: z.string().optional(),
    is_error: z.boolean().optional(),
    result: z.string().optional(),
    total_cost_usd: z.number().optional(),
    usage: Usage.optional(),
  }),
]);

const claude: LineDialect = {
  name: 'claude-code',
  // It is told not to ask, to take on nobody, and never to plan only.
  abilities: { ...NO_ABILITIES, turnTelemetry: true, resume: true, mcp: true },
  counts: 'run',
  program: 'claude',
  logIn: 'give the profile injectApiKeyEnv and a key',
  keyName: 'ANTHROPIC_API_KEY',
  addressName: 'ANTHROPIC_BASE_URL',
  host: 'api.anthropic.com',
  async prepare({ model, effort, home, door, system, session }) {
    const [servers, text] = [join(home, 'servers.json'), join(home, 'system.md')];
    const headers = { Authorization: `Bearer ${door.token}` };
    // In a file: arguments are seen by everybody on the machine.
    const weft = { type: 'http', url: door.url, headers };
    await writeFile(servers, JSON.stringify({ mcpServers: { weft } }), { mode: 0o600 });
    await writeFile(text, system, { mode: 0o600 });
    return {
      args: [
        ...['--print', '--verbose', '--output-format', 'stream-json', '--include-partial-messages'],
        ...['--mcp-config', servers, '--strict-mcp-config', '--setting-sources', 'user'],
        ...['--permission-mode', 'dontAsk', '--allowedTools', [...OWN_TOOLS, 'mcp__weft'].join(',')],
        ...['--disallowedTools', REFUSED.join(','), '--append-system-prompt-file', text],
        ...(model === '' ? [] : ['--model', model]),
        ...(effort === undefined ? [] : ['--effort', effort]),
        ...(session === undefined ? [] : ['--resume', session]),
      ],
      environment: {
        CLAUDE_CONFIG_DIR: join(home, 'claude'),
        CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
        MCP_TOOL_TIMEOUT: '900000',
      },
    };
  },
  prompt: ({ prompt }) => prompt,
  read(line, told) {
    const { data } = Line.safeParse(line);
    switch (data?.type) {
      case 'system': {
        const ours = data.mcp_servers?.find(({ name }) => name === 'weft');
        // A server that cannot be reached is skipped, and the run would go on without a way to propose.
        if (ours?.status !== 'connected')
          told.failure = `the studio's tools were not reached: ${ours?.status ?? 'the server was skipped'}`;
        return [{ kind: 'session', id: data.session_id }];
      }
      case 'assistant':
        return [...data.message.content.flatMap(heardIn), ...usedIn(data.message, told)];
      case 'user':
        return typeof data.message.content === 'string' ? [] : data.message.content.flatMap(answeredIn);
      case 'stream_event':
        return [{ kind: 'saying', text: data.event.delta.text }];
      case 'rate_limit_event': {
        const { status, resetsAt } = data.rate_limit_info;
        if (status === 'rejected' && resetsAt !== undefined) told.limitedUntil = resetsAt * 1000;
        return [];
      }
      case 'result': {
        const { subtype = '', is_error: isError = false, result, usage, total_cost_usd: usd } = data;
        told.isOver = true;
        told.text = result ?? '';
        const counted = usage ? usageOf(usage) : told.usage;
        told.usage = usd === undefined ? counted : { ...counted, microUsd: Math.ceil(usd * 1e6) };
        if (isError || !subtype.startsWith('success')) told.failure ??= result ?? subtype;
        // A limit of its own ends a turn, and the session can go on.
        if (subtype === 'error_max_turns') told.failure = undefined;
        if (told.failure === undefined) told.limitedUntil = undefined;
        return [];
      }
      case undefined:
        return [];
    }
  },
};

function heardIn({ type, text = '', id = '', name = '', input = {} }: z.infer<typeof Block>): Heard[] {
  if (type === 'text' && text !== '') return [{ kind: 'said', text }];
  if (type !== 'tool_use') return [];
  return [{ kind: 'called', call: { callId: id, name, input, writes: WRITING.has(name) } }];
}

function answeredIn({ type, tool_use_id: callId = '', is_error, content }: z.infer<typeof Block>): Heard[] {
  if (type !== 'tool_result') return [];
  return [{ kind: 'answered', callId, text: textIn(content), isError: is_error === true }];
}

/** Text of a tool's result, which is a text or a list of blocks. */
function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  const blocks = z.array(z.object({ text: z.string().optional() })).safeParse(content).data ?? [];
  return blocks.map(({ text = '' }) => text).join('\n');
}

/** Usage of an answer, added once to what the run has used: each block of an answer is a line that tells it anew. */
function usedIn(
  { id, usage }: { id?: string | undefined; usage?: z.infer<typeof Usage> | undefined },
  told: Told,
): Heard[] {
  if (!usage) return [];
  const before = told.answer && told.answer.id === id ? told.answer.before : told.usage;
  if (id !== undefined) told.answer = { id, before };
  told.usage = sumUsage(before, usageOf(usage));
  return [{ kind: 'used', usage: told.usage }];
}

function usageOf(usage: z.infer<typeof Usage>): ModelUsage {
  const { input_tokens: fresh = 0, output_tokens: outputTokens = NO_USAGE.outputTokens } = usage;
  const { cache_creation_input_tokens: cacheWriteTokens = 0, cache_read_input_tokens: cachedInputTokens = 0 } = usage;
  const inputTokens = fresh + cacheWriteTokens + cachedInputTokens;
  return { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens };
}
