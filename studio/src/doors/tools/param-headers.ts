/**
 * Arguments in headers: a tool may name (`x-mcp-header` in its input schema) which of its arguments a client repeats in a header
 * `Mcp-Param-<name>`, for whatever routes requests without reading them. Whoever reads the body checks that both say the same.
 */
import type { Tool } from './offer.js';

interface Declared {
  readonly path: readonly string[];
  readonly header: string;
}

/** What a value that no header could carry begins and ends with: its text in Base64 stands between. */
const ENCODED = /^=\?base64\?(.*)\?=$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const DECIMAL = /^-?\d+(\.\d+)?$/;
/** Code of the protocol for a header that disagrees with the body. */
const MISMATCH = -32_020;

const declaredIn = new WeakMap<object, readonly Declared[]>();

/** Refusal of a call whose headers and arguments disagree. */
export function refusedHeaders(
  id: unknown,
  { inputSchema }: Pick<Tool, 'inputSchema'>,
  given: unknown,
  headers: Headers,
): Response | undefined {
  for (const { path, header } of declarations(inputSchema)) {
    const value = path.reduce<unknown>(fieldOf, given);
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue;
    const said = headers.get(header);
    if (said !== null && agrees(said, value)) continue;
    const where = path.join('.');
    const message =
      said === null
        ? `the arguments have ${where}, and the header ${header} is missing`
        : `the header ${header} does not say what ${where} of the arguments is`;
    const error = { code: MISMATCH, message, data: { mismatch: { header, body: where } } };
    return Response.json({ jsonrpc: '2.0', id, error }, { status: 400 });
  }
  return undefined;
}

function agrees(said: string, value: string | number | boolean): boolean {
  const text = decoded(said);
  if (typeof value === 'number' && text !== undefined && DECIMAL.test(text)) return Number(text) === value;
  return text === String(value);
}

/** Text of a header; undefined where it is said to be encoded and is not. */
function decoded(said: string): string | undefined {
  const [, encoded] = ENCODED.exec(said) ?? [];
  if (encoded === undefined) return said;
  if (!BASE64.test(encoded)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64'));
  } catch {
    return undefined;
  }
}

function declarations(schema: Tool['inputSchema']): readonly Declared[] {
  const known = declaredIn.get(schema);
  if (known) return known;
  const found: Declared[] = [];
  const visit = (node: unknown, path: readonly string[]): void => {
    const header = fieldOf(node, 'x-mcp-header');
    if (typeof header === 'string') found.push({ path, header: `Mcp-Param-${header}` });
    for (const [name, inner] of Object.entries(fieldOf(node, 'properties') ?? {})) visit(inner, [...path, name]);
  };
  visit(schema, []);
  declaredIn.set(schema, found);
  return found;
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
