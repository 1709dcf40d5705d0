/** Shapes of builds, tests, checks and programs that run, as callers see them. */
import { z } from 'zod';
import { type Execution, succeeded } from '../../record/aggregates/execution/execution.js';
import { STACKS } from '../../workspace/programs/stacks.js';
import type { Run } from '../../workspace/programs/runs.js';
import type { Ended } from '../../workspace/programs/runner.js';

const result = {
  success: z.boolean().describe('Whether it ended with 0.'),
  exitCode: z.number().describe('How it ended: 124 when it took too long, 128 and more when a signal ended it.'),
  stdOut: z.string().describe('What it wrote: the beginning and the end.'),
  buildSystem: z.string().optional().describe('Kind of the project.'),
  command: z.string().describe('What was run.'),
  startedAt: z.string().describe('When it began, ISO 8601.'),
  completedAt: z.string().optional().describe('When it ended, ISO 8601. Absent as long as it runs.'),
  truncated: z.boolean().describe('Whether it wrote more than is kept.'),
  projectRoot: z.string().describe('Folder of the project; "." is that of the branch.'),
};

export const BuildResult = z
  .object({
    ...result,
    stdErr: z.string().describe('What it wrote about itself.'),
    running: z.boolean().describe('Whether it still runs.'),
    pid: z.number().optional().describe('Its number, as long as it runs.'),
  })
  .meta({ id: 'BuildResult', description: 'How a program ended, or that it runs.' });

const TestResult = z
  .object({
    ...result,
    stdErr: z.string().describe('What it wrote about itself.'),
    totalTests: z.number().describe('Tests that there are, as far as its output says.'),
    passed: z.number().describe('Tests that passed.'),
    failed: z.number().describe('Tests that failed.'),
    skipped: z.number().describe('Tests that did not run.'),
  })
  .meta({ id: 'TestResult', description: 'How tests ended.' });

const LintResult = z
  .object({
    ruleId: z.string().describe('Rule that is broken, if it is named.'),
    severity: z.enum(['error', 'warning']).describe('How bad it is.'),
    file: z.string().describe('File that it is in.'),
    line: z.number().optional().describe('Line, from 1.'),
    message: z.string().describe('What is wrong.'),
  })
  .meta({ id: 'LintResult', description: 'A complaint of a checker.' });

export const BranchExecutionResult = z
  .object({
    resultId: z.string().describe('Id of the result.'),
    branchId: z.string().describe('Branch that it was run on.'),
    nodeId: z.string().describe('Commit that was run.'),
    builds: z.array(BuildResult).describe('Builds, in their order.'),
    tests: z.array(TestResult).describe('Tests, in their order.'),
    lintResults: z.array(LintResult).describe('Complaints of checkers.'),
    allSucceeded: z.boolean().describe('Whether all of it ended with 0.'),
    executedAt: z.string().describe('When it began, ISO 8601.'),
  })
  .meta({ id: 'BranchExecutionResult', description: 'What builds, tests and checks of a branch have shown.' });

export const ExecutionOutput = z
  .object({
    branchId: z.string().describe('Branch that it was run on.'),
    resultId: z.string().describe('Id of the result.'),
    entries: z
      .array(
        z.object({
          kind: z.enum(['Build', 'Test', 'Lint']).describe('What it was for.'),
          projectRoot: z.string().describe('Folder of the project.'),
          command: z.string().describe('What was run.'),
          exitCode: z.number().describe('How it ended.'),
          stdOut: z.string().describe('What it wrote.'),
          stdErr: z.string().describe('What it wrote about itself.'),
          truncated: z.boolean().describe('Whether it wrote more than is kept.'),
        }),
      )
      .describe('What was run, in its order.'),
    executedAt: z.string().describe('When it began, ISO 8601.'),
  })
  .meta({ id: 'ExecutionOutput', description: 'What builds, tests and checks wrote.' });

export const WorkspaceProfile = z
  .object({
    branchId: z.string().describe('Branch that it is of.'),
    roots: z
      .array(
        z.object({
          relativePath: z.string().describe('Folder of the project; "." is that of the branch.'),
          stack: z.enum([...STACKS.map(({ stack }) => stack), 'none']).describe('Kind of the project.'),
          setupCommand: z.string().optional().describe('What must run once before any other.'),
          buildCommand: z.string().optional().describe('How it is built.'),
          testCommand: z.string().optional().describe('How it is tested.'),
          lintCommand: z.string().optional().describe('How it is checked.'),
          runCommand: z.string().optional().describe('How it is run.'),
          isLongRunning: z.boolean().describe('Whether it goes on when it is run.'),
          ruleFileContent: z.string().optional().describe('What people wrote down for agents.'),
        }),
      )
      .describe('The projects in it. Empty for a branch without a folder.'),
    detectedAt: z.string().describe('When it was looked at, ISO 8601.'),
  })
  .meta({ id: 'WorkspaceProfile', description: 'What lies in a workspace, and how it is built, tested and run.' });

export function executionView({ steps, commit, ...ran }: Execution): z.input<typeof BranchExecutionResult> {
  const none = { totalTests: 0, passed: 0, failed: 0, skipped: 0 };
  const shown = steps.map((step) => ({ ...step, success: succeeded(step) }));
  return {
    resultId: ran.resultId,
    branchId: ran.branchId,
    nodeId: commit,
    executedAt: ran.executedAt,
    builds: shown.filter(({ kind }) => kind === 'Build').map((step) => ({ ...step, running: false })),
    tests: shown.filter(({ kind }) => kind === 'Test').map((step) => ({ ...step, ...(step.counts ?? none) })),
    lintResults: shown.filter(({ kind }) => kind === 'Lint').flatMap(complaints),
    allSucceeded: steps.every(succeeded),
  };
}

/** Complaints of a checker; one that fails without readable output has failed all the same. */
function complaints({
  lintResults = [],
  success,
  command,
  stdOut,
  stdErr,
}: Execution['steps'][number] & { success: boolean }) {
  if (success || lintResults.length > 0) return [...lintResults];
  const message = `${command}: ${(stdErr.trim() || stdOut.trim()).slice(-500)}`;
  return [{ ruleId: '', severity: 'error' as const, file: '', message }];
}

export function runView(
  { running, rootPath, startedAt }: Run,
  command: string,
  ended: Ended | undefined,
  now: string,
): z.input<typeof BuildResult> {
  const about = { command, startedAt, projectRoot: rootPath };
  if (!ended) {
    const going = { success: true, exitCode: 0, running: true, pid: running.pid };
    return { ...about, ...going, stdOut: running.output(), stdErr: '', truncated: false };
  }
  const { exitCode, stdOut, stdErr, truncated } = ended;
  return { ...about, success: exitCode === 0, exitCode, stdOut, stdErr, truncated, running: false, completedAt: now };
}
