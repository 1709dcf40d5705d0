/** A write policy: the first rule whose pattern matches a key says who may write there. [PO1] */
import { type Sifted, listOf, objectOf, oneOf, sieve, textUpTo } from '../codec/sieve.js';
import { GLOB_BOUNDS, Glob } from './glob.js';

const hex = sieve((value): value is string => typeof value === 'string' && /^[0-9a-fA-F]{64}$/.test(value));
const rule = objectOf({
  path_glob: textUpTo(GLOB_BOUNDS.length),
  can_write: listOf((value) => hex(value).toLowerCase()),
});

/** Policy as it stands in a room. */
export const policyValue = objectOf({ default: oneOf('allow', 'deny'), rules: listOf(rule, GLOB_BOUNDS.patterns) });

export type PolicyValue = Sifted<typeof policyValue>;

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

  /** Place of the rule that decides about a key; undefined where none matches it. */
  ruleOf(name: string): number | undefined {
    const place = this.#rules.findIndex(({ glob }) => glob.matches(name));
    return place < 0 ? undefined : place;
  }
}
