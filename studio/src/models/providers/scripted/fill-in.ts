/** Templates: words in double braces in a script stand for who asks and for what tools have answered. */
import type { ModelRequest } from '../../provider.js';
import { ProviderError } from '../../provider.js';
import { parseJson } from '../replies/parse-json.js';

const OPEN = /\{\{\s*([\w.-]+)\s*\}\}/g;

/** Filled value: every template in its texts is replaced. A text that is one template becomes the value itself. */
export function fillIn<T>(value: T, request: ModelRequest): T;
export function fillIn(value: unknown, request: ModelRequest): unknown {
  if (typeof value === 'string') return filled(value, request);
  if (Array.isArray(value)) return value.map((one) => fillIn<unknown>(one, request));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fillIn<unknown>(one, request)]));
}

function filled(text: string, request: ModelRequest): unknown {
  const [only] = text.matchAll(OPEN);
  if (only?.[0] === text) return meant(only[1] ?? '', request);
  return text.replaceAll(OPEN, (_, word: string) => {
    const value = meant(word, request);
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}

function meant(word: string, { about = {}, messages }: ModelRequest): unknown {
  const [first = '', ...path] = word.split('.');
  const found =
    first === 'result' ? latest(path, messages) : { role: about.role, unit: about.unit, title: about.title }[first];
  if (found === undefined)
    throw new ProviderError('refused', `the script speaks of {{${word}}}, which nobody has told`);
  return found;
}

/** Value at a path of the last tool result that has one. */
function latest(path: readonly string[], messages: ModelRequest['messages']): unknown {
  for (const message of messages.toReversed()) {
    if (message.role !== 'tool') continue;
    const found = path.reduce<unknown>(
      (value, key) =>
        typeof value === 'object' && value !== null
          ? Object.entries(value).find(([name]) => name === key)?.[1]
          : undefined,
      parseJson(message.text),
    );
    if (found !== undefined) return found;
  }
  return undefined;
}
