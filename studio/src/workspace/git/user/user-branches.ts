/**
 * User branch port: the user's own repository, where work ends up. It only moves forward, from where it was seen, and never
 * underneath a person: what is not committed there, or is checked out elsewhere, stays as it is.
 */
import type { Tip } from '../objects/object-store.js';

export interface UserBranch {
  /** Short name, such as `main`. */
  readonly name: string;
  /** Commit; undefined while it has none. */
  readonly commit: Tip;
  /** Whether no branch is there yet: the first landing makes it, on what is checked out. */
  readonly isToBe?: true;
}

export interface Advance {
  readonly branch: string;
  readonly from: Tip;
  /** Target: a commit with `from` in its history. */
  readonly to: string;
  /** Repository that has it. */
  readonly source: string;
}

export interface UserBranches {
  /**
   * Default branch: `main`, or else `master`, or else what is checked out; where that is no branch, the one that was left for it. A kept
   * folder's content is committed first.
   */
  defaultBranch(folder: string): Promise<UserBranch>;
  /** Names of the branches of a remote, as it was last fetched, sorted. */
  branchesAt(folder: string, remote: string): Promise<readonly string[]>;
  /** Real path of a folder, if there is one. */
  realFolder(path: string): Promise<string | undefined>;
  /** Commit of a branch, tag or id there. */
  commitOf(folder: string, name: string): Promise<string | undefined>;
  /** Creates a branch, and checks it out if that is wanted and nothing is in its way. */
  create(folder: string, branch: string, commit: string, checkout: boolean): Promise<void>;
  /** Fast-forwards a branch. Answers whether it is at `to`, by this call or before; false when it is not at `from`. */
  advance(folder: string, wanted: Advance): Promise<boolean>;
}
