import type { Goal } from './goals.js';
import type { Progress } from './harness.js';
import type { Row } from './row.js';

/** A column of the printed table; a figure without a column appears in the JSON alone. */
export interface Column {
  readonly figure: string;
  readonly title: string;
  readonly digits: number;
}

export interface BenchOptions {
  /** Other engines take part too. */
  readonly rivals: boolean;
  /** Only these libraries; empty means all. */
  readonly libs: readonly string[];
  /** Only these traces; empty means those that the bench names. */
  readonly traces: readonly string[];
  /** Only the first so many edits of each trace. */
  readonly edits: number | undefined;
  readonly repeat: number;
  readonly progress: Progress;
}

export interface Bench {
  readonly name: string;
  readonly summary: string;
  readonly columns: readonly Column[];
  /** Printed with what was reached. */
  readonly goals?: readonly Goal[];
  run(options: BenchOptions): Promise<readonly Row[]>;
}
