/** Messages API of Anthropic, as it refuses and answers in November 2026. Its parsed requests and its events are held to the types of the vendor's library. */
import type Anthropic from '@anthropic-ai/sdk';
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { type Block, PromptCache } from './cache.js';
import { refuseUnless, RefusedRequest } from './refused.js';
import {
  type Answered,
  type Fault,
  type Model,
  type Said,
  type Seen,
  type Wire,
  halves,
  isFault,
  jsonOf,
  tokensOf,
} from './vendor.js';

const Mark = z.strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).exactOptional() });
const Text = z.strictObject({
  type: z.literal('text'),
  text: z.string().min(1),
  citations: z.null().exactOptional(),
  cache_control: Mark.exactOptional(),
});
const ToolUse = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string().regex(/^[\w-]+$/),
  name: z.string().regex(/^[\w-]{1,128}$/),
  input: z.record(z.string(), z.unknown()),
  cache_control: Mark.exactOptional(),
});
const Thinking = z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() });
const Redacted = z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() });
const ToolResult = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.string(),
  is_error: z.boolean(),
  cache_control: Mark.exactOptional(),
});
const Message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('user'), content: z.array(z.union([Text, ToolResult])).min(1) }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.array(z.union([Text, ToolUse, Thinking, Redacted])).min(1),
  }),
  z.strictObject({ role: z.literal('system'), content: z.array(Text).min(1) }),
]);
type Message = z.infer<typeof Message>;
const Body = z.strictObject({
  model: z.string().min(1),
  max_tokens: z.int().min(1),
  stream: z.literal(true),
  system: z.array(Text).exactOptional(),
  tools: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[\w-]{1,128}$/),
        description: z.string(),
        input_schema: z.looseObject({ type: z.literal('object') }),
        cache_control: Mark.exactOptional(),
      }),
    )
    .exactOptional(),
  messages: z.array(Message).min(1),
  thinking: z
    .union([
      z.strictObject({ type: z.literal('adaptive'), display: z.enum(['summarized', 'omitted']).exactOptional() }),
      z.strictObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1024) }),
      z.strictObject({ type: z.literal('disabled') }),
    ])
    .exactOptional(),
  output_config: z.strictObject({ effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']) }).exactOptional(),
});
type Body = z.infer<typeof Body>;
/** A request to be counted is one without what is said of the answer. */
const Counted = Body.omit({ max_tokens: true, stream: true });

export interface AnthropicModel {
  readonly context: number;
  readonly output: number;
  readonly leastCached: number;
  readonly thinking: 'adaptive' | 'budget';
  readonly takesSystemMessages: boolean;
}

export const OPUS: AnthropicModel = {
  context: 1_000_000,
  output: 128_000,
  leastCached: 512,
  thinking: 'adaptive',
  takesSystemMessages: true,
};

const MOST_MARKS = 4;
const MOST_BYTES = 32 << 20;

/** Turn that the model has said, with what it is bound to. */
interface Given {
  readonly prefix: string;
  readonly thinking: string;
}

