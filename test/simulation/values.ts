/** Values made from schemas, and drawn from what has gone by: what commands and operations are asked with. */
import { z } from 'zod';
import type { Random } from '../convergence/random.js';

export type Schema = {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
};

/** So many values of one name are remembered. */
const KEPT = 24;
const DEEP = 6;

/** Values that have gone by, by the names of their fields: ids, hashes, positions, proposals, cursors. */
export class Known {
  readonly #values = new Map<string, unknown[]>();

  note(value: unknown, name = '', depth = 0): void {
    if (Array.isArray(value)) {
      for (const item of value.slice(0, 4)) this.note(item, name, depth + 1);
    } else if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array)) {
      if (depth < DEEP) for (const [field, item] of Object.entries(value)) this.note(item, field, depth + 1);
    } else if ((typeof value === 'string' && value.length <= 256) || typeof value === 'number') this.keep(name, value);
  }

  keep(name: string, value: unknown): void {
    const values = this.#values.get(name) ?? [];
    this.#values.set(name, values);
    if (values.includes(value)) return;
    values.push(value);
    if (values.length > KEPT) values.shift();
  }

  of(name: string): readonly unknown[] {
    return this.#values.get(name) ?? [];
  }

  /** Ids and hashes, whatever their names. */
  get hex(): readonly string[] {
    const all = ['frontier', 'canonical_hash', 'pubkey', 'hash', 'node_id', 'server_pubkey', 'root'];
    return all.flatMap((name) => this.of(name)).filter((value): value is string => typeof value === 'string');
  }
}

/**
 * Fields whose schema says less than what is taken, by the field's name or by `command.field`; and, by the name of a command,
 * fields of it that only make sense together.
 */
export type Hints<Seen extends Known> = Readonly<Record<string, (random: Random, known: Seen) => unknown>>;

const schemas = new Map<z.ZodType, Schema>();

export function schemaOf(type: z.ZodType): Schema {
  const known = schemas.get(type) ?? (z.toJSONSchema(type, { unrepresentable: 'any', io: 'input' }) as Schema);
  schemas.set(type, known);
  return known;
}

export class Values<Seen extends Known> {
  readonly #random: Random;
  readonly #known: Seen;
  readonly #hints: Hints<Seen>;

  constructor(random: Random, known: Seen, hints: Hints<Seen>) {
    [this.#random, this.#known, this.#hints] = [random, known, hints];
  }

  /** Fields of a command: those that it needs, and some of the others. */
  object({ properties = {}, required = [] }: Schema, command: string): Record<string, unknown> {
    const fields = Object.entries(properties).flatMap(([name, schema]) => {
      const isHinted = `${command}.${name}` in this.#hints || name in this.#hints;
      const share = required.includes(name) ? 99 : isHinted ? 90 : 20;
      return this.#random.chance(share) ? [[name, this.#value(name, schema, command)] as const] : [];
    });
    const together = this.#hints[command]?.(this.#random, this.#known);
    return { ...Object.fromEntries(fields), ...(typeof together === 'object' ? together : {}) };
  }

  #value(name: string, schema: Schema, command: string): unknown {
    const random = this.#random;
    const hint = this.#hints[`${command}.${name}`] ?? this.#hints[name];
    if (hint && random.chance(95)) return hint(random, this.#known);
    const known = this.#known.of(name);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return random.pick(schema.enum);
    if (schema.anyOf) return this.#value(name, random.pick(schema.anyOf), command);
    if (schema.type === 'array') {
      const { items } = schema;
      return Array.from({ length: random.below(3) }, () => (items ? this.#value(name, items, command) : 1));
    }
    if (known.length > 0 && random.chance(95)) return random.pick(known);
    return this.#fresh(schema, command);
  }

  #fresh(schema: Schema, command: string): unknown {
    const random = this.#random;
    switch (schema.type) {
      case 'object':
        return this.object(schema, command);
      case 'boolean':
        return random.chance(50);
      case 'integer':
      case 'number':
        return Math.min(schema.maximum ?? 50, Math.max(schema.minimum ?? 0, random.below(50)));
      case 'string':
        if (schema.pattern?.includes('64')) return random.pick([...this.#known.hex, '0'.repeat(64)]);
        return random.pick(['a', 'b', 'docs/a', 'x', '']);
      default:
        return random.pick([null, 0, 'a', [], {}]);
    }
  }
}
