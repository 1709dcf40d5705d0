import type { Goal } from './results/goals.js';
import type { Progress } from './measuring/harness.js';
import type { Row } from './results/row.js';

/** A column of the printed table; a figure without a column appears in the JSON alone. */
export interface Column {
  readonly figure: string;
  readonly title: string;
  readonly digits: number;
}

export interface BenchOptions {
  /** Whether other engines take part. */
  readonly rivals: boolean;
  /** Libraries that take part; empty means all. */
  readonly libs: readonly string[];
  /** Traces that are replayed; empty means those that the bench names. */
  readonly traces: readonly string[];
  /** Number of edits of each trace, from its beginning; all when undefined. */
  readonly edits: number | undefined;
  readonly repeat: number;
  readonly progress: Progress;
}

export interface Bench {
  readonly name: string;
  readonly summary: string;
  readonly columns: readonly Column[];
  /** Goals, printed with what was reached. */
  readonly goals?: readonly Goal[];
  /** Picture of its newest run, in a file beside the page of results. */
  readonly picture?: { readonly file: string; readonly draw: (rows: readonly Row[]) => string };
  run(options: BenchOptions): Promise<readonly Row[]>;
}
