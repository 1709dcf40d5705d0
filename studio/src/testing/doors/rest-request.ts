/** Any operation's input as the request that says it. */
import type { NamedOperation } from '../../operations/kernel/define.js';
import { inputBinding } from '../../operations/kernel/input-fields.js';
import { testTokens } from '../test-studio.js';

export function requestFor(method: string, path: string, body?: string): Request {
  const headers = {
    host: 'localhost',
    authorization: `Bearer ${testTokens.admin}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  return new Request(`http://localhost${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
}

/** A URL has its own meaning for a segment of dots, and for an empty one. */
export function canBeRoute(operation: NamedOperation, input: Readonly<Record<string, unknown>>): boolean {
  if (!operation.rest) return false;
  return inputBinding(operation).path.every((key) => !['', '.', '..'].includes(textOf(input[key])));
}

function textOf(value: unknown): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.replace(/[\ud800-\udfff]/g, '?'); // half a character cannot stand in a URL
}

/** The request that says this input, as well as a URL and a body can. */
export function restRequest(operation: NamedOperation, input: Readonly<Record<string, unknown>>): Request {
  const { method, path } = operation.rest!;
  const places = inputBinding(operation);
  const filled = path.replace(/\{([^}]*)\}/g, (_, key: string) => encodeURIComponent(textOf(input[key])));
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(input))
    if (places.query.includes(key) || (method === 'GET' && !places.path.includes(key)))
      for (const one of Array.isArray(value) ? value : [value]) query.append(key, textOf(one));
  const isBody = ([key]: [string, unknown]) => !places.path.includes(key) && !places.query.includes(key);
  const body = method === 'GET' ? undefined : JSON.stringify(Object.fromEntries(Object.entries(input).filter(isBody)));
  return requestFor(method, `${filled}?${query.toString()}`, body);
}
