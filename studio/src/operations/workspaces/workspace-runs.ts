/** Executions: building, testing, checking and running what is on a branch. */
import { z } from 'zod';
import { DEFAULT_OPTIONS, OPTIONS_ID, type Options } from '../../record/aggregates/options/options.js';
import { folderFor } from '../../rules/branches/files.js';
import type { StoredBranch } from '../../rules/branches/stored-branch.js';
import { execute } from '../../rules/runs/execute.js';
import { folderToRun } from '../../rules/runs/folder-to-run.js';
import { type Ordered, isUsual } from '../../rules/runs/plan.js';
import { rootsOf } from '../../rules/runs/profile-of.js';
import { withSetup } from '../../rules/runs/run-step.js';
import { refusal } from '../../reasons.js';
import { latestExecution } from '../../record/views/executions.js';
import { endedWithin } from '../../workspace/programs/runs.js';
import { safePath } from '../../workspace/files/safe-path.js';
import type { Context } from '../kernel/context.js';
import { operation } from '../kernel/define.js';
import { ADDS, ENDS, READS, SETS } from '../kernel/hints.js';
import {
  BranchExecutionResult,
  BuildResult,
  ExecutionOutput,
  WorkspaceProfile,
  executionView,
  runView,
} from './execution-shape.js';
import {
  EXECUTION_REFUSALS,
  OPENING_REFUSALS,
  TARGET,
  TARGET_REFUSALS,
  type Target,
  ownTargetOf,
  targetOf,
} from './workspace-target.js';

/** Annotations of running a program: nobody knows what it does beyond its folder. */
const RUNS = { ...ADDS, openWorld: true };
const QUERY = ['branchId', 'workUnitId', 'repositoryId'] as const;
/** Settling time before a started server is reported. */
const SETTLE_MS = 2_000;
const Command = z.string().min(1).max(10_000);
const Root = z.string().min(1).max(4096).optional().describe('Folder of the project that is meant. Default: all.');
const Timeout = z.number().int().min(1).max(86_400).optional();
const timeoutSeconds = Timeout.describe('How long one command may take. Default: what the options say.');

export const build = operation({
  summary: 'Build what is on a branch.',
  scope: 'operate',
  in: z.object({
    ...TARGET,
    buildCommand: Command.optional().describe('How. Default: what the options say, or else the files.'),
    timeoutSeconds,
    rootPath: Root,
  }),
  out: BranchExecutionResult,
  rest: { route: 'POST /studio/workspace/build', query: QUERY },
  tool: 'workspace_build',
  dispatch: true,
  refuses: EXECUTION_REFUSALS,
  annotations: RUNS,
}).run((context, { buildCommand, timeoutSeconds, rootPath, ...target }) => {
  const ordered = { build: buildCommand ?? optionsOf(context).buildCommand ?? true, rootPath };
  return executed(context, target, ordered, timeoutSeconds);
});

export const test = operation({
  summary: 'Test what is on a branch.',
  scope: 'operate',
  in: z.object({
    ...TARGET,
    testCommand: Command.optional().describe('How. Default: what the options say, or else the files.'),
    timeoutSeconds,
    rootPath: Root,
  }),
  out: BranchExecutionResult,
  rest: { route: 'POST /studio/workspace/test', query: QUERY },
  tool: 'workspace_test',
  dispatch: true,
  refuses: EXECUTION_REFUSALS,
  annotations: RUNS,
}).run((context, { testCommand, timeoutSeconds, rootPath, ...target }) => {
  const ordered = { test: testCommand ?? optionsOf(context).testCommand ?? true, rootPath };
  return executed(context, target, ordered, timeoutSeconds);
});

const Switch = z.boolean().optional();

export const exec = operation({
  summary: 'Build, test and check what is on a branch. When none of the three is asked for, it is built and tested.',
  scope: 'operate',
  in: z.object({
    ...TARGET,
    build: Switch.describe('Whether to build.'),
    test: Switch.describe('Whether to test.'),
    lint: Switch.describe('Whether to check.'),
    buildCommand: Command.optional().describe('How to build.'),
    testCommand: Command.optional().describe('How to test.'),
    lintCommand: Command.optional().describe('How to check.'),
    allowAutoDetect: z.boolean().default(true).describe('Whether the files say how where nobody else does.'),
    timeoutSeconds,
    environmentVariables: z
      .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,200}$/), z.string().max(10_000))
      .optional()
      .describe('What the programs find in their environment besides. It is not kept.'),
    rootPath: Root,
  }),
  out: BranchExecutionResult,
  rest: { route: 'POST /studio/workspace/exec', query: QUERY },
  tool: 'workspace_exec',
  dispatch: true,
  refuses: EXECUTION_REFUSALS,
  annotations: RUNS,
}).run((context, { rootPath, timeoutSeconds, environmentVariables, allowAutoDetect, ...asked }) => {
  const options = optionsOf(context);
  const { build, test, lint, buildCommand, testCommand, lintCommand, ...target } = asked;
  const isAny = [build, test, lint, buildCommand, testCommand, lintCommand].some((one) => (one ?? false) !== false);
  const how = (wanted: boolean, command: string | null | undefined): string | boolean =>
    wanted && (command ?? allowAutoDetect);
  const ordered = {
    build: how(build ?? (buildCommand !== undefined || !isAny), buildCommand ?? options.buildCommand),
    test: how(test ?? (testCommand !== undefined || !isAny), testCommand ?? options.testCommand),
    lint: how(lint ?? lintCommand !== undefined, lintCommand),
    rootPath,
  };
  return executed(context, target, ordered, timeoutSeconds, environmentVariables);
});

