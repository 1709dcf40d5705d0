/**
 * Git port. Implementers run no code that a repository brings along (hooks, fsmonitor, filters, transports), stay inside the
 * folder they are given, and bound time and memory. A path that git cannot work with is an answer here; git failing at its work
 * is a `reject.git_failed`.
 */
import type { KeptPreview } from './kept-preview.js';

export interface Git {
  /** Kind of a folder. `folder` is an absolute real path of an existing directory. */
  inspect(folder: string): Promise<FolderKind>;
  /** Makes an empty repository in an existing folder. Idempotent. */
  init(folder: string): Promise<void>;
  /** Makes a folder with files a repository whose store lies elsewhere. Nobody commits there: its content is what counts. */
  keep(folder: string, store: string): Promise<void>;
  /** What `keep` would take in, and what it would leave out as secrets; refuses what it would refuse. */
  previewKept(folder: string, store: string): Promise<KeptPreview>;
  /** Whether it lacks objects that its history names, which its remote would have. */
  isPartial(folder: string): Promise<boolean>;
  /** Addresses of its remotes. */
  remotes(folder: string): Promise<string[]>;
  /** Root commits of the checked-out history; empty when there is none, or when it is shallow. */
  rootCommits(folder: string): Promise<string[]>;
  /** Whether the folder is still a working tree of a repository that has all these commits. */
  holds(folder: string, commits: readonly string[]): Promise<boolean>;
  /**
   * Calls `accept` for each tracked, and each untracked and not ignored, file below `scope` (relative to the folder;
   * empty means all), in no particular order, and possibly more than once.
   */
  eachFile(folder: string, scope: string, accept: (path: string) => void): Promise<void>;
}

export type FolderKind =
  | { readonly kind: 'worktree' }
  | { readonly kind: 'bare' }
  /** Has a `.git` whose working tree is configured to be somewhere else. */
  | { readonly kind: 'elsewhere'; readonly top: string }
  /** Names its objects by another hash than SHA-1. */
  | { readonly kind: 'hashed'; readonly hash: string }
  | { readonly kind: 'plain' };
