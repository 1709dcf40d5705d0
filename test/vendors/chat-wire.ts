/**
 * Chat completions as others than OpenAI speak them: with fields of their own, which some must see again. A call comes with a signature of
 * the thought behind it, and a conversation in which one is missing or changed is refused.
 */
import type OpenAI from 'openai';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { PromptCache } from './cache.js';
import { refuseUnless, RefusedRequest } from './refused.js';
import { type Answered, type Model, type Seen, type Wire, halves, isFault, jsonOf, tokensOf } from './vendor.js';

const Extra = z.strictObject({ google: z.strictObject({ thought_signature: z.string() }) });
const Message = z.union([
  z.strictObject({ role: z.enum(['system', 'user']), content: z.string().min(1) }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: z.string(), content: z.string() }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.string().nullable(),
    reasoning_content: z.string().exactOptional(),
    tool_calls: z
      .array(
        z.strictObject({
          id: z.string(),
          type: z.literal('function'),
          function: z.strictObject({ name: z.string(), arguments: z.string() }),
          extra_content: Extra.exactOptional(),
        }),
      )
      .min(1)
      .exactOptional(),
  }),
]);
type Message = z.infer<typeof Message>;
const Body = z.strictObject({
  model: z.string().min(1),
  stream: z.literal(true),
  stream_options: z.strictObject({ include_usage: z.literal(true) }),
  max_tokens: z.int().min(1),
  messages: z.array(Message).min(1),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        function: z.strictObject({
          name: z.string(),
          description: z.string(),
          parameters: z.record(z.string(), z.unknown()),
        }),
      }),
    )
    .exactOptional(),
});
type Body = z.infer<typeof Body>;

export function chatWire(now: () => number = Date.now): Wire {
  const signatures = new Map<string, string>();
  const cache = new PromptCache(1024, now);
  let count = 0;

  const answer = (text: string, _headers: unknown, model: Model): Answered => {
    let body: Body;
    try {
      const parsed = Body.safeParse(JSON.parse(text));
      if (!parsed.success) throw new RefusedRequest(z.prettifyError(parsed.error));
      // A change of the library's types that makes this request impossible fails to compile here.
      const sent: OpenAI.ChatCompletionCreateParamsStreaming = parsed.data;
      refuseUnless(sent.stream, 'stream: this server streams only');
      body = parsed.data;
      checkCalls(body.messages, signatures);
    } catch (error) {
      if (!(error instanceof RefusedRequest)) throw error;
      const { message } = error;
      return { fault: { status: 400, body: { error: { type: 'invalid_request_error', message } } }, refused: message };
    }
    const said = model(seenOf(body));
    if (isFault(said)) return { fault: said };
    count += 1;
    const calls = (said.calls ?? []).map(({ name, input }, index) => {
      const id = `call_${count}_${index}`;
      const signature = createHash('sha256').update(id).digest('base64');
      signatures.set(id, signature);
      return { index, id, name, json: jsonOf(input), signature };
    });
    const blocks = [JSON.stringify(body.tools), ...body.messages.map((message) => JSON.stringify(message))];
    const served = cache.serve(blocks.map((block, place) => ({ text: block, isMarked: place >= blocks.length - 2 })));
    const usage = { ...served, output: tokensOf(JSON.stringify(said)) };
    const chunk = (fields: object): string =>
      `data: ${JSON.stringify({ object: 'chat.completion.chunk', ...fields })}\n\n`;
    const delta = (given: object, finish: string | null = null): string =>
      chunk({ choices: [{ index: 0, delta: given, finish_reason: finish }] });
    const finish = said.stop === 'length' ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop';
    const stream = [
      delta({ role: 'assistant', content: '' }),
      ...halves(said.thinks ?? '').map((piece) => delta({ reasoning_content: piece })),
      ...halves(said.text ?? '').map((piece) => delta({ content: piece })),
      ...calls.flatMap(({ index, id, name, json, signature }) => [
        delta({
          tool_calls: [
            {
              index,
              id,
              type: 'function',
              function: { name, arguments: '' },
              extra_content: { google: { thought_signature: signature } },
            },
          ],
        }),
        ...halves(json).map((piece) => delta({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
      delta({}, finish),
      chunk({
        choices: [],
        usage: {
          prompt_tokens: usage.fresh + usage.read + usage.written,
          prompt_tokens_details: { cached_tokens: usage.read },
          completion_tokens: usage.output,
        },
      }),
      'data: [DONE]\n\n',
    ];
    return { stream, usage, ...(said.isBroken === true ? { isBroken: true } : {}) };
  };
  return { path: '/chat/completions', answer };
}

function checkCalls(messages: readonly Message[], signatures: ReadonlyMap<string, string>): void {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      refuseUnless(open.includes(message.tool_call_id), `no call has the id ${message.tool_call_id}`);
      open = open.filter((id) => id !== message.tool_call_id);
      continue;
    }
    refuseUnless(open.length === 0, `calls without results: ${open.join(', ')}`);
    if (message.role !== 'assistant') continue;
    for (const { id, extra_content: extra } of message.tool_calls ?? [])
      refuseUnless(
        !signatures.has(id) || extra?.google.thought_signature === signatures.get(id),
        `Function call is missing a thought_signature: ${id}`,
      );
    open = (message.tool_calls ?? []).map(({ id }) => id);
  }
  refuseUnless(open.length === 0, `calls without results: ${open.join(', ')}`);
}

function seenOf({ messages, tools = [] }: Body): Seen {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return {
    turn: messages.filter(({ role }) => role === 'assistant').length,
    system: messages.flatMap(({ role, content }) => (role === 'system' ? [content ?? ''] : []))[0] ?? '',
    tools: tools.map((tool) => tool.function.name),
    told: messages.slice(last + 1).flatMap(({ content }) => content ?? []),
    whole: messages.flatMap(({ content }) => content ?? []).join('\n'),
  };
}
