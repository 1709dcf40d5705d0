/**
 * Workspaces: branches as plain folders for agents and people to work in. Nothing in such a folder leads to the object store,
 * so no git of theirs can make the host run anything, and no file of theirs can change what is stored.
 *
 * The caller serializes work on one branch's folder.
 */
import type { ObjectStore, TreeChange } from '../objects/object-store.js';

export interface SpaceKey {
  readonly repositoryId: string;
  readonly branchId: string;
}

export interface Space extends SpaceKey {
  readonly folder: string;
  /** Commit that it was made from, or last brought to. */
  readonly commit: string;
}

/** Edit of files in a folder that a call has begun, which names itself. */
export interface BegunEdit {
  readonly call: string;
  readonly files: readonly {
    readonly path: string;
    /** What stood there, in base64; null: nothing. */
    readonly before: string | null;
    /** SHA-256 of what stands there since; null: nothing. */
    readonly after: string | null;
  }[];
}

export interface Spaces {
  find(key: SpaceKey): Promise<Space | undefined>;
  /** Whether the folder existed and was removed, not by the studio. */
  isLost(key: SpaceKey): Promise<boolean>;
  /** Paths of its files, except ignored ones. */
  files(store: ObjectStore, space: Space): Promise<string[]>;
  /** Content of one of its files, if there is such a file. No link is followed. */
  read(space: Space, path: string): Promise<Buffer | undefined>;
  /** Writes a file, with the folders on its way. Atomic; no link is followed. */
  write(space: Space, path: string, text: string): Promise<void>;
  /** Removes a file; answers whether it was there. */
  erase(space: Space, path: string): Promise<boolean>;
  /** Notes an edit before its first file is written, in place of the one before. */
  begin(space: Space, edit: BegunEdit): Promise<void>;
  /** The edit that was begun last. */
  begun(space: Space): Promise<BegunEdit | undefined>;
  /** Makes the folder at a commit, or answers the existing one, whatever its commit. */
  open(store: ObjectStore, key: SpaceKey, commit: string): Promise<Space>;
  /** Stores the files as a tree. Ignored files are left out, links stay links. */
  snapshot(store: ObjectStore, space: Space): Promise<string>;
  /** Notes that the folder's content is this commit. */
  settle(space: Space, commit: string): Promise<void>;
  /**
   * Brings a folder, just snapshot as `tree`, to a commit. Answers false, and changes nothing, when a file was written since,
   * or an untracked one is in the way.
   */
  bring(store: ObjectStore, space: Space, tree: string, commit: string): Promise<boolean>;
  /** Exports a commit to an empty or new folder, and answers its path: the named one, or one of the studio's own. */
  export(store: ObjectStore, commit: string, name: string, folder?: string): Promise<string>;
  /** Removes an exported folder of the studio's own. */
  discard(folder: string): Promise<void>;
  /** Ignored content, which is nowhere else: files, and folders that are ignored as a whole, which end with a slash. */
  ignored(store: ObjectStore, space: Space): Promise<string[]>;
  /** Removes the folder if this is all that it contains; answers whether. */
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

/** Changes in the folder since it was last settled. */
export async function statusOf(spaces: Spaces, store: ObjectStore, space: Space): Promise<Status> {
  const tree = await spaces.snapshot(store, space);
  return { tree, changes: await store.changes(space.commit, tree) };
}
