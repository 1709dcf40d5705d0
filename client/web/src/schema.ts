/** Schemas of values by name: checked when something is written, flagged when something is read that others wrote. */
import type { StandardSchema } from './types.js';

/** Schemas by name, or by the beginning of names with a `*` behind it. */
export type ValueSchemas = Readonly<Record<string, StandardSchema>>;

/** A value that its schema refuses; nothing was written. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
  readonly key: string;
  readonly issues: readonly string[];

  constructor(key: string, issues: readonly string[]) {
    super(`${key} cannot be ${issues.join('; ')}`);
    this.key = key;
    this.issues = issues;
  }
}

/** What is wrong with a value under its name; nothing where no schema is for it. */
export function issuesOf(schemas: ValueSchemas, key: string, value: unknown): readonly string[] {
  const own = Object.hasOwn(schemas, key) ? schemas[key] : undefined; // not what every object has, as `constructor`
  const schema = own ?? Object.entries(schemas).find(([name]) => isBelow(name, key))?.[1];
  if (!schema) return [];
  const result = schema['~standard'].validate(value);
  if (result instanceof Promise) throw new TypeError(`the schema of ${key} answers later: a write cannot wait for it`);
  return result.issues?.map(({ message }) => message) ?? [];
}

function isBelow(name: string, key: string): boolean {
  return name.endsWith('*') && key.startsWith(name.slice(0, -1));
}
