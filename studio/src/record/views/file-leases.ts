/** Read model of file leases: held and awaited files, and how often units got in each other's way. */
import { type FileLease, type FileLeaseEvent, fileLease } from '../aggregates/file-lease/file-lease.js';
import { Collection } from '../ledger/collection.js';
import type { StoredEvent } from '../ledger/stream.js';

export interface Contention {
  readonly at: string;
  /** Path of the file. */
  readonly name: string;
  readonly workUnitId: string;
}

interface LeaseContention extends Contention {
  readonly leaseId: string;
}

export class FileLeases extends Collection<FileLease, FileLeaseEvent, 'unit'> {
  #contentions: LeaseContention[] = [];

  constructor() {
    super(fileLease, {
      unit: ({ holderWorkUnitId, waitQueue }) =>
        holderWorkUnitId === undefined ? waitQueue : [holderWorkUnitId, ...waitQueue],
    });
  }

  get contentions(): readonly Contention[] {
    return this.#contentions;
  }

  override forget(id: string): void {
    super.forget(id);
    this.#contentions = this.#contentions.filter(({ leaseId }) => leaseId !== id);
  }

  protected override keptBeside(): readonly LeaseContention[] {
    return [...this.#contentions];
  }

  protected override restoreBeside(more: readonly LeaseContention[]): void {
    this.#contentions = [...more];
  }

  override fold(stored: StoredEvent): 'folded' | 'unreadable' {
    const result = super.fold(stored);
    const event = this.aggregate.event.safeParse(stored.event).data;
    if (result === 'folded' && event?.type === 'FileLeaseContended') {
      const { path: name, requestingWorkUnitId: workUnitId } = event;
      this.#contentions.push({ at: stored.meta.at, name, workUnitId, leaseId: stored.id });
      this.changed(() => this.#contentions.pop());
    }
    return result;
  }
}
