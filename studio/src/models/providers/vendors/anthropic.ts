/**
 * Provider over the messages API of Anthropic, or whatever speaks it at another address.
 *
 * What the model thought goes back as it came. Four marks tell the vendor's cache what may be read again: tools, system text, the end
 * of the request before this one, which that one has written, and the end of this one, which the next one reads.
 */
import type Anthropic from '@anthropic-ai/sdk';
import { z } from 'zod';
import type { ModelMessage, ModelRequest, ModelTurn, Provider } from '../../provider.js';
import { ProviderError } from '../../provider.js';
import type { HttpAsk, HttpModel } from './http-model.js';
import { overHttp } from './http-model.js';
import { nativeOf } from './native.js';
import type { Reply } from '../replies/reply.js';

const NAME = 'anthropic';
const CACHED = { cache_control: { type: 'ephemeral' } } as const;
/** Placeholder key: the library must not read one from the environment or files of whoever runs the host. */
const NO_KEY = 'none';
/** Text of a message without any: the vendor refuses an empty one. */
const NOTHING_SAID = '(nothing)';

const Counted = z.object({ input_tokens: z.int().min(0) });
const Count = z.number().nullish();
const Usage = z.object({
  input_tokens: Count,
  cache_creation_input_tokens: Count,
  cache_read_input_tokens: Count,
  output_tokens: Count,
});
const Thinking = z.looseObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string().nullish() });
const Block = z.union([
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('tool_use'), id: z.string(), name: z.string() }),
  Thinking,
  z.looseObject({ type: z.literal('redacted_thinking'), data: z.string() }),
]);
type Block = z.infer<typeof Block>;
const Event = z.union([
  z.object({ type: z.literal('message_start'), message: z.object({ usage: Usage.nullish() }) }),
  z.object({ type: z.literal('content_block_start'), index: z.number(), content_block: Block }),
  z.object({
    type: z.literal('content_block_delta'),
    index: z.number(),
    delta: z.union([
      z.object({ type: z.literal('text_delta'), text: z.string() }),
      z.object({ type: z.literal('input_json_delta'), partial_json: z.string() }),
      z.object({ type: z.literal('thinking_delta'), thinking: z.string() }),
      z.object({ type: z.literal('signature_delta'), signature: z.string() }),
    ]),
  }),
  z.object({
    type: z.literal('message_delta'),
    delta: z.object({
      stop_reason: z.string().nullish(),
      stop_details: z.object({ category: z.string().nullish(), explanation: z.string().nullish() }).nullish(),
    }),
    usage: Usage.nullish(),
  }),
  z.object({ type: z.literal('message_stop') }),
]);
type Event = z.infer<typeof Event>;
/** Tolerant reader: unknown kinds of events, blocks and deltas are skipped; known ones must be whole. */
const Known = z.object({
  type: z.enum(['message_start', 'content_block_start', 'content_block_delta', 'message_delta', 'message_stop']),
  content_block: z.object({ type: z.enum(['text', 'tool_use', 'thinking', 'redacted_thinking']) }).optional(),
  delta: z
    .object({ type: z.enum(['text_delta', 'input_json_delta', 'thinking_delta', 'signature_delta']).optional() })
    .optional(),
});

