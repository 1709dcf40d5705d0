/**
 * What the studio asks of git. Implementers run no code that a repository brings along (hooks, fsmonitor,
 * filters, transports), stay inside the folder they are given, and bound time and memory. A path that git
 * cannot work with is an answer here; git failing at its work is a `reject.git_failed`.
 */
export interface Git {
  /** What a folder is. `folder` is an absolute real path of an existing directory. */
  inspect(folder: string): Promise<FolderKind>;
  /** Makes an empty repository in an existing folder; harmless when it is there already. */
  init(folder: string): Promise<void>;
  /** Makes a folder with files a repository whose store lies elsewhere: nobody commits there, what is in it is what counts. */
  keep(folder: string, store: string): Promise<void>;
  /** Copies a repository into an empty folder, over one of the protocols that are allowed. */
  clone(url: string, folder: string, protocols: readonly string[]): Promise<void>;
  /** Addresses of the repositories that it is connected to. */
  remotes(folder: string): Promise<string[]>;
  /** The root commits of the checked-out history; empty when there is none, or when it is cut short (shallow). */
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
  /** A `.git` is there, but the working tree is configured to be somewhere else. */
  | { readonly kind: 'elsewhere'; readonly top: string }
  | { readonly kind: 'plain' };
