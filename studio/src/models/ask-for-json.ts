/**
 * Structured output: asks a model for JSON of a given shape, tells it what is wrong with its answer, and gives up after a few
 * times.
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

export async function askForJson<T>(
  provider: Provider,
  request: Omit<ModelRequest, 'tools'>,
  shape: z.ZodType<T>,
  { signal, most = 2 }: { readonly signal: AbortSignal; readonly most?: number },
): Promise<JsonAnswer<T>> {
  let corrections: readonly ModelMessage[] = [];
  for (let asked = 0; ; asked += 1) {
    const messages = [...request.messages, ...corrections];
    const { text } = await provider.turn({ ...request, messages, tools: [] }, { signal });
    const found = shape.safeParse(jsonIn(text));
    if (found.success) return { answer: found.data, text };
    const why = z.prettifyError(found.error);
    if (asked >= most)
      throw new ProviderError('malformed', `the model did not answer in the form it was asked for: ${why}`);
    const quote = `Your last answer was not in the form that was asked for: ${why}\nIt began:\n${text.slice(0, MOST_QUOTED)}`;
    corrections = [{ role: 'user', text: `${quote}\nAnswer again, with the JSON alone.` }];
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