export function anthropicWire(limits: AnthropicModel = OPUS, now: () => number = Date.now): Wire {
  const given = new Map<string, Given>();
  const cache = new PromptCache(limits.leastCached, now);
  let turns = 0;

  const check = (text: string, headers: IncomingHttpHeaders): Body => {
    refuseUnless(Buffer.byteLength(text) <= MOST_BYTES, 'request_too_large');
    refuseUnless(typeof headers['anthropic-version'] === 'string', 'anthropic-version: header is required');
    const parsed = Body.safeParse(JSON.parse(text));
    if (!parsed.success) throw new RefusedRequest(z.prettifyError(parsed.error));
    // A change of the library's types that makes this request impossible fails to compile here.
    const sent: Anthropic.MessageCreateParamsStreaming = parsed.data;
    refuseUnless(sent.stream, 'stream: this server streams only');
    const body = parsed.data;
    checkModel(body, limits);
    checkMarks(body);
    checkCalls(body.messages);
    checkThinking(body, given);
    const tokens = tokensOf(text);
    refuseUnless(tokens <= limits.context, `prompt is too long: ${tokens} tokens > ${limits.context} maximum`);
    return body;
  };

  const answer = (text: string, headers: IncomingHttpHeaders, model: Model): Answered => {
    let body: Body;
    try {
      body = check(text, headers);
    } catch (error) {
      if (!(error instanceof RefusedRequest)) throw error;
      const { message } = error;
      const fault = { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message } } };
      return { fault, refused: message };
    }
    const said = model(seenOf(body));
    if (isFault(said)) return { fault: said };
    turns += 1;
    const { blocks, ids } = blocksOf(said, turns);
    const thinking = thinkingIn(blocks);
    for (const key of keysOf(blocks, ids)) given.set(key, { prefix: prefixOf(body, body.messages.length), thinking });
    const usage = { ...cache.serve(cacheBlocks(body)), output: tokensOf(JSON.stringify(blocks)) };
    const stream = eventsOf(said, blocks, { id: `msg_${turns}`, model: body.model, usage });
    return { stream, usage, ...(said.isBroken === true ? { isBroken: true } : {}) };
  };
  const count = (text: string, headers: IncomingHttpHeaders): { tokens: number } | { fault: Fault } => {
    const parsed = Counted.safeParse(JSON.parse(text));
    if (parsed.success && typeof headers['anthropic-version'] === 'string') {
      const sent: Anthropic.MessageCountTokensParams = parsed.data;
      return { tokens: tokensOf(JSON.stringify(sent)) };
    }
    const message = parsed.success ? 'anthropic-version: header is required' : z.prettifyError(parsed.error);
    return { fault: { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message } } } };
  };
  return { path: '/v1/messages', answer, count };
}

function checkModel(
  { max_tokens: most, thinking, output_config: config, messages }: Body,
  limits: AnthropicModel,
): void {
  refuseUnless(most <= limits.output, `max_tokens: ${most} > ${limits.output}, the most of this model`);
  if (limits.thinking === 'adaptive')
    refuseUnless(
      thinking === undefined || thinking.type === 'adaptive',
      `thinking.type: ${thinking?.type} is not supported by this model`,
    );
  else refuseUnless(config?.effort === undefined, 'output_config.effort is not supported by this model');
  if (thinking?.type === 'enabled')
    refuseUnless(thinking.budget_tokens < most, 'max_tokens must be greater than thinking.budget_tokens');
  const isSystem = messages.some(({ role }) => role === 'system');
  refuseUnless(!isSystem || limits.takesSystemMessages, 'messages: role system is not supported by this model');
  refuseUnless(messages[0]?.role === 'user', 'messages: first message must use the user role');
  const last = messages.at(-1);
  refuseUnless(last?.role !== 'assistant' || isPaused(last), 'this model does not support assistant message prefill');
}

/** Pauses are sent back as they are; here they are known by their words. */
function isPaused({ content }: Message): boolean {
  return content.some((block) => block.type === 'text' && block.text.startsWith('(paused)'));
}

function checkMarks({ tools = [], system = [], messages }: Body): void {
  const all = [...tools, ...system, ...contentOf(messages)];
  const marks = all.flatMap((block) => ('cache_control' in block ? [block.cache_control?.ttl ?? '5m'] : []));
  refuseUnless(
    marks.length <= MOST_MARKS,
    `a maximum of ${MOST_MARKS} blocks with cache_control may be provided; found ${marks.length}`,
  );
  refuseUnless(
    marks.lastIndexOf('1h') < (marks.includes('5m') ? marks.indexOf('5m') : Infinity),
    "a ttl='1h' cache_control block must not come after a ttl='5m' one",
  );
}

type Content = Message['content'][number];

function contentOf(messages: readonly Message[]): Content[] {
  return messages.flatMap(({ content }): readonly Content[] => content);
}

