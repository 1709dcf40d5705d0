/**
 * Structured output: a model is offered one tool whose input has the shape that is wanted, and is told what is wrong with its answer; after
 * a few times it is given up. A model that can call nothing answers with JSON.
 */
import { z } from 'zod';
import type { ModelMessage, ModelRequest, Provider } from './provider.js';
import { ProviderError } from './provider.js';

export interface JsonAnswer<T> {
  readonly answer: T;
  /** The whole reply. */
  readonly text: string;
}

const MOST_QUOTED = 300;
/** Name of the tool that takes the answer; the roles that ask for one say it. */
const TOOL = 'answer';

export async function askForJson<T>(
  provider: Provider,
  request: Omit<ModelRequest, 'tools'>,
  shape: z.ZodType<T>,
  { signal, most = 2 }: { readonly signal: AbortSignal; readonly most?: number },
): Promise<JsonAnswer<T>> {
  const input = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' });
  const tools = [{ name: TOOL, description: 'Takes the answer.', input }];
  let corrections: readonly ModelMessage[] = [];
  for (let asked = 0; ; asked += 1) {
    const messages = [...request.messages, ...corrections];
    const { text: said, calls } = await provider.turn({ ...request, messages, tools }, { signal });
    const call = calls.find(({ name }) => name === TOOL);
    const text = call ? JSON.stringify(call.input) : said;
    const found = shape.safeParse(call ? call.input : jsonIn(text));
    if (found.success) return { answer: found.data, text };
    const why = z.prettifyError(found.error);
    if (asked >= most)
      throw new ProviderError('malformed', `the model did not answer in the form it was asked for: ${why}`);
    const quote = `Your last answer was not in the form that was asked for: ${why}\nIt began:\n${text.slice(0, MOST_QUOTED)}`;
    corrections = [{ role: 'user', text: `${quote}\nAnswer again, in that form and with nothing else.` }];
  }
}

/** JSON between the first brace and the last one, whatever is said around it. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
  } catch {
    return undefined;
  }
}
