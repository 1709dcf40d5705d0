/**
 * Keys of model providers, by the name that the client chose for them. They are in memory only: never written, never
 * answered, gone when the host ends.
 */
import type { ModelChoice } from '../record/aggregates/scheduled-item/scheduled-item.js';

export interface OfferedKey extends ModelChoice {
  readonly apiKey?: string | undefined;
}

export class Credentials {
  readonly #keys = new Map<string, string>();

  /** Keeps the key, and answers what may be written of it. A key without a name is given one. */
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

  /** Forgets one, or all. */
  evict(credentialRef?: string): void {
    if (credentialRef === undefined) this.#keys.clear();
    else this.#keys.delete(credentialRef);
  }
}
