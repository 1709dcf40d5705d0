/** What was read and searched for, and when. */
import { type Usage, type UsageEvent, usage } from '../aggregates/usage/usage.js';
import { Collection } from '../ledger/collection.js';
import type { StoredEvent } from '../ledger/stream.js';

export interface Search {
  readonly at: string;
  readonly workUnitId: string;
  readonly matchCount: number;
  readonly truncated: boolean;
}

export class Usages extends Collection<Usage, UsageEvent> {
  readonly #reads: { readonly at: string; readonly name: string }[] = [];
  readonly #searches: Search[] = [];

  constructor() {
    super(usage);
  }

  /** Oldest first; a path is named once for each time that it was read. */
  get reads(): readonly { readonly at: string; readonly name: string }[] {
    return this.#reads;
  }

  get searches(): readonly Search[] {
    return this.#searches;
  }

  override fold(stored: StoredEvent): 'folded' | 'unreadable' {
    const result = super.fold(stored);
    const event = this.aggregate.event.safeParse(stored.event).data;
    if (result !== 'folded' || !event) return result;
    const { at } = stored.meta;
    if (event.type === 'WorkspaceReadExecuted') for (const name of event.paths) this.#reads.push({ at, name });
    else {
      const { workUnitId, matchCount, truncated } = event;
      this.#searches.push({ at, workUnitId, matchCount, truncated });
    }
    return result;
  }
}
