/**
 * Tool calling by text: for a model that only reads and writes text the conversation is written out, and a call is a block of
 * JSON in its answer.
 */
import { z } from 'zod';
import type { ModelMessage, ModelRequest } from '../../provider.js';
import { jsonMeant } from '../replies/lenient.js';
import { parseJson } from '../replies/parse-json.js';
import { MalformedReply, type Reply } from '../replies/reply.js';

const FENCE = '```calls';
const Calls = z.array(z.object({ name: z.string(), input: z.unknown().optional() }));

export function wholePrompt({ system, tools, messages }: ModelRequest): string {
  const instructions = [system, ...(tools.length === 0 ? [] : [toolsText(tools)])].filter((part) => part !== '');
  return [
    ...(instructions.length === 0 ? [] : [`<instructions>\n${instructions.join('\n\n')}\n</instructions>`]),
    nextPrompt(messages),
  ].join('\n\n');
}

/** Next prompt for a model that remembers what came before. */
export function nextPrompt(messages: readonly ModelMessage[]): string {
  const said = messages.map(messageText).join('\n\n');
  return `<conversation>\n${said}\n</conversation>\n\nWrite the assistant's next turn, and nothing else.`;
}

/** Splits what a model wrote into text and calls. */
export function readText(text: string, reply: Reply): void {
  // A truncated turn may end inside a block.
  if (reply.stop === 'length' || reply.stop === 'refused') return;
  const [before = '', ...blocks] = text.split(FENCE);
  let kept = before;
  let index = 0;
  for (const block of blocks) {
    const end = /^[^\S\n]*```[^\S\n]*$/m.exec(block);
    if (!end) throw new MalformedReply('a block of calls has no end', text, reply.spent());
    for (const { name, input = {} } of callsIn(block.slice(0, end.index), text, reply)) {
      reply.addCall(index, { name, json: JSON.stringify(input) });
      index += 1;
    }
    kept += block.slice(end.index + end[0].length);
  }
  reply.text = kept.trim();
}

function callsIn(json: string, text: string, reply: Reply): z.infer<typeof Calls> {
  const parsed = reply.isLenient ? jsonMeant(json) : parseJson(json);
  const calls = Calls.safeParse(Array.isArray(parsed) ? parsed : [parsed]);
  if (calls.success) return calls.data;
  const why = parsed === undefined ? 'is not JSON' : 'is not a list of objects with name and input';
  throw new MalformedReply(`a block of calls ${why}`, text, reply.spent());
}

function toolsText(tools: ModelRequest['tools']): string {
  const described = tools.map(
    ({ name, description, input }) => `- ${name}: ${description}\n  input: ${JSON.stringify(input)}`,
  );
  return [
    'You have no tools but these. To call some of them, end your turn with one block of this form, and write nothing after it:',
    `${FENCE}\n[{"name": "<tool>", "input": {}}]\n\`\`\``,
    'The results come with the next message. A turn without such a block is your last one.',
    ...described,
  ].join('\n');
}

function messageText(message: ModelMessage): string {
  if (message.role === 'user' || message.role === 'notice') return `<user>\n${message.text}\n</user>`;
  if (message.role === 'tool')
    return `<result of="${message.callId}"${message.isError ? ' failed="true"' : ''}>\n${message.text}\n</result>`;
  const { text, calls } = message;
  const block =
    calls.length === 0
      ? []
      : [`${FENCE}\n${JSON.stringify(calls.map(({ name, input }) => ({ name, input })))}\n\`\`\``];
  return `<assistant>\n${[...(text === '' ? [] : [text]), ...block].join('\n')}\n</assistant>`;
}
