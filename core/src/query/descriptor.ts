/**
 * What a query asks for. [PJ3]
 *
 * All that it says must hold of a row: its key begins with `prefix` and matches `glob`, it is of that `kind`, and each
 * condition of `where` is met. `select` then keeps some members of the value.
 */
import { z } from 'zod';
import { GLOB_BOUNDS, Glob } from '../access/glob.js';
import { toHex, toUtf8 } from '../codec/bytes/bytes.js';
import { type Json, canonicalJson, isList } from '../codec/bytes/canonical-json.js';
import { sha256 } from '../codec/bytes/hash.js';
import { KEY_BYTES } from '../codec/nodes/key-table.js';
import { isSystemKey } from '../crdt/system-keys.js';
import { Rejection } from '../rejection.js';
import { memberAt } from './json.js';

export const KINDS = ['register', 'text', 'list', 'blob'] as const;
export type Kind = (typeof KINDS)[number];

/** A descriptor takes so many characters of JSON at most. */
const MOST_UNITS = 16_384;
const MOST_CONDITIONS = 32;
const OPERATORS = ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'in', 'exists'] as const;

const Path = z.string().min(1);
const Condition = z
  .strictObject({ field: Path, op: z.enum(OPERATORS), value: z.json().optional() })
  .refine(({ op, value }) => {
    if (op === 'exists') return value === undefined || typeof value === 'boolean';
    if (op === 'in') return Array.isArray(value);
    if (op === 'eq' || op === 'ne') return value !== undefined;
    return typeof value === 'number' || typeof value === 'string';
  }, 'the value does not go with the op');

const Order = z.union([
  Path.transform((field) => ({ field, direction: 'asc' as const })),
  z.strictObject({ field: Path, direction: z.enum(['asc', 'desc']).default('asc') }),
]);

const Descriptor = z.strictObject({
  prefix: z.string().max(KEY_BYTES).optional(),
  glob: z.string().max(GLOB_BOUNDS.length).optional(),
  kind: z.enum(KINDS).optional(),
  where: z.array(Condition).max(MOST_CONDITIONS).optional(),
  select: z.array(Path).min(1).optional(),
  order_by: Order.optional(),
  limit: z.number().int().min(1).optional(),
});

/** What is looked for, once for all rows. */
interface Test {
  readonly field: string;
  readonly op: (typeof OPERATORS)[number];
  readonly value: Json | undefined;
  /** What `eq`, `ne` and `in` look for, as canonical JSON. */
  readonly texts: ReadonlySet<string>;
}

/** Value to sort by: by its kind, then as number or text. */
export interface Sortable {
  readonly rank: number;
  readonly by: number | string;
}

/** What a row is before it is one. */
export interface Candidate {
  readonly key: string;
  readonly kind: Kind;
  readonly value: Json;
}

export class Query {
  /** The descriptor as it was given, in one form. */
  readonly text: string;
  /** How many rows are shown. */
  readonly limit: number;
  readonly #parts: z.output<typeof Descriptor>;
  readonly #glob: Glob | undefined;
  readonly #tests: readonly Test[];

  private constructor(parts: z.output<typeof Descriptor>, text: string) {
    this.#parts = parts;
    this.text = text;
    this.limit = parts.limit ?? Number.POSITIVE_INFINITY;
    this.#glob = parts.glob === undefined ? undefined : new Glob(parts.glob);
    this.#tests = (parts.where ?? []).map(({ field, op, value }) => {
      const wanted = value === undefined ? [] : op === 'in' && isList(value) ? value : [value];
      return { field, op, value, texts: new Set(wanted.map(canonicalJson)) };
    });
  }

  /** Throws a `Rejection` for what is no descriptor. */
  static of(descriptor: unknown): Query {
    const parsed = Descriptor.safeParse(descriptor);
    const issue = parsed.error?.issues[0];
    if (!parsed.success) throw invalid(`descriptor.${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`);
    const text = canonicalJson(JSON.parse(JSON.stringify(descriptor)) as Json);
    if (text.length > MOST_UNITS) throw invalid(`the descriptor takes more than ${MOST_UNITS} characters`);
    return new Query(parsed.data, text);
  }

  get hash(): string {
    return toHex(sha256(toUtf8(this.text)));
  }

  mayTouch(key: string): boolean {
    return !isSystemKey(key) && key.startsWith(this.#parts.prefix ?? '') && (this.#glob?.matches(key) ?? true);
  }

  wants(kind: Kind): boolean {
    return this.#parts.kind === undefined || this.#parts.kind === kind;
  }

  meets({ key, value }: Candidate): boolean {
    return this.#tests.every((test) => holds(at(key, value, test.field), test));
  }

  shown(value: Json): Json {
    const { select } = this.#parts;
    if (!select) return value;
    const members = select.map((path) => [path, memberAt(value, path)] as const);
    return Object.fromEntries(members.flatMap(([path, found]) => (found === undefined ? [] : [[path, found]])));
  }

  get isOrdered(): boolean {
    return this.#parts.order_by !== undefined;
  }

  /** What a row is put in order by, before its key. */
  orderOf({ key, value }: Candidate): Sortable | undefined {
    return this.#parts.order_by && sortable(at(key, value, this.#parts.order_by.field));
  }

  compare(a: Sortable | undefined, b: Sortable | undefined): number {
    if (!a || !b) return 0;
    const order = a.rank - b.rank || compareBy(a.by, b.by);
    return this.#parts.order_by?.direction === 'desc' ? -order : order;
  }
}

/** `$key` is the key itself. */
const at = (key: string, value: Json, field: string): Json | undefined =>
  field === '$key' ? key : memberAt(value, field);

function holds(found: Json | undefined, { op, value, texts }: Test): boolean {
  if (op === 'exists') return (found !== undefined) === (value ?? true);
  if (op === 'eq' || op === 'in') return found !== undefined && texts.has(canonicalJson(found));
  if (op === 'ne') return found === undefined || !texts.has(canonicalJson(found));
  // Numbers are compared with numbers and texts with texts.
  const isNumber = typeof found === 'number' && typeof value === 'number';
  if (!isNumber && !(typeof found === 'string' && typeof value === 'string')) return false;
  const order = compareBy(found, value);
  return op === 'lt' ? order < 0 : op === 'le' ? order <= 0 : op === 'gt' ? order > 0 : order >= 0;
}

/** Two numbers, or two texts by their code units. */
export function compareBy(a: number | string, b: number | string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Nothing, null, booleans, numbers, texts, everything else; the last by its JSON. */
function sortable(value: Json | undefined): Sortable {
  if (value === undefined) return { rank: 0, by: 0 };
  if (value === null) return { rank: 1, by: 0 };
  if (typeof value === 'boolean') return { rank: 2, by: value ? 1 : 0 };
  if (typeof value === 'number') return { rank: 3, by: value };
  return typeof value === 'string' ? { rank: 4, by: value } : { rank: 5, by: canonicalJson(value) };
}

export function invalid(message: string): Rejection {
  return new Rejection('reject.invalid_payload', message);
}
