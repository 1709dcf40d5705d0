/**
 * The user's own repository, where work ends up. It moves forward only, from where it was seen, and never underneath a person:
 * what is not committed there, or checked out elsewhere, stays as it is.
 */
import type { Tip } from './object-store.js';

export interface UserBranch {
  /** Its short name, such as `main`. */
  readonly name: string;
  /** Undefined while it has no commit. */
  readonly commit: Tip;
}

export interface Advance {
  readonly branch: string;
  readonly from: Tip;
  /** A commit that has `from` in its history. */
  readonly to: string;
  /** The repository that has it. */
  readonly source: string;
}

export interface UserBranches {
  /** `main`, or else `master`, or else what is checked out. Where nobody commits, what is in the folder is committed first. */
  defaultBranch(folder: string): Promise<UserBranch>;
  /** The folder without links in its path, if there is one. */
  realFolder(path: string): Promise<string | undefined>;
  /** The commit that something names there: a branch, a tag, an id. */
  commitOf(folder: string, name: string): Promise<Tip>;
  /** Makes a branch, and checks it out if that is wanted and nothing is in its way. */
  create(folder: string, branch: string, commit: string, checkout: boolean): Promise<void>;
  /** Answers whether the branch is at `to`, by this call or before; false when it is elsewhere than `from`. */
  advance(folder: string, wanted: Advance): Promise<boolean>;
}
