/** Results with long lists, on which nobody who asks for something else should have to wait. */
import { z } from 'zod';
import { inTurns } from '../ledger/in-turns.js';

const LONG = 200;
/** So far below the top of a result its lists are. */
const DEEP = 3;

/** What a schema makes of a result. */
export async function parsedInTurns(schema: z.ZodType, value: unknown): Promise<unknown> {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (inner instanceof z.ZodArray && isLong(value)) {
    const { element } = inner;
    return inTurns(value, (item) => z.parse(element, item));
  }
  if (!(inner instanceof z.ZodObject) || !isRecord(value)) return schema.parse(value);
  const long = Object.entries(value).filter(([name, field]) => name in inner.shape && isLong(field));
  if (long.length === 0) return schema.parse(value);
  // All but the long lists at once: no schema of a result says how many there must be.
  const parsed: unknown = schema.parse({ ...value, ...Object.fromEntries(long.map(([name]) => [name, []])) });
  const lists = await Promise.all(
    long.map(async ([name, list]) => [name, await parsedInTurns(inner.shape[name], list)]),
  );
  return Object.assign(Object(parsed), Object.fromEntries(lists));
}

/** As `JSON.stringify`. */
export async function jsonInTurns(value: unknown, deep = DEEP): Promise<string> {
  if (isLong(value)) return `[${(await inTurns(value, (item) => JSON.stringify(item ?? null))).join()}]`;
  if (deep === 0 || !isRecord(value) || !Object.values(value).some((field) => holdsLong(field, deep - 1)))
    return JSON.stringify(value);
  const fields: string[] = [];
  for (const [name, field] of Object.entries(value))
    if (field !== undefined) fields.push(`${JSON.stringify(name)}:${await jsonInTurns(field, deep - 1)}`);
  return `{${fields.join()}}`;
}

function holdsLong(value: unknown, deep: number): boolean {
  if (isLong(value)) return true;
  return deep > 0 && isRecord(value) && Object.values(value).some((field) => holdsLong(field, deep - 1));
}

function isLong(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.length > LONG;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
