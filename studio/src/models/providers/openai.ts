/** Provider over chat completions of OpenAI, or whatever speaks them at another address. */
import type OpenAI from 'openai';
import { z } from 'zod';
import type { ModelMessage, ModelRequest, ModelTurn, Provider } from '../provider.js';
import { ProviderError } from '../provider.js';
import type { HttpAsk, HttpModel } from './http-model.js';
import { overHttp } from './http-model.js';
import type { Reply } from './reply.js';

const OWN_ADDRESS = 'https://api.openai.com/v1';
/** Placeholder key: the library must not read one from the environment of whoever runs the host. */
const NO_KEY = 'none';

const Chunk = z.object({
  choices: z
    .array(
      z.object({
        delta: z
          .object({
            content: z.string().nullish(),
            refusal: z.string().nullish(),
            tool_calls: z
              .array(
                z.object({
                  index: z.number().optional(),
                  id: z.string().nullish(),
                  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
                }),
              )
              .nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
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

export function openai(model: HttpModel): Provider {
  return overHttp('openai', model, ask);
}

async function ask({ request, fetch, key, baseUrl = OWN_ADDRESS }: HttpAsk, reply: Reply): Promise<void> {
  // Lazy import: 115 ms and 13 MB.
  const { OpenAI } = await import('openai');
  const client = new OpenAI({
    apiKey: key ?? NO_KEY,
    organization: null,
    project: null,
    baseURL: baseUrl,
    maxRetries: 0,
    logLevel: 'off',
    fetch,
  });
  const isOwn = baseUrl === OWN_ADDRESS;
  for await (const chunk of await client.chat.completions.create(bodyOf(request, isOwn))) {
    const known = Chunk.safeParse(chunk);
    if (!known.success) throw new ProviderError('malformed', 'a part of the answer is not as parts are');
    take(known.data, reply);
  }
}

function take({ choices, usage }: z.infer<typeof Chunk>, reply: Reply): void {
  if (usage)
    reply.usage = {
      inputTokens: usage.prompt_tokens,
      cachedInputTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
      outputTokens: usage.completion_tokens,
    };
  const choice = choices?.[0];
  if (!choice) return;
  const { content, refusal, tool_calls: calls } = choice.delta ?? {};
  reply.addText(content ?? '');
  reply.addText(refusal ?? '');
  for (const [position, call] of (calls ?? []).entries())
    reply.addCall(call.index ?? position, {
      id: call.id ?? '',
      name: call.function?.name ?? '',
      json: call.function?.arguments ?? '',
    });
  if (choice.finish_reason == null) return;
  reply.stop = typeof refusal === 'string' ? 'refused' : (STOPS.get(choice.finish_reason) ?? 'end');
  // What follows reports usage only.
  reply.isWhole = true;
}

/** Request body. Newer models of the vendor want another name for the token limit, which others do not know. */
function bodyOf(request: ModelRequest, isOwn: boolean): OpenAI.ChatCompletionCreateParamsStreaming {
  const { model, system, messages, tools, maxTokens } = request;
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    ...(isOwn ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens }),
    messages: [...(system === '' ? [] : [{ role: 'system' as const, content: system }]), ...messages.map(messageOf)],
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

function messageOf(message: ModelMessage): OpenAI.ChatCompletionMessageParam {
  if (message.role === 'user') return { role: 'user', content: message.text };
  // The API cannot mark a tool result as failed.
  if (message.role === 'tool')
    return {
      role: 'tool',
      tool_call_id: message.callId,
      content: message.isError ? `Error: ${message.text}` : message.text,
    };
  const { text, calls } = message;
  const asked = calls.map(({ callId, name, input }) => ({
    id: callId,
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(input) },
  }));
  return asked.length === 0
    ? { role: 'assistant', content: text }
    : { role: 'assistant', content: text === '' ? null : text, tool_calls: asked };
}
