/**
 * Frames and host commands made from the schemas of the command table: a command is in the simulation from the day it is declared.
 * Only what a schema leaves open has a hint.
 */
import { commandTable } from '@weft/core';
import type { z } from 'zod';
import type { Random } from '../convergence/random.js';
import { saysSecret } from './canaries.js';
import { type Hints, Known, Values, schemaOf } from './values.js';

/** What has gone by between peers and rooms. */
export class KnownOfRooms extends Known {
  /** What a room was when somebody was told of it last. */
  readonly rooms = new Map<string, { readonly canonical_hash: string; readonly frontier: readonly string[] }>();
  /** Words in the names of commands that come more often than others in this world, so that some worlds go deep. */
  readonly themes: readonly string[];
  /** Room for which the next command is made. */
  here = '';
  /** Children that were made, each with its parent. */
  readonly parents = new Map<string, string>();

  constructor(random: Random) {
    super();
    const types = [...commandTable.commands.keys()].map((type) => random.pick(type.split(/[.-]/)));
    const variants = [...commandTable.hostCommands.keys()].map((name) => random.pick(name.split(/(?=[A-Z])/)));
    const isOfFamilies = random.chance(35);
    this.themes = isOfFamilies ? ['topology', 'Topology'] : [random.pick(types), random.pick(variants)];
  }

  override note(value: unknown, name = '', depth = 0): void {
    if (typeof value === 'object' && value !== null && 'child_room_id' in value && 'lineage' in value) {
      const parent: unknown = Object(value.lineage).parent_room_id;
      this.parents.set(String(value.child_room_id), String(parent));
    }
    super.note(value, name, depth);
  }

  /** A secret that somebody was told is not repeated where everybody reads. */
  override keep(name: string, value: unknown): void {
    if (!saysSecret(value)) super.keep(name, value);
  }
}

export class Generator {
  readonly #random: Random;
  readonly #known: KnownOfRooms;
  readonly #hints: Hints<KnownOfRooms>;
  readonly #values: Values<KnownOfRooms>;

  constructor(random: Random, known: KnownOfRooms, hints: Hints<KnownOfRooms>) {
    [this.#random, this.#known, this.#hints] = [random, known, hints];
    this.#values = new Values(random, known, hints);
  }

  /** A frame of some command of connections but the one that a connection begins with. */
  frame(): { readonly type: string } {
    const command = this.#likely(
      [...commandTable.commands.values()].filter(({ first }) => !first),
      ({ type }) => type,
    );
    return { ...this.#values.object(schemaOf(command.in), command.type), type: command.type };
  }

  hostCommand(): Readonly<Record<string, object>> {
    const command = this.#likely([...commandTable.hostCommands.values()], ({ variant }) => variant);
    return { [command.variant]: this.#values.object(schemaOf(command.in), command.variant) };
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
}
