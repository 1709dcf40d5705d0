/**
 * Key store: keys of model providers by the name that the client chose. In memory only: never written, never answered, gone
 * when the host ends. A name may also have a source that the host's file of models names; what a client gave counts before it.
 */
import { type KeySource, keyFrom } from './key-sources.js';
import type { ModelChoice } from '../record/aggregates/scheduled-item/scheduled-item.js';

export interface OfferedKey extends ModelChoice {
  readonly apiKey?: string | undefined;
}

export class Credentials {
  readonly #sources: Readonly<Record<string, KeySource>>;
  readonly #keys: Map<string, string>;

  /** `keys` are there from the start, by their names. */
  constructor(sources: Readonly<Record<string, KeySource>> = {}, keys: Readonly<Record<string, string>> = {}) {
    this.#sources = sources;
    this.#keys = new Map(Object.entries(keys));
  }

  /** Stores a key, and answers the part of the choice that may be recorded. A key without a name is given one. */
  keep({ apiKey, ...choice }: OfferedKey, newId: (prefix: string) => string): ModelChoice {
    if (apiKey === undefined) return choice;
    const credentialRef = choice.credentialRef ?? newId('cred-');
    this.#keys.set(credentialRef, apiKey);
    return { ...choice, credentialRef };
  }

  async keyOf(credentialRef: string): Promise<string | undefined> {
    const source = this.#sourceOf(credentialRef);
    return this.#keys.get(credentialRef) ?? (source && (await keyFrom(credentialRef, source)));
  }

  /** Whether there is a key, or a source of one. */
  has(credentialRef: string): boolean {
    return this.#keys.has(credentialRef) || this.#sourceOf(credentialRef) !== undefined;
  }

  /** Names of all keys: those that were given, in the order in which they came, and those that have a source. */
  names(): string[] {
    return [...new Set([...this.#keys.keys(), ...Object.keys(this.#sources)])];
  }

  #sourceOf(credentialRef: string): KeySource | undefined {
    return Object.hasOwn(this.#sources, credentialRef) ? this.#sources[credentialRef] : undefined;
  }

  /** Forgets one key that was given, or all. */
  evict(credentialRef?: string): void {
    if (credentialRef === undefined) this.#keys.clear();
    else this.#keys.delete(credentialRef);
  }
}