function checkCalls(messages: readonly Message[]): void {
  const taken = new Set<string>();
  for (const [place, { role, content }] of messages.entries()) {
    refuseUnless(
      place === 0 || role !== messages[place - 1]?.role || role === 'user',
      'messages: roles must alternate',
    );
    if (role === 'assistant') {
      refuseUnless(content.at(-1)?.type !== 'thinking', 'the final block in an assistant message cannot be thinking');
      const ids = content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
      for (const id of ids) {
        refuseUnless(!taken.has(id), '`tool_use` ids must be unique');
        taken.add(id);
      }
      const next = messages[place + 1];
      const answers = next?.role === 'user' ? resultsIn(next) : [];
      const missing = ids.filter((id) => !answers.includes(id));
      refuseUnless(
        missing.length === 0,
        `tool_use ids were found without tool_result blocks immediately after: ${missing.join(', ')}`,
      );
    } else if (role === 'user') {
      const before = messages[place - 1];
      const calls =
        before?.role === 'assistant'
          ? before.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
          : [];
      const odd = resultsIn({ role, content }).filter((id) => !calls.includes(id));
      refuseUnless(odd.length === 0, `unexpected tool_use_id found in tool_result blocks: ${odd.join(', ')}`);
      const firstText = content.findIndex(({ type }) => type === 'text');
      const lastResult = content.findLastIndex(({ type }) => type === 'tool_result');
      refuseUnless(firstText === -1 || lastResult < firstText, 'tool_result blocks must come first in the content');
    }
  }
}

function resultsIn({ content }: Message): string[] {
  return content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
}

/** Thinking goes back unmodified behind what it followed, and nowhere else. */
function checkThinking(body: Body, given: ReadonlyMap<string, Given>): void {
  for (const [place, message] of body.messages.entries()) {
    if (message.role !== 'assistant') continue;
    const sent = thinkingIn(message.content);
    const ids = message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
    const known = keysOf(message.content, ids).flatMap((key) => given.get(key) ?? [])[0];
    if (!known) {
      refuseUnless(sent === '[]', 'thinking: invalid signature');
      continue;
    }
    if (known.prefix === prefixOf(body, place))
      refuseUnless(
        sent === known.thinking,
        '`thinking` or `redacted_thinking` blocks in an assistant message cannot be modified',
      );
    else
      refuseUnless(
        sent === '[]',
        'thinking: prefix_mismatch, what stands before the block is not what it was bound to',
      );
  }
}

function thinkingIn(content: readonly { readonly type: string }[]): string {
  return JSON.stringify(
    content.filter(({ type }) => type.endsWith('thinking')).map((block) => ({ ...block, cache_control: undefined })),
  );
}

/** Keys by which a turn is known again: the ids of its calls, or else its words. */
function keysOf(content: readonly { readonly type: string }[], ids: readonly string[]): string[] {
  if (ids.length > 0) return [...ids];
  const words = content.flatMap((block) => (block.type === 'text' && 'text' in block ? [String(block.text)] : []));
  return words.length === 0 ? [] : [`words ${words.join('\n')}`];
}

function prefixOf({ system, tools, messages }: Body, place: number): string {
  const text = JSON.stringify([system, tools, messages.slice(0, place)], (key, value: unknown) =>
    key === 'cache_control' ? undefined : value,
  );
  return createHash('sha256').update(text).digest('hex');
}

function cacheBlocks({ tools = [], system = [], messages }: Body): Block[] {
  return [...tools, ...system, ...contentOf(messages)].map((block) => ({
    text: JSON.stringify({ ...block, cache_control: undefined }),
    isMarked: 'cache_control' in block,
  }));
}

function seenOf({ system = [], tools = [], messages }: Body): Seen {
  const texts = (some: readonly Message[]): string[] =>
    some.flatMap(({ content }) =>
      content.flatMap((block) =>
        block.type === 'text' ? [block.text] : block.type === 'tool_result' ? [block.content] : [],
      ),
    );
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return {
    turn: messages.filter(({ role }) => role === 'assistant').length,
    system: system.map(({ text }) => text).join('\n'),
    tools: tools.map(({ name }) => name),
    told: texts(messages.slice(last + 1)),
    whole: texts(messages).join('\n'),
  };
}