export const execLatest = operation({
  summary: 'Read what the newest build and test of a branch have shown.',
  scope: 'read',
  in: z.object(TARGET),
  out: BranchExecutionResult,
  rest: { route: 'GET /studio/workspace/exec/latest', query: QUERY },
  tool: 'workspace_exec_status',
  dispatch: true,
  refuses: ['reject.execution_not_found', ...TARGET_REFUSALS],
  annotations: READS,
}).run(async (context, target) => {
  const { branchId } = (await targetOf(context, target)).branch;
  const last = latestExecution(context.records, branchId);
  if (!last) throw refusal('reject.execution_not_found', `nothing was run on ${branchId} yet`, { branchId });
  return executionView(last);
});

export const execOutput = operation({
  summary: 'Read what builds, tests and checks wrote.',
  scope: 'read',
  in: z.object({ ...TARGET, resultId: z.string().min(1).max(1000).describe('Id of the result.') }),
  out: ExecutionOutput,
  rest: { route: 'GET /studio/workspace/exec/output', query: [...QUERY, 'resultId'] },
  refuses: ['reject.execution_not_found', ...TARGET_REFUSALS],
  annotations: READS,
}).run(async (context, { resultId, ...target }) => {
  const { branchId } = (await targetOf(context, target)).branch;
  const found = context.records.executions.get(resultId);
  if (found?.branchId !== branchId)
    throw refusal('reject.execution_not_found', `${branchId} has no result ${resultId}`, { branchId, resultId });
  return { branchId, resultId, entries: [...found.steps], executedAt: found.executedAt };
});

export const run = operation({
  summary: 'Run what is on a branch. What goes on, such as a server, is left running until it is stopped.',
  scope: 'operate',
  in: z.object({
    ...TARGET,
    rootPath: Root,
    runCommand: Command.optional().describe('How. Default: what the files say.'),
    timeoutSeconds: z.number().int().min(1).max(600).default(120).describe('How long to wait for it to end.'),
  }),
  out: BuildResult,
  rest: { route: 'POST /studio/workspace/run', query: QUERY },
  tool: 'workspace_run',
  dispatch: true,
  refuses: ['reject.too_many_runs', ...EXECUTION_REFUSALS],
  annotations: RUNS,
}).run(async (context, { rootPath, runCommand, timeoutSeconds, ...target }) => {
  const { branch, hasEnded } = await ownTargetOf(context, target);
  const { folder } = await folderToRun(context, branch, 'run');
  const named = rootPath === undefined ? undefined : rootOf(rootPath);
  const roots = await rootsOf(context, branch, folder);
  const root = roots.find(({ relativePath, runCommand: how }) =>
    named === undefined ? runCommand === undefined && how !== undefined : relativePath === named,
  );
  const command = runCommand ?? root?.runCommand;
  if (command === undefined)
    throw refusal('reject.nothing_to_run', `nothing says how ${branch.branchId} is run`, { branchId: branch.branchId });
  const at = root?.relativePath ?? named ?? '.';
  const { runs, underWay } = context.programs;
  const key = { repositoryId: branch.repositoryId, branchId: branch.branchId, rootPath: at };
  const how = withSetup(command, root?.setup);
  const startedAt = context.now();
  const begun = await underWay.run(key, (signal) => runs.start(key, folder, how, { startedAt, signal }), hasEnded);
  const isServer = runCommand === undefined && root?.isLongRunning === true;
  const ended = await endedWithin(begun, isServer ? Math.min(SETTLE_MS, timeoutSeconds * 1000) : timeoutSeconds * 1000);
  return runView(begun, command, ended, context.now());
});

