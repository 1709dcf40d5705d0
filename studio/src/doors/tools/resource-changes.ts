/**
 * Resource change notices: the address of whatever can be read by address and has changed.
 *
 * Debounced: one notice covers all changes of a short time, because a client that is notified reads the resource again. While
 * nobody listens, nothing is looked at.
 */
import type { OperationParts } from '../../operations/kernel/context.js';
import { addressOf, resourceKinds } from '../../operations/host/resources.js';

export type ChangeListener = (changed: ReadonlySet<string>) => void;

const GATHER_MS = 100;

export class ResourceChanges {
  readonly #ledger: OperationParts['ledger'];
  readonly #listeners = new Set<ChangeListener>();
  /** Work units with changes that were not announced yet. */
  readonly #units = new Set<string>();
  #gathering: NodeJS.Timeout | undefined;
  #rest: (() => void) | undefined;

  constructor({ ledger }: Pick<OperationParts, 'ledger'>) {
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
