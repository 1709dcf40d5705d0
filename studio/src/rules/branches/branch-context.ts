/** Dependencies of work on branches: the record, the disk, and a mutex for what must not happen at once. */
import type { Proposal, Unfit } from '../../record/aggregates/merge-proposal/state.js';
import type { Change } from '../../record/ledger/change.js';
import type { ObjectStore } from '../../workspace/git/objects/object-store.js';
import type { RecordContext } from '../../record/views/record-parts.js';
import type { Disk } from '../../workspace/git/disk.js';
import type { Git } from '../../workspace/git/user/git.js';
import type { SpaceKey } from '../../workspace/git/spaces/spaces.js';

/** Gate: says whether the files of a commit are fit for the user. */
export type Gate = (store: ObjectStore, commit: string) => Promise<boolean>;

/** Commit that a branch is about to propose. */
export interface Offered extends SpaceKey {
  readonly commit: string;
  readonly workUnitId: string | undefined;
}

/** Trial result of an offer. */
export interface Shown {
  /** Why it may not be proposed. */
  readonly unfit: string | undefined;
  readonly attach: (change: Change, proposal: Proposal) => void;
}

/** Trials: builds and tests, as far as the options ask for them. */
export interface Trials {
  ofOffer(context: BranchContext, offered: Offered): Promise<Shown>;
  /** Tries a target with a landed proposal. Answers why that may not stay, or undefined. */
  ofLanding(context: BranchContext, proposal: Proposal): Promise<Unfit | undefined>;
  /** Tries it in the background, for information only. */
  watchLanding(context: BranchContext, proposal: Proposal): void;
}

/** Forge of a repository, as landings need it. Where a repository is connected to none, nothing is asked. */
export interface AtForge {
  /** Asks for the checks that a landing needs and records them. Refuses where it cannot be asked, since silence opens nothing. */
  askChecks(proposal: Proposal): Promise<void>;
  /** Merges a proposal there and lands it here, where its connection says that work is merged there. Answers whether it was. */
  merge(proposal: Proposal): Promise<boolean>;
}

export interface BranchContext extends RecordContext {
  /** The studio's own part of the disk: branches, their folders, and the way to the user's. */
  readonly disk: Disk;
  readonly git: Git;
  /** Gate between the candidate branch and the user. */
  readonly gate: Gate;
  readonly trials: Trials;
  readonly atForge: AtForge;
  /** Keyed mutex for work that looks at the disk, where no change can hold it. */
  readonly lane: { inOrder<T>(key: string, work: () => Promise<T>): Promise<T> };
  readonly now: () => string;
  readonly newId: (prefix: string) => string;
}