type Answer = z.infer<typeof Text> | z.infer<typeof ToolUse> | z.infer<typeof Thinking>;

function blocksOf({ thinks, text = '', calls = [] }: Said, count: number): { blocks: Answer[]; ids: string[] } {
  const signature = createHash('sha256').update(`signed ${count} ${thinks}`).digest('base64');
  const uses = calls.map(({ name, input }, place) => ({
    type: 'tool_use' as const,
    id: `toolu_${count}_${place}`,
    name,
    input: (typeof input === 'string' ? {} : input) as Record<string, unknown>,
  }));
  const blocks: Answer[] = [
    ...(thinks === undefined ? [] : [{ type: 'thinking' as const, thinking: thinks, signature }]),
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...uses,
  ];
  return { blocks, ids: uses.map(({ id }) => id) };
}

const STOPS = {
  length: 'max_tokens',
  full: 'model_context_window_exceeded',
  refused: 'refusal',
  paused: 'pause_turn',
} as const;

interface Head {
  readonly id: string;
  readonly model: string;
  readonly usage: { readonly fresh: number; readonly read: number; readonly written: number; readonly output: number };
}

/** Stream of an answer. Each event is one that the library's types know. */
function eventsOf(said: Said, blocks: readonly Answer[], { id, model, usage }: Head): string[] {
  const counts = {
    input_tokens: usage.fresh,
    cache_read_input_tokens: usage.read,
    cache_creation_input_tokens: usage.written,
  };
  const none = { output_tokens_details: null, server_tool_use: null };
  const rest = { cache_creation: null, inference_geo: null, service_tier: null, speed: null, ...none };
  const stop = said.stop ? STOPS[said.stop] : (said.calls ?? []).length > 0 ? 'tool_use' : 'end_turn';
  const message: Anthropic.Message = {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    container: null,
    diagnostics: null,
    stop_reason: null,
    stop_details: null,
    stop_sequence: null,
    usage: { ...counts, ...rest, output_tokens: 1 },
  };
  const ends: Anthropic.RawMessageDeltaEvent['delta'] = {
    container: null,
    stop_reason: stop,
    stop_sequence: null,
    stop_details: stop === 'refusal' ? { type: 'refusal', category: 'cyber', explanation: 'it may be misused' } : null,
  };
  const inputs = (said.calls ?? []).map(({ input }) => jsonOf(input));
  const events: Anthropic.RawMessageStreamEvent[] = [
    { type: 'message_start', message },
    ...blocks.flatMap((block, index) => eventsOfBlock(block, index, inputs)),
    { type: 'message_delta', delta: ends, usage: { ...counts, ...none, output_tokens: usage.output } },
    { type: 'message_stop' },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

function eventsOfBlock(block: Answer, index: number, inputs: string[]): Anthropic.RawMessageStreamEvent[] {
  const delta = (given: Anthropic.RawContentBlockDelta): Anthropic.RawMessageStreamEvent => ({
    type: 'content_block_delta',
    index,
    delta: given,
  });
  const stop = { type: 'content_block_stop', index } as const;
  if (block.type === 'thinking')
    return [
      { type: 'content_block_start', index, content_block: { type: 'thinking', thinking: '', signature: '' } },
      ...halves(block.thinking).map((thinking) => delta({ type: 'thinking_delta', thinking })),
      delta({ type: 'signature_delta', signature: block.signature }),
      stop,
    ];
  if (block.type === 'text')
    return [
      { type: 'content_block_start', index, content_block: { type: 'text', text: '', citations: null } },
      ...halves(block.text).map((text) => delta({ type: 'text_delta', text })),
      stop,
    ];
  const { id, name } = block;
  return [
    {
      type: 'content_block_start',
      index,
      content_block: { type: 'tool_use', id, name, input: {}, caller: { type: 'direct' } },
    },
    ...halves(inputs.shift() ?? '').map((json) => delta({ type: 'input_json_delta', partial_json: json })),
    stop,
  ];
}
