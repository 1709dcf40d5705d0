/** Read model of usage: what was read and searched for, and when. */
import { type Usage, type UsageEvent, usage } from '../aggregates/usage/usage.js';
import { Collection } from '../ledger/collection.js';
import type { StoredEvent } from '../ledger/stream.js';

interface Read {
  readonly at: string;
  /** Path of the file. */
  readonly name: string;
  readonly workUnitId: string;
}

export interface Search {
  readonly at: string;
  readonly workUnitId: string;
  readonly matchCount: number;
  readonly truncated: boolean;
}

interface BesideUsages {
  readonly reads: readonly Read[];
  readonly searches: readonly Search[];
}

export class Usages extends Collection<Usage, UsageEvent> {
  #reads: Read[] = [];
  #searches: Search[] = [];

  constructor() {
    super(usage);
  }

  /** Reads, oldest first; one entry for each read. */
  get reads(): readonly Read[] {
    return this.#reads;
  }

  get searches(): readonly Search[] {
    return this.#searches;
  }

  override forget(id: string): void {
    super.forget(id);
    this.#reads = this.#reads.filter(({ workUnitId }) => workUnitId !== id);
    this.#searches = this.#searches.filter(({ workUnitId }) => workUnitId !== id);
  }

  protected override keptBeside(): BesideUsages {
    return { reads: [...this.#reads], searches: [...this.#searches] };
  }

  // An image holds what this class has kept.
  protected override restoreBeside(more: BesideUsages): void {
    this.#reads = [...more.reads];
    this.#searches = [...more.searches];
  }

  override fold(stored: StoredEvent): 'folded' | 'unreadable' {
    const result = super.fold(stored);
    const event = this.aggregate.event.safeParse(stored.event).data;
    if (result !== 'folded' || !event) return result;
    const { at } = stored.meta;
    const { workUnitId } = event;
    const [reads, searches] = [this.#reads.length, this.#searches.length];
    this.changed(() => ([this.#reads.length, this.#searches.length] = [reads, searches]));
    if (event.type === 'WorkspaceReadExecuted')
      for (const name of event.paths) this.#reads.push({ at, name, workUnitId });
    else {
      const { matchCount, truncated } = event;
      this.#searches.push({ at, workUnitId, matchCount, truncated });
    }
    return result;
  }
}
