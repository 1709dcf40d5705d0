/** Read model of executions: builds, tests and checks that ran. */
import { type Execution, succeeded } from '../aggregates/execution/execution.js';
import type { Records } from './records.js';

export interface ExecutionResult {
  /** Id, `exec/<branch>/<time>`. */
  readonly resultId: string;
  readonly branchId: string;
  /** Commit that ran. */
  readonly commit: string;
  readonly executedAt: string;
  readonly allSucceeded: boolean;
  /** Whether an agent has named the command. */
  readonly isOfAgent?: boolean | undefined;
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
  readonly checks: readonly {
    readonly success: boolean;
    readonly exitCode: number;
    readonly complaints: number;
    readonly command: string;
  }[];
}

export interface Executions {
  latest(branchId: string): ExecutionResult | undefined;
}

export function executionsOf(records: Records): Executions {
  return {
    latest: (branchId) => {
      const last = latestExecution(records, branchId);
      return last && resultOf(last);
    },
  };
}

/** Latest completed execution. */
export function latestExecution({ executions }: Records, branchId: string): Execution | undefined {
  return executions.where('branch', branchId).findLast(({ status }) => status === 'ended');
}

export function resultOf({ resultId, branchId, commit, executedAt, steps, isOfAgent }: Execution): ExecutionResult {
  const of = (kind: Execution['steps'][number]['kind']) => steps.filter((step) => step.kind === kind);
  const none = { totalTests: 0, passed: 0, failed: 0, skipped: 0 };
  return {
    resultId,
    branchId,
    commit,
    executedAt,
    allSucceeded: steps.every(succeeded),
    ...(isOfAgent === true && { isOfAgent }),
    builds: of('Build').map(({ exitCode, buildSystem, command }) => ({
      success: succeeded({ exitCode }),
      exitCode,
      buildSystem,
      command,
    })),
    tests: of('Test').map(({ exitCode, buildSystem, command, counts = none }) => ({
      success: succeeded({ exitCode }),
      exitCode,
      ...counts,
      buildSystem,
      command,
    })),
    checks: of('Lint').map(({ exitCode, command, lintResults = [] }) => ({
      success: succeeded({ exitCode }),
      exitCode,
      complaints: lintResults.length,
      command,
    })),
  };
}
