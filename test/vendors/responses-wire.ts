/** Responses of OpenAI without state at the vendor, as it refuses and answers in 2026, held to the types of the vendor's library. */
import type OpenAI from 'openai';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { PromptCache } from './cache.js';
import { refuseUnless, RefusedRequest } from './refused.js';
import {
  type Answered,
  type Model,
  type Said,
  type Seen,
  type Wire,
  halves,
  isFault,
  jsonOf,
  tokensOf,
} from './vendor.js';

const Words = z.strictObject({ role: z.enum(['user', 'developer', 'assistant']), content: z.string().min(1) });
const Spoken = z.strictObject({
  type: z.literal('message'),
  id: z.string(),
  role: z.literal('assistant'),
  status: z.literal('completed'),
  phase: z.enum(['commentary', 'final_answer']).exactOptional(),
  content: z.array(
    z.strictObject({ type: z.literal('output_text'), text: z.string(), annotations: z.array(z.never()) }),
  ),
});
const Reasoning = z.strictObject({
  type: z.literal('reasoning'),
  id: z.string(),
  summary: z.array(z.strictObject({ type: z.literal('summary_text'), text: z.string() })),
  encrypted_content: z.string(),
});
const Called = z.strictObject({
  type: z.literal('function_call'),
  id: z.string().exactOptional(),
  call_id: z.string().min(1).max(64),
  name: z.string(),
  arguments: z.string(),
  status: z.literal('completed').exactOptional(),
});
const Output = z.strictObject({ type: z.literal('function_call_output'), call_id: z.string(), output: z.string() });
const Item = z.union([Spoken, Reasoning, Called, Output, Words]);
type Item = z.infer<typeof Item>;
const Body = z.strictObject({
  model: z.string().min(1),
  stream: z.literal(true),
  store: z.literal(false),
  include: z.tuple([z.literal('reasoning.encrypted_content')]),
  max_output_tokens: z.int().min(16).max(128_000),
  instructions: z.string().exactOptional(),
  reasoning: z
    .strictObject({
      effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']),
      summary: z.literal('auto'),
    })
    .exactOptional(),
  prompt_cache_key: z.string().max(64).exactOptional(),
  input: z.array(Item).min(1),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        name: z.string().regex(/^[\w-]{1,64}$/),
        description: z.string(),
        parameters: z.record(z.string(), z.unknown()),
        strict: z.literal(false),
      }),
    )
    .exactOptional(),
});
type Body = z.infer<typeof Body>;

const CONTEXT = 272_000;

export function responsesWire(now: () => number = Date.now): Wire {
  /** Items that go back together with a call or message, by the id of that. */
  const given = new Map<string, Item[]>();
  const cache = new PromptCache(1024, now);
  let count = 0;

  const check = (text: string): Body => {
    const parsed = Body.safeParse(JSON.parse(text));
    if (!parsed.success) throw new RefusedRequest(z.prettifyError(parsed.error));
    // A change of the library's types that makes this request impossible fails to compile here.
    const sent: OpenAI.Responses.ResponseCreateParamsStreaming = parsed.data;
    refuseUnless(sent.stream, 'stream: this server streams only');
    checkCalls(parsed.data.input);
    checkGiven(parsed.data.input, given);
    return parsed.data;
  };

  const answer = (text: string, _headers: unknown, model: Model): Answered => {
    let body: Body;
    try {
      body = check(text);
    } catch (error) {
      if (!(error instanceof RefusedRequest)) throw error;
      const { message } = error;
      const fault = { status: 400, body: { error: { type: 'invalid_request_error', code: null, message } } };
      return { fault, refused: message };
    }
    const tokens = tokensOf(text);
    if (tokens > CONTEXT) {
      const message = 'Your input exceeds the context window of this model.';
      return {
        fault: {
          status: 400,
          body: { error: { type: 'invalid_request_error', code: 'context_length_exceeded', message } },
        },
      };
    }
    const said = model(seenOf(body));
    if (isFault(said)) return { fault: said };
    count += 1;
    const items = itemsOf(said, count);
    // The item in which an answer was cut does not come back.
    const whole = said.stop === 'length' ? items.slice(0, -1) : items;
    for (const item of whole) if (item.type !== 'reasoning') given.set(keyOf(item), whole);
    const blocks = [
      JSON.stringify(body.tools),
      body.instructions ?? '',
      ...body.input.map((item) => JSON.stringify(item)),
    ];
    const served = cache.serve(blocks.map((block, place) => ({ text: block, isMarked: place >= blocks.length - 2 })));
    const usage = { ...served, output: tokensOf(JSON.stringify(items)) };
    const stream = eventsOf(said, items, { count, model: body.model, usage });
    return { stream, usage, ...(said.isBroken === true ? { isBroken: true } : {}) };
  };
  return { path: '/responses', answer };
}

function checkCalls(input: readonly Item[]): void {
  const calls = input.flatMap((item) => ('type' in item && item.type === 'function_call' ? [item.call_id] : []));
  const outputs = input.flatMap((item) =>
    'type' in item && item.type === 'function_call_output' ? [item.call_id] : [],
  );
  const open = calls.filter((id) => !outputs.includes(id));
  refuseUnless(open.length === 0, `No tool output found for function call ${open.join(', ')}.`);
  const odd = outputs.filter((id) => !calls.includes(id));
  refuseUnless(odd.length === 0, `No tool call found for function call output with call_id ${odd.join(', ')}.`);
}

