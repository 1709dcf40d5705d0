/**
 * Remotes port: repositories elsewhere. They are reached with what the user's own git knows (helpers of credentials, known hosts,
 * agents of keys, proxies) and with nothing that a repository configures: every connection begins in a store of the studio's own.
 */
import type { ObjectStore } from '../objects/object-store.js';
import type { HostSecret } from '../calls/run-git.js';

export interface Remote {
  readonly name: string;
  /** Address to fetch from, as git uses it: it may hold a secret. */
  readonly url: string;
  readonly pushUrl: string;
}

/** Way to a repository elsewhere. */
export interface Way {
  readonly url: string;
  /** Protocols that the host allows. */
  readonly protocols: readonly string[];
  readonly secret?: HostSecret | undefined;
  /** Told how far it is, in git's words, such as `Receiving objects`. */
  readonly onProgress?: (phase: string, percent: number | undefined) => void;
}

export interface CloneWish extends Way {
  /** Commits of each branch to bring. Default: all. */
  readonly depth?: number | undefined;
  /** Branch to check out, and the only one to bring. */
  readonly branch?: string | undefined;
  /** Arguments that give the clone its settings. */
  readonly settings?: readonly string[];
}

export interface Push extends Way {
  readonly commit: string;
  readonly branch: string;
  /** Lease: the commit that the branch is at there, which is replaced if it must be; `none` without the branch. */
  readonly expected?: string | undefined;
}

export interface Remotes {
  /** Remotes of a user's repository. */
  of(folder: string): Promise<Remote[]>;
  /** Copies a repository into an empty folder. */
  clone(folder: string, wish: CloneWish): Promise<void>;
  /** Brings the branches of a remote into a store, below a prefix of refs; those that have gone there go. */
  fetch(store: ObjectStore, way: Way, prefix: string): Promise<void>;
  /** Shows the user's repository what was fetched, of all branches or one, as its own `git fetch` would; it moves none of its own. */
  show(folder: string, store: ObjectStore, prefix: string, name: string, branch?: string): Promise<void>;
  /** Writes a branch there: forward only, or in place of what a lease names. Answers whether it has moved by this call. */
  push(store: ObjectStore, push: Push): Promise<boolean>;
  /** What of a repository the studio leaves out, in words for people. */
  leftOut(folder: string): Promise<string[]>;
  /** Ends what is under way. */
  stop(): void;
}
