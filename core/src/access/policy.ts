/** A write policy: the first rule whose pattern matches a key says who may write there. [PO1] */
import { z } from 'zod';
import { GLOB_BOUNDS, Glob } from './glob.js';

const key = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/)
  .transform((text) => text.toLowerCase());

/** Shape of a policy as it stands in a room. */
export const PolicyValue = z.object({
  default: z.enum(['allow', 'deny']),
  rules: z
    .array(z.object({ path_glob: z.string().max(GLOB_BOUNDS.length), can_write: z.array(key) }))
    .max(GLOB_BOUNDS.patterns),
});

export type PolicyValue = z.output<typeof PolicyValue>;

export class Policy {
  readonly #rules: readonly { readonly glob: Glob; readonly writers: ReadonlySet<string> }[];
  readonly #default: boolean;

  constructor(value: PolicyValue) {
    this.#default = value.default === 'allow';
    this.#rules = value.rules.map(({ path_glob, can_write }) => ({
      glob: new Glob(path_glob),
      writers: new Set(can_write),
    }));
  }

  /** Whether there may be a key that the author may write to. */
  allowsSomewhere(author: string): boolean {
    return this.#default || this.#rules.some(({ writers }) => writers.has(author));
  }

  allows(author: string, name: string): boolean {
    const rule = this.#rules.find(({ glob }) => glob.matches(name));
    return rule ? rule.writers.has(author) : this.#default;
  }
}
