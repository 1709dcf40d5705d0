/**
 * Branches as plain folders, for agents and people to work in. Nothing in such a folder leads to the object store, so no git of
 * theirs can make the host run anything, and no file of theirs can change what is stored.
 *
 * Work on one branch's folder is put in order by the caller.
 */
import type { ObjectStore, TreeChange } from './object-store.js';

export interface SpaceKey {
  readonly repositoryId: string;
  readonly branchId: string;
}

export interface Space extends SpaceKey {
  readonly folder: string;
  /** What it was made from, or last brought to. */
  readonly commit: string;
}

export interface Spaces {
  find(key: SpaceKey): Promise<Space | undefined>;
  /** Whether the folder was made and has gone since, without the studio. */
  isLost(key: SpaceKey): Promise<boolean>;
  /** Paths of the files in it, but for those that are ignored. */
  files(store: ObjectStore, space: Space): Promise<string[]>;
  /** Makes the folder at a commit, or answers the one that is there, wherever it is at. */
  open(store: ObjectStore, key: SpaceKey, commit: string): Promise<Space>;
  /** The files as they are, as a tree of the store. What is ignored stays out, links stay links. */
  snapshot(store: ObjectStore, space: Space): Promise<string>;
  /** Notes that what is in the folder is this commit. */
  settle(space: Space, commit: string): Promise<void>;
  /**
   * Makes a folder that was just snapshot as `tree` what a commit is. Answers false, and changes nothing, when a file was written
   * since, or one that is not tracked is in the way.
   */
  bring(store: ObjectStore, space: Space, tree: string, commit: string): Promise<boolean>;
  /** Writes the files of a commit to an empty or new folder, and answers where: the named one, or one of the studio's own. */
  export(store: ObjectStore, commit: string, name: string, folder?: string): Promise<string>;
  /** Takes away a folder of the studio's own that something was exported to. */
  discard(folder: string): Promise<void>;
  /** What is ignored in it, and so is nowhere else: files, and folders that are ignored as a whole, which end with a slash. */
  ignored(store: ObjectStore, space: Space): Promise<string[]>;
  /** Takes the folder away if this is all that is in it; answers whether. */
  remove(store: ObjectStore, space: Space, held: Held): Promise<boolean>;
  all(): Promise<Space[]>;
}

export interface Held {
  readonly tree: string;
  readonly ignored: readonly string[];
}

export interface Status {
  readonly tree: string;
  readonly changes: readonly TreeChange[];
}

/** What was done in the folder since it was last settled. */
export async function statusOf(spaces: Spaces, store: ObjectStore, space: Space): Promise<Status> {
  const tree = await spaces.snapshot(store, space);
  return { tree, changes: await store.changes(space.commit, tree) };
}
