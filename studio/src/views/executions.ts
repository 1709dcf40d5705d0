/** What others need to know of builds, tests and checks that ran. */
import type { Records } from './records.js';

export interface ExecutionResult {
  /** `exec/<branch>/<time>`. */
  readonly resultId: string;
  readonly branchId: string;
  readonly executedAt: string;
  readonly allSucceeded: boolean;
  readonly builds: readonly {
    readonly success: boolean;
    readonly exitCode: number;
    readonly buildSystem?: string | undefined;
    readonly command: string;
  }[];
  readonly tests: readonly {
    readonly success: boolean;
    readonly exitCode: number;
    readonly totalTests: number;
    readonly passed: number;
    readonly failed: number;
    readonly skipped: number;
    readonly buildSystem?: string | undefined;
    readonly command: string;
  }[];
}

export interface Executions {
  latest(branchId: string): ExecutionResult | undefined;
}

/** Nothing runs yet. */
export function executionsOf(_records: Records): Executions {
  return { latest: () => undefined };
}
