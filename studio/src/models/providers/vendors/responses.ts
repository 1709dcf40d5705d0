/**
 * Responses of OpenAI, without state at the vendor: every item that the model gave, its encrypted reasoning included, goes back in the
 * next request as it came.
 */
import type OpenAI from 'openai';
import { z } from 'zod';
import type { ModelMessage, ModelRequest } from '../../provider.js';
import { ProviderError } from '../../provider.js';
import { nativeOf } from './native.js';
import type { Reply } from '../replies/reply.js';

const Item = z.looseObject({ type: z.string(), call_id: z.string().nullish(), name: z.string().nullish() });
const Answered = z.object({
  usage: z
    .object({
      input_tokens: z.number(),
      input_tokens_details: z
        .object({ cached_tokens: z.number().nullish(), cache_write_tokens: z.number().nullish() })
        .nullish(),
      output_tokens: z.number(),
    })
    .nullish(),
  incomplete_details: z.object({ reason: z.string().nullish() }).nullish(),
  error: z.object({ code: z.string().nullish(), message: z.string() }).nullish(),
});
const Event = z.union([
  z.object({ type: z.literal('response.output_text.delta'), delta: z.string() }),
  z.object({ type: z.literal('response.refusal.delta'), delta: z.string() }),
  z.object({ type: z.literal('response.output_item.added'), output_index: z.number(), item: Item }),
  z.object({ type: z.literal('response.function_call_arguments.delta'), output_index: z.number(), delta: z.string() }),
  z.object({ type: z.literal('response.output_item.done'), output_index: z.number(), item: Item }),
  z.object({ type: z.literal('response.completed'), response: Answered }),
  z.object({ type: z.literal('response.incomplete'), response: Answered }),
  z.object({ type: z.literal('response.failed'), response: Answered }),
  z.object({ type: z.literal('error'), code: z.string().nullish(), message: z.string() }),
]);
type Event = z.infer<typeof Event>;
/** Tolerant reader: unknown kinds of events are skipped; known ones must be whole. */
const KNOWN: ReadonlySet<unknown> = new Set(Event.options.map(({ shape }) => shape.type.value));

export async function askResponses(client: OpenAI, request: ModelRequest, reply: Reply): Promise<void> {
  for await (const event of await client.responses.create(bodyOf(request))) {
    if (!KNOWN.has(event.type)) continue;
    const known = Event.safeParse(event);
    if (!known.success) throw new ProviderError('malformed', 'an event of the answer is not as events are');
    take(known.data, reply);
  }
}

function take(event: Event, reply: Reply): void {
  switch (event.type) {
    case 'response.output_text.delta':
      reply.addText(event.delta);
      break;
    case 'response.refusal.delta':
      reply.addText(event.delta);
      reply.refusal = (reply.refusal ?? '') + event.delta;
      break;
    case 'response.output_item.added':
      if (event.item.type === 'function_call')
        reply.addCall(event.output_index, { id: event.item.call_id ?? '', name: event.item.name ?? '' });
      break;
    case 'response.function_call_arguments.delta':
      reply.addCall(event.output_index, { json: event.delta });
      break;
    case 'response.output_item.done':
      if (event.item['status'] === 'incomplete') break;
      reply.keep(event.output_index, event.item);
      reply.mustKeep('bound');
      break;
    case 'response.completed':
    case 'response.incomplete':
      end(event.response, reply);
      break;
    case 'response.failed':
      count(event.response, reply);
      throw failure(event.response.error ?? { message: 'the answer failed' });
    case 'error':
      throw failure(event);
  }
}

/** Error inside a stream, in the form of the library's own, so that one place says what it means. */
function failure({ code, message }: { readonly code?: string | null | undefined; readonly message: string }): Error {
  return Object.assign(new Error(message), { code: code ?? 'server_error' });
}

function end(answered: z.infer<typeof Answered>, reply: Reply): void {
  count(answered, reply);
  const { reason } = answered.incomplete_details ?? {};
  const isRefused = reply.refusal !== undefined || reason === 'content_filter';
  reply.stop = isRefused ? 'refused' : reason === 'max_output_tokens' ? 'length' : 'end';
  reply.isWhole = true;
}

function count({ usage }: z.infer<typeof Answered>, reply: Reply): void {
  if (!usage) return;
  const { input_tokens: inputTokens, output_tokens: outputTokens, input_tokens_details: details } = usage;
  const written = details?.cache_write_tokens ?? 0;
  reply.usage = {
    inputTokens,
    cachedInputTokens: details?.cached_tokens ?? 0,
    outputTokens,
    ...(written === 0 ? {} : { cacheWriteTokens: written }),
  };
}

function bodyOf(request: ModelRequest): OpenAI.Responses.ResponseCreateParamsStreaming {
  const { model, system, messages, tools, maxTokens, effort, cacheKey } = request;
  return {
    model,
    stream: true,
    store: false,
    include: ['reasoning.encrypted_content'],
    max_output_tokens: maxTokens,
    ...(system === '' ? {} : { instructions: system }),
    ...(effort === undefined ? {} : { reasoning: { effort, summary: 'auto' } }),
    ...(cacheKey === undefined ? {} : { prompt_cache_key: cacheKey }),
    input: messages.flatMap((message) => itemsOf(message, request)),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, input }) => ({
            type: 'function' as const,
            name,
            description,
            parameters: { ...input },
            strict: false,
          })),
        }),
  };
}

function itemsOf(message: ModelMessage, request: ModelRequest): OpenAI.Responses.ResponseInputItem[] {
  if (message.role === 'user') return [{ role: 'user', content: message.text }];
  if (message.role === 'notice') return [{ role: 'developer', content: message.text }];
  // The API cannot mark a tool result as failed.
  if (message.role === 'tool') {
    const { callId, text, isError } = message;
    return [{ type: 'function_call_output', call_id: callId, output: isError ? `Error: ${text}` : text }];
  }
  const native = nativeOf(message, 'openai', request);
  if (native)
    return native.map(
      ({ item, callId }) =>
        ({
          ...(item as object),
          ...(callId === undefined ? {} : { call_id: callId }),
        }) as OpenAI.Responses.ResponseInputItem,
    );
  const { text, calls } = message;
  return [
    ...(text === '' ? [] : [{ role: 'assistant' as const, content: text }]),
    ...calls.map(({ callId, name, input }) => ({
      type: 'function_call' as const,
      call_id: callId,
      name,
      arguments: JSON.stringify(input),
    })),
  ];
}