/** Reasoning goes back with what it led to, in its order and as it came, and so do phases; or nothing of the turn is native any more. */
function checkGiven(input: readonly Item[], given: ReadonlyMap<string, readonly Item[]>): void {
  for (const item of input) {
    if (!('type' in item) || item.type === 'function_call_output' || item.type === 'reasoning') continue;
    // An item without the vendor's id is told anew, as by somebody else.
    if (!('id' in item) || item.id === undefined) continue;
    const turn = given.get(keyOf(item));
    refuseUnless(turn !== undefined, `Item with id '${item.id}' not found.`);
    const at = input.findIndex((one) => JSON.stringify(one) === JSON.stringify(turn![0]));
    const isWhole = at >= 0 && turn!.every((one, place) => JSON.stringify(input[at + place]) === JSON.stringify(one));
    refuseUnless(isWhole, `Item '${item.id}' was provided without its required 'reasoning' item, or changed.`);
  }
}

function keyOf(item: Item): string {
  if (!('type' in item)) return item.content;
  return item.type === 'function_call' || item.type === 'function_call_output' ? item.call_id : item.id;
}

function seenOf({ instructions = '', tools = [], input }: Body): Seen {
  const textOf = (item: Item): string[] =>
    'content' in item && typeof item.content === 'string' ? [item.content] : 'output' in item ? [item.output] : [];
  const isSaid = (item: Item): boolean => !('role' in item && item.role !== 'assistant') && !('output' in item);
  const last = input.findLastIndex(isSaid);
  return {
    turn: input.filter((item, place) => isSaid(item) && !(place > 0 && isSaid(input[place - 1]!))).length,
    system: instructions,
    tools: tools.map(({ name }) => name),
    told: input.slice(last + 1).flatMap(textOf),
    whole: input.flatMap(textOf).join('\n'),
  };
}

type Given = z.infer<typeof Spoken> | z.infer<typeof Reasoning> | z.infer<typeof Called>;

function itemsOf({ thinks, text = '', calls = [] }: Said, count: number): Given[] {
  const hash = createHash('sha256').update(`${count} ${thinks}`).digest('base64');
  return [
    ...(thinks === undefined
      ? []
      : [{ type: 'reasoning' as const, id: `rs_${count}`, summary: [], encrypted_content: hash }]),
    ...(text === ''
      ? []
      : [
          {
            type: 'message' as const,
            id: `msg_${count}`,
            role: 'assistant' as const,
            status: 'completed' as const,
            phase: calls.length > 0 ? ('commentary' as const) : ('final_answer' as const),
            content: [{ type: 'output_text' as const, text, annotations: [] }],
          },
        ]),
    ...calls.map(({ name, input }, place) => ({
      type: 'function_call' as const,
      id: `fc_${count}_${place}`,
      call_id: `call_${count}_${place}`,
      name,
      arguments: jsonOf(input),
      status: 'completed' as const,
    })),
  ];
}

interface Head {
  readonly count: number;
  readonly model: string;
  readonly usage: { readonly fresh: number; readonly read: number; readonly written: number; readonly output: number };
}

function eventsOf(said: Said, items: readonly Given[], { count, usage }: Head): string[] {
  const { fresh, read, written, output } = usage;
  const counted: OpenAI.Responses.ResponseUsage = {
    input_tokens: fresh + read + written,
    input_tokens_details: { cached_tokens: read, cache_write_tokens: written },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: fresh + read + written + output,
  };
  const reason = said.stop === 'length' ? 'max_output_tokens' : said.stop === 'refused' ? 'content_filter' : undefined;
  const isCut = said.stop === 'length';
  const response = {
    id: `resp_${count}`,
    status: reason === undefined ? 'completed' : 'incomplete',
    incomplete_details: reason === undefined ? null : { reason },
    error: null,
    usage: counted,
  };
  const events: { readonly type: string }[] = [
    { type: 'response.created' },
    ...items.flatMap((item, index) => eventsOfItem(item, index, isCut && index === items.length - 1)),
    { type: reason === undefined ? 'response.completed' : 'response.incomplete', response } as { type: string },
  ];
  return events.map(
    (event, place) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: place })}\n\n`,
  );
}

function eventsOfItem(item: Given, index: number, isCut: boolean): { readonly type: string }[] {
  const added = { type: 'response.output_item.added', output_index: index, item: { ...item, ...emptied(item) } };
  const status = isCut && item.type !== 'reasoning' ? { status: 'incomplete' } : {};
  const done = { type: 'response.output_item.done', output_index: index, item: { ...item, ...status } };
  if (item.type === 'reasoning') return [added, done];
  const pieces = halves(item.type === 'message' ? item.content.map(({ text }) => text).join('') : item.arguments);
  const type = item.type === 'message' ? 'response.output_text.delta' : 'response.function_call_arguments.delta';
  return [added, ...pieces.map((delta) => ({ type, output_index: index, item_id: item.id, delta })), done];
}

function emptied(item: Given): object {
  if (item.type === 'message') return { content: [], status: 'in_progress' };
  return item.type === 'function_call' ? { arguments: '', status: 'in_progress' } : {};
}
