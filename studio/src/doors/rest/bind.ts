/**
 * Joins path, query and body of a request into the one flat object that an operation takes.
 *
 * Text of the URL is decoded by the declared type of its field, and only here, so that a schema never has to
 * accept "true" for true. Whatever the declaration does not name is refused, wherever it stands.
 */
import { z } from 'zod';
import type { Operation } from '../../operations/kernel/define.js';
import { inputBinding, unwrapped } from '../../operations/kernel/input-fields.js';
import { refusal } from '../../reasons.js';

export interface RequestParts {
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Undefined when the request has no body. */
  readonly body: unknown;
}

export function bindInput(operation: Operation, parts: RequestParts): Record<string, unknown> {
  const { shape } = operation.in;
  const places = inputBinding(operation);
  const input: Record<string, unknown> = {};
  for (const key of places.path) input[key] = decodeField(key, shape[key], [parts.path[key] ?? '']);
  for (const key of new Set(parts.query.keys())) {
    if (!places.query.includes(key) && !places.either.includes(key)) throw invalid(key, 'no such query key');
    input[key] = decodeField(key, shape[key], parts.query.getAll(key));
  }
  for (const [key, value] of Object.entries(bodyObject(parts.body))) {
    if (!Object.hasOwn(shape, key)) throw invalid(key, 'no such field');
    if (!places.body.includes(key)) throw invalid(key, 'belongs in the URL, not in the body');
    input[key] = value;
  }
  return input;
}

function bodyObject(body: unknown): object {
  if (body === undefined) return {};
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw refusal('reject.invalid_input', 'the body must be a JSON object');
  }
  return body;
}

function decodeField(key: string, schema: z.core.$ZodType | undefined, texts: readonly string[]): unknown {
  if (schema === undefined) throw invalid(key, 'no such field');
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray) return texts.map((text) => decodeText(key, inner.element, text));
  const [text = ''] = texts;
  if (texts.length > 1) throw invalid(key, 'is given more than once');
  return decodeText(key, inner, text);
}

function decodeText(key: string, schema: z.core.$ZodType, text: string): unknown {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodBoolean) {
    if (text !== 'true' && text !== 'false') throw invalid(key, 'must be true or false');
    return text === 'true';
  }
  if (inner instanceof z.ZodNumber) {
    if (!/^-?\d{1,15}(\.\d{1,15})?$/.test(text)) throw invalid(key, 'must be a number');
    return Number(text);
  }
  return text;
}

function invalid(field: string, message: string): Error {
  return refusal('reject.invalid_input', `${field}: ${message}`, [{ field, message }]);
}
