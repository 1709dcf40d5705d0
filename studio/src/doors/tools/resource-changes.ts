/**
 * Tells what can be read by address and has changed, by its address.
 *
 * It is told a little after it happened, once for all that happened by then: who is told reads it again, and wants to do so once.
 * While nobody listens, nothing is looked at.
 */
import type { Shared } from '../../operations/kernel/context.js';
import { addressOf, resourceKinds } from '../../operations/host/resources.js';

export type ChangeListener = (changed: ReadonlySet<string>) => void;

const GATHER_MS = 100;

export class ResourceChanges {
  readonly #ledger: Shared['ledger'];
  readonly #listeners = new Set<ChangeListener>();
  /** Work units to which something has happened that is not told yet. */
  readonly #units = new Set<string>();
  #gathering: NodeJS.Timeout | undefined;
  #rest: (() => void) | undefined;

  constructor({ ledger }: Pick<Shared, 'ledger'>) {
    this.#ledger = ledger;
  }

  listen(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    this.#rest ??= this.#attend();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#rest?.();
    };
  }

  #attend(): () => void {
    const stopListening = this.#ledger.feed.onEvent(({ stored: { meta } }) => {
      if (meta.workUnitId === undefined) return;
      this.#units.add(meta.workUnitId);
      this.#gathering ??= setTimeout(() => this.#tell(), GATHER_MS).unref();
    });
    return () => {
      this.#rest = undefined;
      stopListening();
      clearTimeout(this.#gathering);
      this.#gathering = undefined;
      this.#units.clear();
    };
  }

  #tell(): void {
    this.#gathering = undefined;
    const { look } = this.#ledger;
    const changed = new Set<string>();
    for (const workUnitId of this.#units)
      for (const kind of resourceKinds) {
        const id = kind.of(look, workUnitId);
        if (id !== undefined) changed.add(addressOf(kind, id));
      }
    this.#units.clear();
    for (const listener of this.#listeners) listener(changed);
  }
}
