/**
 * The objects of one repository, outside of every folder that people or agents work in: branches are refs in it, and merging
 * happens in it without a checkout.
 *
 * Whatever is asked for twice is the same object: commits say who and when from what they are given, and refs move only from
 * where the caller saw them.
 */

/** Where a ref was seen, or that there was none. */
export type Tip = string | undefined;

export interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  /** The first line says what, the last lines may be `Name: value`. */
  readonly message: string;
  /** ISO 8601. */
  readonly at: string;
}

export interface Conflict {
  readonly path: string;
  /**
   * As git calls it: `contents`, `modify/delete`, `rename/rename`, `binary`, … And `driver`, where the user's git would have a program
   * merge the file, which is not run here.
   */
  readonly kind: string;
}

export interface MergeOutcome {
  readonly clean: boolean;
  readonly conflicts: readonly Conflict[];
}

export interface Merged extends MergeOutcome {
  /** With conflict marks in it when it is not clean. */
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
  /** As git writes it: 100644, 100755, 120000 (a link) or 160000 (a submodule). */
  readonly mode: string;
  readonly id: string;
}

/** Changes as text, to be read by people: whole files and hunks of git's own form. */
export interface Patch {
  /** Whole lines. */
  readonly text: string;
  /** A longer one is cut. */
  readonly isWhole: boolean;
}

/** A file to be put into a tree, or its end. */
export interface TreeEdit {
  readonly path: string;
  /** Also what stands in another tree, as it is there. */
  readonly content: string | Uint8Array | TreeEntry | null;
}

export interface FoundLine {
  readonly path: string;
  /** From 1. */
  readonly lineNumber: number;
  readonly snippet: string;
}

export interface ObjectStore {
  readonly folder: string;
  /** The commit that a ref is at. */
  at(ref: string): Promise<Tip>;
  refs(prefix: string): Promise<ReadonlyMap<string, string>>;
  /** Compare and swap; answers whether it was this call that moved it. */
  move(ref: string, from: Tip, to: Tip): Promise<boolean>;
  has(commit: string): Promise<boolean>;
  treeOf(commit: string): Promise<string>;
  emptyTree(): Promise<string>;
  commit(wanted: NewCommit): Promise<string>;
  /** The best common ancestor, if the histories have one. */
  mergeBase(one: string, other: string): Promise<Tip>;
  isAncestor(ancestor: string, commit: string): Promise<boolean>;
  /** The commit and the first parents that lead to it, newest first. */
  line(commit: string): Promise<string[]>;
  /** ISO 8601. */
  madeAt(commit: string): Promise<string>;
  /** What `theirs` changed since `base`, put on top of `ours`. All three are commits or trees. */
  merge(base: string, ours: string, theirs: string): Promise<Merged>;
  /** What merging pairs of commits by their own history would come to, all in one go. The store keeps nothing of it. */
  tryPairs(pairs: readonly (readonly [string, string])[]): Promise<MergeOutcome[]>;
  /** Files that differ between two commits or trees. A file that was renamed is deleted and added. */
  changes(from: string, to: string): Promise<TreeChange[]>;
  /** The same as text, up to `most` bytes. */
  patch(from: string, to: string, most?: number): Promise<Patch>;
  /** The files of a commit or tree below a path, in order. */
  files(tree: string, scope?: string): Promise<TreeEntry[]>;
  entry(tree: string, path: string): Promise<TreeEntry | undefined>;
  read(blob: string): Promise<Buffer>;
  /** Many at once, without those that are longer than `most` and those for which `inAll` leaves no room. */
  readMany(blobs: readonly string[], most: number, inAll: number): Promise<ReadonlyMap<string, Buffer>>;
  /** Lines of text files that hold a text, in whatever case of its letters. */
  search(tree: string, text: string, scope: string, most: number): Promise<FoundLine[]>;
  /** A tree with these files changed. */
  edit(tree: string, edits: readonly TreeEdit[]): Promise<string>;
  /** Counts the objects that no ref leads to and that are older than git's date, and takes them away if that is wanted. */
  prune(olderThan: string, remove: boolean): Promise<number>;
  /** Takes over commits of another repository of this machine. */
  receive(folder: string, refs: readonly string[]): Promise<void>;
}

/** One store for each repository. */
export interface ObjectStores {
  /** Made when it is not there yet. */
  of(repositoryId: string): Promise<ObjectStore>;
}
