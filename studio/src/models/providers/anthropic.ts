/**
 * Provider over the messages API of Anthropic, or whatever speaks it at another address. The stable prefix is marked for the
 * vendor's cache: tools, system prompt, and the stable messages.
 */
import type Anthropic from '@anthropic-ai/sdk';
import { z } from 'zod';
import type { ModelMessage, ModelRequest, ModelTurn, Provider } from '../provider.js';
import { ProviderError } from '../provider.js';
import type { HttpAsk, HttpModel } from './http-model.js';
import { overHttp } from './http-model.js';
import type { Reply } from './reply.js';

const CACHED = { cache_control: { type: 'ephemeral' } } as const;
/** Placeholder key: the library must not read one from the environment or files of whoever runs the host. */
const NO_KEY = 'none';

const Count = z.number().nullish();
const Usage = z.object({
  input_tokens: Count,
  cache_creation_input_tokens: Count,
  cache_read_input_tokens: Count,
  output_tokens: Count,
});
const Event = z.union([
  z.object({ type: z.literal('message_start'), message: z.object({ usage: Usage.nullish() }) }),
  z.object({
    type: z.literal('content_block_start'),
    index: z.number(),
    content_block: z.union([
      z.object({ type: z.literal('text'), text: z.string() }),
      z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string() }),
    ]),
  }),
  z.object({
    type: z.literal('content_block_delta'),
    index: z.number(),
    delta: z.union([
      z.object({ type: z.literal('text_delta'), text: z.string() }),
      z.object({ type: z.literal('input_json_delta'), partial_json: z.string() }),
    ]),
  }),
  z.object({
    type: z.literal('message_delta'),
    delta: z.object({ stop_reason: z.string().nullish() }),
    usage: Usage.nullish(),
  }),
  z.object({ type: z.literal('message_stop') }),
]);
type Event = z.infer<typeof Event>;
/** Tolerant reader: unknown kinds of events, blocks and deltas are skipped; known ones must be whole. */
const Known = z.object({
  type: z.enum(['message_start', 'content_block_start', 'content_block_delta', 'message_delta', 'message_stop']),
  content_block: z.object({ type: z.enum(['text', 'tool_use']) }).optional(),
  delta: z.object({ type: z.enum(['text_delta', 'input_json_delta']).optional() }).optional(),
});

const STOPS: ReadonlyMap<string, ModelTurn['stop']> = new Map([
  ['tool_use', 'calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'refused'],
]);

export function anthropic(model: HttpModel): Provider {
  return overHttp('anthropic', model, ask);
}

async function ask({ request, fetch, key, baseUrl }: HttpAsk, reply: Reply): Promise<void> {
  // Lazy import: 140 ms and 22 MB.
  const { Anthropic } = await import('@anthropic-ai/sdk');
  const client = new Anthropic({
    apiKey: key ?? NO_KEY,
    baseURL: baseUrl ?? 'https://api.anthropic.com',
    maxRetries: 0,
    logLevel: 'off',
    fetch,
  });
  for await (const event of await client.messages.create(bodyOf(request))) {
    if (!Known.safeParse(event).success) continue;
    const known = Event.safeParse(event);
    if (!known.success) throw new ProviderError('malformed', 'an event of the answer is not as events are');
    take(known.data, reply);
  }
}

function take(event: Event, reply: Reply): void {
  switch (event.type) {
    case 'message_start':
      count(reply, event.message.usage);
      break;
    case 'content_block_start':
      if (event.content_block.type === 'text') reply.addText(event.content_block.text);
      else reply.addCall(event.index, event.content_block);
      break;
    case 'content_block_delta':
      if (event.delta.type === 'text_delta') reply.addText(event.delta.text);
      else reply.addCall(event.index, { json: event.delta.partial_json });
      break;
    case 'message_delta':
      reply.stop = STOPS.get(event.delta.stop_reason ?? '') ?? 'end';
      count(reply, event.usage);
      break;
    case 'message_stop':
      reply.isWhole = true;
  }
}

/** Usage count: numbers at the end replace those at the start. Input tokens of the API exclude those from its cache. */
function count(reply: Reply, told: z.infer<typeof Usage> | null | undefined): void {
  if (!told) return;
  const before = reply.usage;
  const cachedInputTokens = told.cache_read_input_tokens ?? before?.cachedInputTokens ?? 0;
  const inputTokens =
    typeof told.input_tokens === 'number'
      ? told.input_tokens + (told.cache_creation_input_tokens ?? 0) + cachedInputTokens
      : (before?.inputTokens ?? 0);
  reply.usage = { inputTokens, cachedInputTokens, outputTokens: told.output_tokens ?? before?.outputTokens ?? 0 };
}

function bodyOf(request: ModelRequest): Anthropic.MessageCreateParamsStreaming {
  const { model, system, messages, tools, maxTokens, stableMessages = messages.length } = request;
  const lastTool = tools.length - 1;
  return {
    model,
    max_tokens: maxTokens,
    stream: true,
    ...(system === '' ? {} : { system: [{ type: 'text', text: system, ...CACHED }] }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, input }, index) => ({
            name,
            description,
            input_schema: { ...input, type: 'object' as const },
            ...(index === lastTool ? CACHED : {}),
          })),
        }),
    messages: messagesOf(messages, stableMessages),
  };
}

/** Messages of the API: tool results are user messages, and users and models alternate. */
function messagesOf(messages: readonly ModelMessage[], stable: number): Anthropic.MessageParam[] {
  const turns: { role: 'user' | 'assistant'; content: Anthropic.ContentBlockParam[] }[] = [];
  for (const [index, message] of messages.entries()) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = blocksOf(message);
    const last = blocks.at(-1);
    if (index === stable - 1 && last) Object.assign(last, CACHED);
    const turn = turns.at(-1);
    if (turn?.role === role) turn.content.push(...blocks);
    else turns.push({ role, content: blocks });
  }
  return turns;
}

function blocksOf(message: ModelMessage): Anthropic.ContentBlockParam[] {
  if (message.role === 'tool') {
    const { callId, text, isError } = message;
    return [{ type: 'tool_result', tool_use_id: callId, content: text, is_error: isError }];
  }
  const calls = message.role === 'assistant' ? message.calls : [];
  const text = message.text.trim() === '' ? [] : [{ type: 'text' as const, text: message.text }];
  const uses = calls.map(({ callId, name, input }) => ({ type: 'tool_use' as const, id: callId, name, input }));
  const blocks = [...text, ...uses];
  // The vendor refuses an empty turn.
  return blocks.length === 0 ? [{ type: 'text', text: '(nothing)' }] : blocks;
}
