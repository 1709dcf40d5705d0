/**
 * Object store port: the git objects of one repository, outside of every folder that people or agents work in. Branches are
 * refs in it, and merges need no checkout.
 *
 * Deterministic: the same input makes the same object, since commits take author and time from their input. Refs move by
 * compare and swap.
 */
import type { GitIdentity } from './git-identity.js';

/** Tip: the commit that a ref points to, or undefined without the ref. */
export type Tip = string | undefined;

export interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  /** Message: the first line is the subject, the last lines may be trailers, `Name: value`. */
  readonly message: string;
  /** Time, ISO 8601. */
  readonly at: string;
  /** Author. Default: the studio. */
  readonly author?: GitIdentity | undefined;
  /** Committer. Default: the author. */
  readonly committer?: GitIdentity | undefined;
  /** Signature with a key of the user's: the one named, or the one that the user's git signs with. */
  readonly sign?: { readonly format: 'ssh' | 'openpgp'; readonly key?: string | undefined } | undefined;
}

export interface Conflict {
  readonly path: string;
  /**
   * Kind of conflict, in git's terms: `contents`, `modify/delete`, `rename/rename`, `binary`, … And `driver`, where the user's
   * git would run a merge driver, which the studio does not.
   */
  readonly kind: string;
}

export interface MergeOutcome {
  readonly clean: boolean;
  readonly conflicts: readonly Conflict[];
}

export interface Merged extends MergeOutcome {
  /** Merged tree, with conflict markers when it is not clean. */
  readonly tree: string;
}

export type ChangeKind = 'Added' | 'Modified' | 'Deleted';

export interface TreeChange {
  readonly path: string;
  readonly changeKind: ChangeKind;
  readonly before: TreeEntry | undefined;
  readonly after: TreeEntry | undefined;
}

export interface TreeEntry {
  readonly path: string;
  /** Mode, as git writes it: 100644, 100755, 120000 (a link) or 160000 (a submodule). */
  readonly mode: string;
  readonly id: string;
}

/** Patch for people: whole files and hunks in git's own form. */
export interface Patch {
  /** Text, in whole lines. */
  readonly text: string;
  /** False when the text is truncated. */
  readonly isWhole: boolean;
}

/** Edit of a tree: a file written or removed. */
export interface TreeEdit {
  readonly path: string;
  /** Content; an entry of another tree as it is there; null to remove. */
  readonly content: string | Uint8Array | TreeEntry | null;
}

export interface FoundLine {
  readonly path: string;
  /** Line number, from 1. */
  readonly lineNumber: number;
  readonly snippet: string;
}

/** Commit of the past, in short. */
export interface PastCommit {
  readonly commit: string;
  /** Time, ISO 8601. */
  readonly at: string;
  readonly author: string;
  readonly subject: string;
}

/** Line of a file with the commit that it is from. */
export interface BlamedLine extends Omit<PastCommit, 'author'> {
  readonly author: string;
  /** Line number, from 1. */
  readonly line: number;
  readonly text: string;
}

export interface ObjectStore {
  readonly repositoryId: string;
  readonly folder: string;
  /** Commit that a ref is at. */
  at(ref: string): Promise<Tip>;
  refs(prefix: string): Promise<ReadonlyMap<string, string>>;
  /** Compare and swap of a ref; answers whether this call has moved it. */
  move(ref: string, from: Tip, to: Tip): Promise<boolean>;
  has(commit: string): Promise<boolean>;
  treeOf(commit: string): Promise<string>;
  emptyTree(): Promise<string>;
  commit(wanted: NewCommit): Promise<string>;
  /** Best common ancestor, if the histories have one. */
  mergeBase(one: string, other: string): Promise<string | undefined>;
  isAncestor(ancestor: string, commit: string): Promise<boolean>;
  /** First-parent history of a commit, newest first. */
  line(commit: string): Promise<string[]>;
  /** Whole message of a commit. */
  messageOf(commit: string): Promise<string>;
  /** Author of a commit. */
  authorOf(commit: string): Promise<GitIdentity>;
  /** Time of a commit, ISO 8601. */
  madeAt(commit: string): Promise<string>;
  /** Commit of an abbreviated id, which may end with `~2` or `^`; undefined when there is none, or there are several. */
  resolve(id: string): Promise<string | undefined>;
  /** Commits from one back, newest first; with a path only those that have changed it. */
  history(commit: string, wanted: { path?: string; skip?: number; most: number }): Promise<PastCommit[]>;
  /** Who wrote these lines of a file last. */
  blame(commit: string, path: string, from: number, to: number): Promise<BlamedLine[]>;
  /** Three-way merge: applies what `theirs` changed since `base` to `ours`. All three are commits or trees. */
  merge(base: string, ours: string, theirs: string): Promise<Merged>;
  /** Trial merges of pairs of commits by their own history, in one go. The store keeps nothing of them. */
  tryPairs(pairs: readonly (readonly [string, string])[]): Promise<MergeOutcome[]>;
  /** Changed files between two commits or trees. A rename is a deletion and an addition. */
  changes(from: string, to: string): Promise<TreeChange[]>;
  /** Patch between two commits or trees, up to `most` bytes; with a path only of what is below it. */
  patch(from: string, to: string, most?: number, path?: string): Promise<Patch>;
  /** Files of a commit or tree below a path, in order. */
  files(tree: string, scope?: string): Promise<TreeEntry[]>;
  entry(tree: string, path: string): Promise<TreeEntry | undefined>;
  read(blob: string): Promise<Buffer>;
  /** Reads many blobs, except those longer than `most` and those that do not fit into `inAll` together. */
  readMany(blobs: readonly string[], most: number, inAll: number): Promise<ReadonlyMap<string, Buffer>>;
  /** Case-insensitive search for a text in lines of text files. */
  search(tree: string, text: string, scope: string, most: number): Promise<FoundLine[]>;
  /** New tree with these edits. */
  edit(tree: string, edits: readonly TreeEdit[]): Promise<string>;
  /** Garbage collection: counts unreachable objects older than git's date, and removes them if that is wanted. */
  prune(olderThan: string, remove: boolean): Promise<number>;
  /** Fetches refs from another repository of this machine. */
  receive(folder: string, refs: readonly string[]): Promise<void>;
}

/** One store for each repository. */
export interface ObjectStores {
  /** Opens a store; creates it when it is missing. */
  of(repositoryId: string): Promise<ObjectStore>;
}
