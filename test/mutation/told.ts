/**
 * What an operation is told of its input while one of its fields is taken away: as if nobody had sent it; and where it has to be
 * sent, as if another value had been. `__mutant` says which field is on, and hears of all that make a difference.
 */
import { isDeepStrictEqual } from 'node:util';
import type { NamedOperation } from '@weft/studio';
import type { z } from 'zod';

declare const __mutant: (id: number) => boolean;

/** Input that was read, as the studio hands it on. */
interface Read {
  readonly value: unknown;
}

/** Name of a field among the mutants. One function reads those that all lists in pages have. */
export function nameOf({ id, in: { shape } }: Pick<NamedOperation, 'id' | 'in'>, field: string): string {
  const isPage = (field === 'cursor' || field === 'limit') && 'cursor' in shape && 'limit' in shape;
  return isPage ? `page.${field}` : `${id}.${field}`;
}

export function told<Input extends Read>(
  operation: NamedOperation,
  input: Input,
  ids: Readonly<Record<string, number>>,
): Input {
  const value = input.value as Readonly<Record<string, unknown>>;
  for (const [field, schema] of Object.entries(operation.in.shape as Readonly<Record<string, z.ZodType>>)) {
    if (value[field] === undefined) continue;
    const id = ids[nameOf(operation, field)];
    const other = instead(schema, value[field]);
    if (id === undefined || isDeepStrictEqual(other, value[field])) continue;
    if (!__mutant(id)) continue;
    const changed: object = { value: { ...value, [field]: other } };
    return Object.assign(Object.create(Object.getPrototypeOf(input) as object) as Input, changed);
  }
  return input;
}

/** What the schema makes of a field that is not there; else another value that it takes; else nothing. */
function instead(schema: z.ZodType, value: unknown): unknown {
  const absent = schema.safeParse(undefined);
  if (absent.success) return absent.data;
  const other = otherThan(value).find((each) => schema.safeParse(each).success);
  return other ?? choices(schema).find((each) => each !== value);
}

function otherThan(value: unknown): unknown[] {
  // A text that has nothing of it, where any will do.
  if (typeof value === 'string') return ['~', `${value}~`, `${value}x`, `x${value}`];
  if (typeof value === 'number') return [value + 1, value - 1];
  if (typeof value === 'boolean') return [!value];
  if (Array.isArray(value)) return [[], value.slice(1)];
  return [{}];
}

function choices(schema: z.ZodType): readonly unknown[] {
  return 'options' in schema && Array.isArray(schema.options) ? (schema.options as unknown[]) : [];
}
