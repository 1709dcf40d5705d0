/**
 * Chat completions of OpenAI, and of whoever speaks them. Fields that are unknown here, such as signatures of thoughts and reasoning, are
 * kept and go back to the same model: some servers refuse a conversation without them.
 */
import type OpenAI from 'openai';
import { z } from 'zod';
import type { ModelMessage, ModelRequest, ModelTurn } from '../../provider.js';
import { ProviderError } from '../../provider.js';
import { nativeOf } from './native.js';
import type { Reply } from '../replies/reply.js';

const Call = z.looseObject({
  index: z.number().optional(),
  id: z.string().nullish(),
  type: z.string().nullish(),
  function: z.looseObject({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
});
const Delta = z.looseObject({
  role: z.string().nullish(),
  content: z.string().nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(Call).nullish(),
});
const Chunk = z.object({
  choices: z.array(z.object({ delta: Delta.nullish(), finish_reason: z.string().nullish() })).nullish(),
  usage: z
    .object({
      prompt_tokens: z.number(),
      completion_tokens: z.number(),
      prompt_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish(),
    })
    .nullish(),
});

const STOPS: ReadonlyMap<string, ModelTurn['stop']> = new Map([
  ['tool_calls', 'calls'],
  ['length', 'length'],
  ['content_filter', 'refused'],
]);

type Extras = Record<string, unknown>;
/** Index of what belongs to the message itself; those of calls begin at 0. */
const OF_MESSAGE = -1;

export async function askChat(client: OpenAI, request: ModelRequest, reply: Reply, isOwn: boolean): Promise<void> {
  const extras = new Map<number, Extras>();
  for await (const chunk of await client.chat.completions.create(bodyOf(request, isOwn))) {
    const known = Chunk.safeParse(chunk);
    if (!known.success) throw new ProviderError('malformed', 'a part of the answer is not as parts are');
    take(known.data, reply, extras);
  }
  for (const [index, extra] of extras) {
    reply.keep(index, extra);
    reply.mustKeep('free');
  }
}

function take({ choices, usage }: z.infer<typeof Chunk>, reply: Reply, extras: Map<number, Extras>): void {
  if (usage)
    reply.usage = {
      inputTokens: usage.prompt_tokens,
      cachedInputTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
      outputTokens: usage.completion_tokens,
    };
  const choice = choices?.[0];
  if (!choice) return;
  const { content, refusal, tool_calls: calls, role: _role, ...unknown } = choice.delta ?? {};
  reply.addText(content ?? '');
  reply.addText(refusal ?? '');
  if (refusal) reply.refusal = (reply.refusal ?? '') + refusal;
  keepExtras(extras, OF_MESSAGE, unknown);
  for (const [position, call] of (calls ?? []).entries()) {
    const { index = position, id, type: _type, function: called, ...more } = call;
    reply.addCall(index, { id: id ?? '', name: called?.name ?? '', json: called?.arguments ?? '' });
    keepExtras(extras, index, more);
  }
  if (choice.finish_reason == null) return;
  reply.stop = reply.refusal === undefined ? (STOPS.get(choice.finish_reason) ?? 'end') : 'refused';
  // What follows reports usage only.
  reply.isWhole = true;
}

/** Adds up unknown fields of a stream: texts and lists grow, objects are filled, any other value is replaced. */
function keepExtras(extras: Map<number, Extras>, index: number, more: Extras): void {
  const said = Object.entries(more).filter(([, value]) => value !== undefined && value !== null);
  if (said.length > 0) extras.set(index, said.reduce<Extras>(grow, extras.get(index) ?? {}));
}

function grow(before: Extras, [key, value]: [string, unknown]): Extras {
  return { ...before, [key]: joined(before[key], value) };
}

function joined(before: unknown, value: unknown): unknown {
  if (typeof before === 'string' && typeof value === 'string') return before + value;
  if (Array.isArray(before) && Array.isArray(value)) return [...(before as unknown[]), ...(value as unknown[])];
  if (isRecord(before) && isRecord(value)) return Object.entries(value).reduce<Extras>(grow, before);
  return value;
}

function isRecord(value: unknown): value is Extras {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Request body. Newer models of the vendor want another name for the token limit, which others do not know. */
function bodyOf(request: ModelRequest, isOwn: boolean): OpenAI.ChatCompletionCreateParamsStreaming {
  const { model, system, messages, tools, maxTokens, effort, cacheKey } = request;
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    ...(isOwn ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens }),
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
    ...(isOwn && cacheKey !== undefined ? { prompt_cache_key: cacheKey } : {}),
    messages: [
      ...(system === '' ? [] : [{ role: 'system' as const, content: system }]),
      ...messages.map((message) => messageOf(message, request)),
    ],
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, input }) => ({
            type: 'function' as const,
            function: { name, description, parameters: { ...input } },
          })),
        }),
  };
}

function messageOf(message: ModelMessage, request: ModelRequest): OpenAI.ChatCompletionMessageParam {
  if (message.role === 'user') return { role: 'user', content: message.text };
  if (message.role === 'notice')
    return { role: request.ways?.systemNotices === true ? 'system' : 'user', content: message.text };
  // The API cannot mark a tool result as failed.
  if (message.role === 'tool')
    return {
      role: 'tool',
      tool_call_id: message.callId,
      content: message.isError ? `Error: ${message.text}` : message.text,
    };
  const { text, calls } = message;
  const native = nativeOf(message, 'openai', request) ?? [];
  const extraOf = (wanted: string | undefined): object =>
    (native.find(({ callId }) => callId === wanted)?.item ?? {}) as object;
  const asked = calls.map(({ callId, name, input }) => ({
    ...extraOf(callId),
    id: callId,
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(input) },
  }));
  const said = { ...extraOf(undefined), role: 'assistant' as const };
  return asked.length === 0
    ? { ...said, content: text }
    : { ...said, content: text === '' ? null : text, tool_calls: asked };
}
