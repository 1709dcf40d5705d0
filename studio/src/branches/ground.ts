/** What work on branches stands on: the record, the disk, and an order for what must not happen at once. */
import type { Change } from '../ledger/change.js';
import type { ObjectStore } from '../workspace/object-store.js';
import type { Records } from '../views/records.js';
import type { Disk } from '../workspace/disk.js';
import type { Git } from '../workspace/git.js';

/** Says whether the files of a commit are fit for the user. */
export type Gate = (store: ObjectStore, commit: string) => Promise<boolean>;

export interface Ground {
  readonly records: Records;
  readonly disk: Disk;
  readonly git: Git;
  /** What the candidate branch must pass before it reaches the user. */
  readonly gate: Gate;
  readonly lane: { inOrder<T>(key: string, work: () => Promise<T>): Promise<T> };
  readonly now: () => string;
  readonly newId: (prefix: string) => string;
  change<T>(work: (change: Change) => T): Promise<T>;
}