const STOPS: ReadonlyMap<string, ModelTurn['stop']> = new Map([
  ['tool_use', 'calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'full'],
  ['refusal', 'refused'],
  ['pause_turn', 'paused'],
]);

export function anthropic(model: HttpModel): Provider {
  return overHttp(NAME, model, ask, count);
}

async function clientOf({ fetch, key, baseUrl }: HttpAsk): Promise<Anthropic> {
  // Lazy import: 140 ms and 22 MB.
  const library = await import('@anthropic-ai/sdk');
  return new library.Anthropic({
    apiKey: key ?? NO_KEY,
    baseURL: baseUrl ?? 'https://api.anthropic.com',
    maxRetries: 0,
    logLevel: 'off',
    fetch,
  });
}

async function count(asked: HttpAsk): Promise<number> {
  const client = await clientOf(asked);
  const { max_tokens: _most, stream: _stream, ...counted } = bodyOf(asked.request);
  const found = Counted.safeParse(await client.messages.countTokens(counted));
  if (!found.success) throw new ProviderError('malformed', 'the count of tokens is not as counts are');
  return found.data.input_tokens;
}

async function ask(asked: HttpAsk, reply: Reply): Promise<void> {
  const client = await clientOf(asked);
  const { request } = asked;
  const blocks = new Map<number, Block>();
  for await (const event of await client.messages.create(bodyOf(request))) {
    if (!Known.safeParse(event).success) continue;
    const known = Event.safeParse(event);
    if (!known.success) throw new ProviderError('malformed', 'an event of the answer is not as events are');
    take(known.data, reply, blocks);
  }
  keepBlocks(reply, blocks);
}

function take(event: Event, reply: Reply, blocks: Map<number, Block>): void {
  switch (event.type) {
    case 'message_start':
      noteUsage(reply, event.message.usage);
      break;
    case 'content_block_start': {
      const { index, content_block: block } = event;
      blocks.set(index, block);
      if (block.type === 'text') reply.addText(block.text);
      else if (block.type === 'tool_use') reply.addCall(index, { id: block.id, name: block.name });
      break;
    }
    case 'content_block_delta': {
      const { index, delta } = event;
      const block = blocks.get(index);
      if (delta.type === 'text_delta') reply.addText(delta.text);
      else if (delta.type === 'input_json_delta') reply.addCall(index, { json: delta.partial_json });
      if (block) blocks.set(index, grown(block, delta));
      break;
    }
    case 'message_delta': {
      const { stop_reason: stop, stop_details: details } = event.delta;
      reply.stop = STOPS.get(stop ?? '') ?? 'end';
      if (reply.stop === 'refused')
        reply.refusal = [details?.category, details?.explanation].filter((said) => said != null).join(': ');
      noteUsage(reply, event.usage);
      break;
    }
    case 'message_stop':
      reply.isWhole = true;
  }
}

type Delta = Extract<Event, { type: 'content_block_delta' }>['delta'];

function grown(block: Block, delta: Delta): Block {
  if (block.type === 'text' && delta.type === 'text_delta') return { ...block, text: block.text + delta.text };
  if (block.type !== 'thinking') return block;
  if (delta.type === 'thinking_delta') return { ...block, thinking: block.thinking + delta.thinking };
  if (delta.type === 'signature_delta') return { ...block, signature: (block.signature ?? '') + delta.signature };
  return block;
}

/** Keeps the blocks of a turn in which the model thought. Thinking that was cut has no signature, and goes nowhere. */
function keepBlocks(reply: Reply, blocks: ReadonlyMap<number, Block>): void {
  for (const [index, block] of blocks) {
    if (block.type === 'tool_use' || (block.type === 'text' && block.text === '')) continue;
    if (block.type === 'thinking' && (block.signature ?? '') === '') continue;
    reply.keep(index, block);
    if (block.type !== 'text') reply.mustKeep('bound');
  }
}

/** Usage count: numbers at the end replace those at the start. Input tokens of the API exclude those of its cache. */
function noteUsage(reply: Reply, told: z.infer<typeof Usage> | null | undefined): void {
  if (!told) return;
  const before = reply.usage;
  const cachedInputTokens = told.cache_read_input_tokens ?? before?.cachedInputTokens ?? 0;
  const written = told.cache_creation_input_tokens ?? before?.cacheWriteTokens ?? 0;
  const inputTokens =
    typeof told.input_tokens === 'number'
      ? told.input_tokens + written + cachedInputTokens
      : (before?.inputTokens ?? 0);
  reply.usage = {
    inputTokens,
    cachedInputTokens,
    outputTokens: told.output_tokens ?? before?.outputTokens ?? 0,
    ...(written === 0 ? {} : { cacheWriteTokens: written }),
  };
}

function bodyOf(request: ModelRequest): Anthropic.MessageCreateParamsStreaming {
  const { model, system, tools, maxTokens, effort, ways = {} } = request;
  const { thinking } = ways;
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
    ...(thinking === undefined ? {} : { thinking: thinkingOf(thinking, maxTokens) }),
    // A model that thinks with a budget knows no effort.
    ...(effort === undefined || thinking !== 'adaptive' ? {} : { output_config: { effort } }),
    messages: messagesOf(request),
  };
}

type Thinks = NonNullable<NonNullable<ModelRequest['ways']>['thinking']>;

function thinkingOf(thinking: Thinks, maxTokens: number): Anthropic.ThinkingConfigParam {
  // Its summary is what people see of a model between its calls.
  if (thinking === 'adaptive') return { type: 'adaptive', display: 'summarized' };
  const budget = Math.max(LEAST_BUDGET, Math.min(thinking.budgetTokens, Math.floor(maxTokens / 2)));
  return maxTokens > LEAST_BUDGET ? { type: 'enabled', budget_tokens: budget } : { type: 'disabled' };
}

/** Least budget of thinking that the vendor takes; it must be less than the answer's limit. */
const LEAST_BUDGET = 1024;

type Turn = Anthropic.MessageParam & { content: Anthropic.ContentBlockParam[] };

/** Messages of the API: tool results are user messages, and users and models alternate. */
function messagesOf(request: ModelRequest): Anthropic.MessageParam[] {
  const { messages } = request;
  const lastSaid = messages.findLastIndex(({ role }) => role === 'assistant');
  const marked = new Set([lastSaid - 1, messages.length - 1]);
  const turns: Turn[] = [];
  for (const [index, message] of messages.entries()) {
    const isSystem = message.role === 'notice' && request.ways?.systemNotices === true;
    const role = message.role === 'assistant' ? 'assistant' : isSystem ? 'system' : 'user';
    const blocks = blocksOf(message, request);
    const last = blocks.at(-1);
    if (marked.has(index) && last && message.role !== 'assistant') Object.assign(last, CACHED);
    const turn = turns.at(-1);
    if (turn?.role === role) turn.content.push(...blocks);
    else turns.push({ role, content: blocks } as Turn);
  }
  return turns;
}

function blocksOf(message: ModelMessage, request: ModelRequest): Anthropic.ContentBlockParam[] {
  if (message.role === 'tool') {
    const { callId, text, isError } = message;
    return [{ type: 'tool_result', tool_use_id: callId, content: text, is_error: isError }];
  }
  if (message.role !== 'assistant')
    return [{ type: 'text', text: message.text.trim() === '' ? NOTHING_SAID : message.text }];
  const uses = message.calls.map(({ callId, name, input }) => ({ type: 'tool_use' as const, id: callId, name, input }));
  const native = nativeOf(message, NAME, request)?.flatMap(({ item, callId }): Anthropic.ContentBlockParam[] =>
    callId === undefined ? [item as Anthropic.ContentBlockParam] : uses.filter(({ id }) => id === callId),
  );
  // The vendor takes no turn that says nothing beside what was thought.
  if (native?.some(({ type }) => type === 'text' || type === 'tool_use')) return native;
  const text = message.text.trim() === '' ? [] : [{ type: 'text' as const, text: message.text }];
  const blocks = [...text, ...uses];
  return blocks.length === 0 ? [{ type: 'text', text: NOTHING_SAID }] : blocks;
}