export const runStop = operation({
  summary: 'Stop what runs on a branch, and all that it has started.',
  scope: 'operate',
  in: z.object({
    ...TARGET,
    pid: z.number().int().min(1).optional().describe('Only this one. Default: all.'),
    rootPath: Root,
  }),
  out: z.object({ stopped: z.boolean().describe('Whether something was stopped.') }),
  rest: { route: 'POST /studio/workspace/run/stop', query: QUERY },
  tool: 'workspace_run_stop',
  dispatch: true,
  refuses: ['reject.branch_of_others', 'reject.path_outside_repository', ...TARGET_REFUSALS],
  annotations: ENDS,
}).run(async (context, { pid, rootPath, ...target }) => {
  const { branch } = await ownTargetOf(context, target);
  const found = context.programs.runs.of(branch, rootPath === undefined ? undefined : rootOf(rootPath));
  const meant = found.filter(({ running }) => pid === undefined || running.pid === pid);
  await Promise.all(meant.map(({ running }) => running.stop()));
  return { stopped: meant.length > 0 };
});

export const runOutput = operation({
  summary: 'Read what a program that runs on a branch has written until now.',
  scope: 'read',
  in: z.object({ ...TARGET, rootPath: Root }),
  out: z.object({
    branchId: z.string().describe('Branch that it runs on.'),
    rootPath: z.string().describe('Folder of its project.'),
    output: z.string().describe('What it has written: the beginning and the end.'),
  }),
  rest: { route: 'GET /studio/workspace/run/output', query: [...QUERY, 'rootPath'] },
  refuses: ['reject.not_running', 'reject.path_outside_repository', ...TARGET_REFUSALS],
  annotations: READS,
}).run(async (context, { rootPath, ...target }) => {
  const { branch } = await targetOf(context, target);
  const { branchId } = branch;
  const last = context.programs.runs.of(branch, rootPath === undefined ? undefined : rootOf(rootPath)).at(-1);
  if (!last) throw refusal('reject.not_running', `nothing runs on ${branchId}`, { branchId });
  return { branchId, rootPath: last.rootPath, output: last.running.output() };
});

export const profile = operation({
  summary: 'Say which projects lie in a workspace, and how they are built, tested and run.',
  scope: 'read',
  in: z.object(TARGET),
  out: WorkspaceProfile,
  rest: { route: 'GET /studio/workspace/profile', query: QUERY },
  tool: 'workspace_profile_get',
  dispatch: true,
  refuses: TARGET_REFUSALS,
  annotations: READS,
}).run(async (context, target) => {
  const { branch } = await targetOf(context, target);
  const space = await context.disk.spaces.find(branch);
  return profileOf(context, branch, space?.folder);
});

export const profileRescan = operation({
  summary: 'Make the folder of a branch if it has none, and say which projects lie in it.',
  scope: 'operate',
  in: z.object(TARGET),
  out: WorkspaceProfile,
  rest: { route: 'POST /studio/workspace/profile/rescan', query: QUERY },
  tool: 'workspace_profile_rescan',
  dispatch: true,
  refuses: OPENING_REFUSALS,
  annotations: SETS,
}).run(async (context, target) => {
  const { branch } = await targetOf(context, target);
  const { folder } = await folderFor(context, branch);
  return profileOf(context, branch, folder);
});

async function executed(
  context: Context,
  target: Target,
  ordered: Ordered,
  timeoutSeconds = optionsOf(context).executionTimeoutSeconds,
  environment: Readonly<Record<string, string>> = {},
): Promise<z.input<typeof BranchExecutionResult>> {
  const { rootPath } = ordered;
  if (rootPath !== undefined) rootOf(rootPath);
  const found = await ownTargetOf(context, target);
  const hasEnvironment = Object.keys(environment).length > 0;
  const asAsked = !isUsual(ordered, optionsOf(context)) || hasEnvironment;
  const isNamed = !isUsual({ ...ordered, rootPath: undefined }, optionsOf(context)) || hasEnvironment;
  const isOfAgent = isNamed && context.caller.kind === 'agent';
  const how = { ordered, timeoutSeconds, environment, asAsked, isOfAgent };
  const finish = await execute(context, { ...found, ...how });
  return context.answer((change) => executionView(finish(change)));
}

async function profileOf(
  context: Context,
  branch: StoredBranch,
  folder: string | undefined,
): Promise<z.input<typeof WorkspaceProfile>> {
  const found = folder === undefined ? [] : await rootsOf(context, branch, folder);
  const roots = found.map(({ setup, ...root }) => ({ ...root, ...(setup && { setupCommand: setup.command }) }));
  return { branchId: branch.branchId, roots, detectedAt: context.now() };
}

function optionsOf({ records }: Context): Options {
  return records.options.get(OPTIONS_ID) ?? DEFAULT_OPTIONS;
}

function rootOf(path: string): string {
  return /^\.?\/?$/.test(path) ? '.' : safePath(path);
}
