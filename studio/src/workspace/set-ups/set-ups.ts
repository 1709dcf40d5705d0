/**
 * Set-ups port: scripts of the operator that are run in a folder once, before agents work there, and what they came to, kept for the
 * next folder.
 */
export interface SetUp {
  /** Folder of the user's repository that it is for. */
  readonly repository: string;
  /** Shell script. */
  readonly script: string;
  /** Files that decide what the script comes to, from the root of the repository. */
  readonly lockfiles: readonly string[];
  readonly seconds: number;
  /** Whether it has the network, wherever programs have none. */
  readonly isOnline: boolean;
}

/** How far the set-up of a folder has come. */
export interface SetUpMark {
  /** Ignored content that was there before. */
  readonly before: readonly string[];
  readonly isDone: boolean;
}

export interface SetUps {
  readonly all: readonly SetUp[];
  /** Mark of this very folder: one that was made anew under the same path has none. */
  markOf(folder: string): Promise<SetUpMark | undefined>;
  mark(folder: string, mark: SetUpMark): Promise<void>;
  /** Copies what is kept under a key into a folder; answers its paths, undefined when nothing is kept or it does not fit there. */
  give(key: string, folder: string): Promise<readonly string[] | undefined>;
  /** Keeps copies of these paths of a folder; answers why not, where it does not. */
  keep(key: string, folder: string, paths: readonly string[]): Promise<string | undefined>;
  /** Removes these paths of a folder. */
  clear(folder: string, paths: readonly string[]): Promise<void>;
}
