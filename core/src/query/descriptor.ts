/**
 * What a query asks for. [PJ3]
 *
 * All that it says must hold of a row: its key begins with `prefix` and matches `glob`, it is of that `kind`, and each
 * condition of `where` is met. `select` then keeps some members of the value.
 */
import { z } from 'zod';
import { GLOB_BOUNDS, Glob } from '../access/glob.js';
import { toHex, toUtf8 } from '../codec/bytes.js';
import { sha256 } from '../codec/hash.js';
import { KEY_BYTES } from '../codec/key-table.js';
import { Rejection } from '../rejection.js';
import { isSystemKey } from '../room/genesis.js';
import { type Json, canonicalJson, isList, memberAt } from './json.js';

export const KINDS = ['register', 'text', 'list', 'blob'] as const;
export type Kind = (typeof KINDS)[number];

/** A descriptor takes so many characters of JSON at most. */
const MOST_UNITS = 16_384;
const OPERATORS = ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'in', 'exists'] as const;

const Path = z.string().min(1);
/** The session and the store take no value that JSON does not. */
const Value = z.custom<Json>((value) => value !== undefined);

const Condition = z
  .strictObject({ field: Path, op: z.enum(OPERATORS), value: Value.optional() })
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
  where: z.array(Condition).optional(),
  select: z.array(Path).min(1).optional(),
  order_by: Order.optional(),
  limit: z.number().int().min(1).optional(),
});

type Condition = z.output<typeof Condition>;

/** What a row is before it is one. */
export interface Candidate {
  readonly key: string;
  readonly kind: Kind;
  readonly value: Json;
}

export class Query {
  /** As it was given, in one form. */
  readonly text: string;
  /** How many rows are shown. */
  readonly limit: number;
  readonly #parts: z.output<typeof Descriptor>;
  readonly #glob: Glob | undefined;

  private constructor(parts: z.output<typeof Descriptor>, text: string) {
    this.#parts = parts;
    this.text = text;
    this.limit = parts.limit ?? Number.POSITIVE_INFINITY;
    this.#glob = parts.glob === undefined ? undefined : new Glob(parts.glob);
  }

  /** Throws a `Rejection` for what is no descriptor. */
  static of(descriptor: unknown): Query {
    const parsed = Descriptor.safeParse(descriptor);
    const issue = parsed.error?.issues[0];
    if (!parsed.success) throw invalid(`descriptor.${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`);
    // Schemas leave no more than what JSON can say.
    const text = canonicalJson(descriptor as Json);
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
    return (this.#parts.where ?? []).every(({ field, ...condition }) => holds(at(key, value, field), condition));
  }

  shown(value: Json): Json {
    const { select } = this.#parts;
    if (!select) return value;
    const members = select.map((path) => [path, memberAt(value, path)] as const);
    return Object.fromEntries(members.flatMap(([path, found]) => (found === undefined ? [] : [[path, found]])));
  }

  /** What a row is put in order by, before its key; undefined where nothing is. */
  orderOf({ key, value }: Candidate): Json | undefined {
    return this.#parts.order_by && at(key, value, this.#parts.order_by.field);
  }

  compare(a: Json | undefined, b: Json | undefined): number {
    if (!this.#parts.order_by) return 0;
    return this.#parts.order_by.direction === 'asc' ? compare(a, b) : compare(b, a);
  }
}

/** `$key` is the key itself. */
const at = (key: string, value: Json, field: string): Json | undefined =>
  field === '$key' ? key : memberAt(value, field);

function holds(found: Json | undefined, { op, value }: Omit<Condition, 'field'>): boolean {
  if (op === 'exists') return (found !== undefined) === (value ?? true);
  if (op === 'ne') return !isSame(found, value);
  if (op === 'eq') return isSame(found, value);
  if (op === 'in') return value !== undefined && isList(value) && value.some((item) => isSame(found, item));
  // Numbers are compared with numbers and texts with texts.
  if (typeof found !== typeof value || (typeof found !== 'number' && typeof found !== 'string')) return false;
  const order = compare(found, value);
  return op === 'lt' ? order < 0 : op === 'le' ? order <= 0 : op === 'gt' ? order > 0 : order >= 0;
}

function isSame(a: Json | undefined, b: Json | undefined): boolean {
  return a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b);
}

/** Nothing, null, booleans, numbers, texts, everything else; the last by its JSON. */
function compare(a: Json | undefined, b: Json | undefined): number {
  const [rankA, rankB] = [rankOf(a), rankOf(b)];
  if (rankA !== rankB || a === undefined || b === undefined) return rankA - rankB;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  return compareText(canonicalJson(a), canonicalJson(b));
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function rankOf(value: Json | undefined): number {
  if (value === undefined) return 0;
  if (value === null) return 1;
  return typeof value === 'boolean' ? 2 : typeof value === 'number' ? 3 : typeof value === 'string' ? 4 : 5;
}

export function invalid(message: string): Rejection {
  return new Rejection('reject.invalid_payload', message);
}
