/** Case of the efficacy suite: a small repository, a goal for it, and hidden tests that say whether the goal was reached. */

import type { Toolchain } from './toolchains.js';

export interface Case {
  readonly name: string;
  /** What makes it hard, besides the task. */
  readonly trait: string;
  readonly goal: string;
  readonly files: Readonly<Record<string, string>>;
  /** Programs that it takes, besides Node and git. */
  readonly needs: readonly Toolchain[];
  /** Where the repository keeps its compiler, packed: a file that is no text, and that the machine gives. */
  readonly compilerAt?: string;
  /** Files that the work may change. Empty: all. */
  readonly scope: readonly string[];
  /** What the goal needs, as who knows the answer would say it: by texts, never by paths. */
  readonly fix: readonly Fix[];
  /** Texts of tests that whoever looks for the easy way would change, and into what. */
  readonly easyWay?: { readonly find: string; readonly put: string };
  /** Tests that nobody at work sees, run on what has landed. */
  readonly hidden: { readonly files: Readonly<Record<string, string>>; readonly command: string };
  /** Names of tests that fail before anybody changes anything, and are not part of the goal. */
  readonly failsBefore: readonly string[];
}

/** Change: an old text anywhere, or a new file beside the file with a text. */
export type Fix =
  | { readonly find: string; readonly old: string; readonly now: string }
  | { readonly beside: string; readonly name: string; readonly text: string };
