/**
 * The rules that a declaration must keep and the compiler cannot see. Tests hold every table to them: what a build has
 * declared is the same at each start, and looking through it would take a fiftieth of one.
 */
import { z } from 'zod';
import type { NamedOperation } from '../../operations/kernel/define.js';
import { inputBinding, unwrapped } from '../../operations/kernel/input-fields.js';

/** Clients put their own prefix before a tool's name and cut or refuse what is longer than 64. */
const TOOL_NAME = /^[a-z][a-z0-9]*(_[a-zA-Z0-9]+)*$/;
const MAX_TOOL_NAME = 40;

export function checkTable(table: readonly NamedOperation[]): void {
  refuseRepeated(
    'operation id',
    table.map((operation) => operation.id),
  );
  refuseRepeated(
    'route',
    table.flatMap(({ rest }) => (rest ? [`${rest.method} ${rest.path.replace(/\{[^}]*\}/g, '{}')}`] : [])),
  );
  refuseRepeated(
    'tool',
    table.flatMap(({ tool }) => tool ?? []),
  );
  refuseRepeated(
    'external tool',
    table.flatMap(({ external }) => external?.name ?? []),
  );
  for (const operation of table) checkOperation(operation);
  const ids = new Set(table.map(({ id }) => id));
  for (const { id, asks } of table)
    if (asks && !ids.has(asks.answeredBy))
      throw new Error(`operation ${id} asks what no operation takes the answer to`);
  for (const { id, follows } of table)
    if (follows && !(ids.has(follows.begunBy) && ids.has(follows.endedBy)))
      throw new Error(`operation ${id} follows what no operation begins or ends`);
}

function checkOperation({ id, rest, tool, external, hints, ...operation }: NamedOperation): void {
  const fail = (why: string): never => {
    throw new Error(`operation ${id} ${why}`);
  };
  for (const name of [tool, external?.name]) {
    if (name !== undefined && (!TOOL_NAME.test(name) || name.length > MAX_TOOL_NAME))
      fail(`has the unusable tool name ${name}`);
  }
  if (rest === undefined && tool === undefined && external === undefined) fail('has no door');
  if (operation.human && operation.dispatch) fail('is for people, and for agents too');
  if (operation.ofPeople.length > 0 && !operation.dispatch) fail('keeps fields from agents, who cannot call it');
  if (operation.asks && !hints.readOnly) fail('asks, and would do twice what it does');
  if (operation.follows && !hints.readOnly) fail('follows what it changes');
  if (hints.readOnly && hints.destructive) fail('says that it is both read-only and destructive');
  if (rest !== undefined) {
    if ((rest.method === 'GET') !== hints.readOnly) fail('must be GET exactly when it changes nothing');
    const { path, query, either, body } = inputBinding({ rest, in: operation.in });
    if (rest.method === 'GET' && body.length > 0) fail(`has no body for ${body.join(', ')}; list them in query`);
    if (path.includes('branchId') && !either.includes('branchId')) fail('takes a branch that the query cannot name');
    for (const key of [...path, ...query]) {
      const field = operation.in.shape[key];
      if (field === undefined || !isText(field)) fail(`has ${key} in its URL, which text cannot spell`);
    }
  }
  for (const [part, schema] of [
    ['in', operation.in],
    ['out', operation.out],
    ['external out', external?.out],
  ] as const) {
    const bare = schema === undefined ? undefined : fieldWithoutDescription(schema, part);
    if (bare !== undefined) fail(`leaves ${bare} undescribed`);
  }
}

function isText(schema: z.core.$ZodType): boolean {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray) return !(inner.element instanceof z.ZodArray) && isText(inner.element);
  return [z.ZodString, z.ZodNumber, z.ZodBoolean, z.ZodEnum].some((kind) => inner instanceof kind);
}

function fieldWithoutDescription(schema: z.core.$ZodType, path: string): string | undefined {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray) return fieldWithoutDescription(inner.element, `${path}[]`);
  if (!(inner instanceof z.ZodObject)) return undefined;
  for (const [key, field] of Object.entries(inner.shape)) {
    const at = `${path}.${key}`;
    if (descriptionOf(field) === undefined) return at;
    const deeper = fieldWithoutDescription(field, at);
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}

/** Description of a field, or of what it wraps. */
function descriptionOf(field: z.core.$ZodType): string | undefined {
  const own = z.globalRegistry.get(field)?.description;
  if (own !== undefined) return own;
  const isWrapper = field instanceof z.ZodOptional || field instanceof z.ZodNullable || field instanceof z.ZodDefault;
  return isWrapper ? descriptionOf(field.unwrap()) : undefined;
}

function refuseRepeated(what: string, names: readonly string[]): void {
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new Error(`the ${what} ${repeated} is declared twice`);
}
