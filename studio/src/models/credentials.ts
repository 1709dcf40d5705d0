/**
 * Key store: keys of model providers by the name that the client chose. In memory only: never written, never answered, gone
 * when the host ends.
 */
import type { ModelChoice } from '../record/aggregates/scheduled-item/scheduled-item.js';

export interface OfferedKey extends ModelChoice {
  readonly apiKey?: string | undefined;
}

export class Credentials {
  readonly #keys: Map<string, string>;

  constructor(keys: Readonly<Record<string, string>> = {}) {
    this.#keys = new Map(Object.entries(keys));
  }

  /** Stores a key, and answers the part of the choice that may be recorded. A key without a name is given one. */
  keep({ apiKey, ...choice }: OfferedKey, newId: (prefix: string) => string): ModelChoice {
    if (apiKey === undefined) return choice;
    const credentialRef = choice.credentialRef ?? newId('cred-');
    this.#keys.set(credentialRef, apiKey);
    return { ...choice, credentialRef };
  }

  keyOf(credentialRef: string): string | undefined {
    return this.#keys.get(credentialRef);
  }

  has(credentialRef: string): boolean {
    return this.#keys.has(credentialRef);
  }

  /** Names of all keys, in the order in which they came. */
  names(): string[] {
    return [...this.#keys.keys()];
  }

  /** Forgets one key, or all. */
  evict(credentialRef?: string): void {
    if (credentialRef === undefined) this.#keys.clear();
    else this.#keys.delete(credentialRef);
  }
}
