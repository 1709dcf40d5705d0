/**
 * Frames and host commands made from the schemas of the command table, with values drawn from what has gone by: a command is in
 * the simulation from the day it is declared. Only what a schema leaves open has a hint here.
 */
import { commandTable } from '@weft/core';
import { z } from 'zod';
import type { Random } from '../convergence/random.js';

type Schema = {
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

  constructor(random: Random) {
    const types = [...commandTable.commands.keys()].map((type) => random.pick(type.split(/[.-]/)));
    const variants = [...commandTable.hostCommands.keys()].map((name) => random.pick(name.split(/(?=[A-Z])/)));
    const isOfFamilies = random.chance(35);
    this.themes = isOfFamilies ? ['topology', 'Topology'] : [random.pick(types), random.pick(variants)];
  }

  note(value: unknown, name = '', depth = 0): void {
    if (typeof value === 'object' && value !== null && 'child_room_id' in value && 'lineage' in value) {
      const parent: unknown = Object(value.lineage).parent_room_id;
      this.parents.set(String(value.child_room_id), String(parent));
    }
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

  /** What a room was when somebody was told of it last. */
  readonly rooms = new Map<string, { readonly canonical_hash: string; readonly frontier: readonly string[] }>();

  /** Words in the names of commands that come more often than others in this world, so that some worlds go deep. */
  readonly themes: readonly string[];
  /** Room for which the next command is made. */
  here = '';
  /** Children that were made, each with its parent. */
  readonly parents = new Map<string, string>();

  /** Ids and hashes, whatever their names. */
  get hex(): readonly string[] {
    const all = ['frontier', 'canonical_hash', 'pubkey', 'hash', 'node_id', 'server_pubkey', 'root'];
    return all.flatMap((name) => this.of(name)).filter((value): value is string => typeof value === 'string');
  }
}

/**
 * Fields whose schema says less than what a command takes, by the field's name or by `command.field`; and, by the name of a
 * command, fields of it that only make sense together.
 */
export type Hints = Readonly<Record<string, (random: Random, known: Known) => unknown>>;

const schemas = new Map<z.ZodType, Schema>();

function schemaOf(type: z.ZodType): Schema {
  const known = schemas.get(type) ?? (z.toJSONSchema(type, { unrepresentable: 'any', io: 'input' }) as Schema);
  schemas.set(type, known);
  return known;
}

export class Generator {
  readonly #random: Random;
  readonly #known: Known;
  readonly #hints: Hints;

  constructor(random: Random, known: Known, hints: Hints) {
    [this.#random, this.#known, this.#hints] = [random, known, hints];
  }

  /** A frame of some command of connections but the one that a connection begins with. */
  frame(): { readonly type: string } {
    const command = this.#likely(
      [...commandTable.commands.values()].filter(({ first }) => !first),
      ({ type }) => type,
    );
    return { ...this.#object(schemaOf(command.in), command.type), type: command.type };
  }

  hostCommand(): Readonly<Record<string, object>> {
    const command = this.#likely([...commandTable.hostCommands.values()], ({ variant }) => variant);
    return { [command.variant]: this.#object(schemaOf(command.in), command.variant) };
  }

  /** Any of them; more often one of this world's theme, or one that takes what has gone by and has no other source. */
  #likely<T extends { readonly in: z.ZodType }>(commands: readonly T[], nameOf: (command: T) => string): T {
    const random = this.#random;
    const ofTheme = commands.filter((command) => this.#known.themes.some((word) => nameOf(command).includes(word)));
    if (ofTheme.length > 0 && random.chance(60)) return random.pick(ofTheme);
    const goOn = commands.filter(({ in: input }) =>
      Object.keys(schemaOf(input).properties ?? {}).some(
        (name) => !(name in this.#hints) && this.#known.of(name).length > 0,
      ),
    );
    return random.pick(goOn.length > 0 && random.chance(8) ? goOn : commands);
  }

  #object({ properties = {}, required = [] }: Schema, command: string): Record<string, unknown> {
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
        return this.#object(schema, command);
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
