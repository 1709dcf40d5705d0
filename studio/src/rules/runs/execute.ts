/**
 * Execution: runs builds, tests and checks in the folder of a branch, sequentially. The branch is saved first, so a commit is
 * run; each result is recorded at once, and output can be followed.
 */
import { type Execution, execution } from '../../record/aggregates/execution/execution.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import { branchFiles } from '../branches/files.js';
import type { BranchContext } from '../branches/branch-context.js';
import type { StoredBranch } from '../branches/stored-branch.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
import type { ObjectStore } from '../../workspace/git/objects/object-store.js';
import type { Programs } from '../../workspace/programs/programs.js';
import { attachRun } from './evidence.js';
import { type FolderToRun, folderToRun } from './folder-to-run.js';
import { type Ordered, type PlannedStep, planOf } from './plan.js';
import { rootsIn } from './profile-of.js';
import { type Limits, runStep } from './run-step.js';
import { Written } from './written.js';

export interface RunContext extends BranchContext {
  readonly programs: Programs;
}

export interface ToRun extends Pick<Limits, 'timeoutSeconds' | 'environment'> {
  readonly branch: StoredBranch;
  readonly unit: Pick<WorkUnit, 'workUnitId'> | undefined;
  readonly ordered: Ordered;
  /** Commit to run in a folder of its own, instead of the branch's folder. */
  readonly at?: string;
  /** Whether the caller said how, or where: then it proves nothing of the project as a whole. */
  readonly asAsked?: boolean;
  /** Whether an agent has named the command or its environment. */
  readonly isOfAgent?: boolean;
  /** Whether the result is no longer wanted. */
  readonly hasEnded?: () => boolean;
}

/** Executes. The answer is to be run in the change that answers the request. */
export function execute(context: RunContext, toRun: ToRun): Promise<(change: Change) => Execution> {
  const { repositoryId, branchId } = toRun.branch;
  const run = (signal: AbortSignal) =>
    // Mutex: two builds in one folder would break each other.
    context.lane.inOrder(`execution ${repositoryId} ${branchId}`, async () => {
      signal.throwIfAborted();
      const found = await folderToRun(context, toRun.branch, 'execution', toRun.at);
      try {
        return await executeIn(context, { ...toRun, signal }, found);
      } finally {
        if (found.isPassing) await context.disk.spaces.discard(found.folder);
      }
    });
  return context.programs.underWay.run(toRun.branch, run, toRun.hasEnded);
}

async function executeIn(
  context: RunContext,
  toRun: ToRun & Pick<Limits, 'signal'>,
  { folder, commit }: FolderToRun,
): Promise<(change: Change) => Execution> {
  const { branchId, store } = toRun.branch;
  const files = toRun.at === undefined ? await branchFiles(context, toRun.branch) : await filesOf(store, toRun.at);
  const steps = planOf(await rootsIn(folder, files), toRun.ordered);
  if (steps.length === 0)
    throw refusal('reject.nothing_to_run', `nothing says how ${branchId} is built, tested or checked`, { branchId });
  const resultId = await begin(context, toRun, commit);
  try {
    await runSteps(context, toRun, resultId, folder, steps);
  } catch (error) {
    await context.change((change) => change.run(execution, resultId, 'interrupt', {}));
    throw error;
  }
  return (change) => {
    const ended = change.run(execution, resultId, 'end', {});
    attachRun(change, context.records, ended);
    return ended;
  };
}

async function filesOf(store: ObjectStore, commit: string): Promise<string[]> {
  return (await store.files(commit)).map(({ path }) => path);
}

function begin(
  context: RunContext,
  { branch, unit, asAsked = false, isOfAgent = false }: ToRun,
  commit: string,
): Promise<string> {
  const { repositoryId, branchId } = branch;
  const named = `exec/${branchId}/${context.now().replace(/\D/g, '').slice(0, 14)}`;
  return context.change((change) => {
    let resultId = named;
    for (let again = 2; change.state(execution, resultId); again++) resultId = `${named}-${again}`;
    const about = {
      ...(unit === undefined ? {} : { workUnitId: unit.workUnitId }),
      ...(asAsked ? { asAsked } : {}),
      ...(isOfAgent ? { isOfAgent } : {}),
    };
    const given = { resultId, branchId, repositoryId, commit, hostId: change.hostId, ...about };
    change.run(execution, resultId, 'start', given);
    return resultId;
  });
}

/** Runs the steps; those after a failed one of the same project are skipped, since they would only fail too. */
async function runSteps(
  context: RunContext,
  { branch, ...limits }: ToRun & Pick<Limits, 'signal'>,
  resultId: string,
  folder: string,
  steps: readonly PlannedStep[],
): Promise<void> {
  const broken = new Set<string>();
  for (const planned of steps) {
    const { projectRoot, kind } = planned;
    if (broken.has(projectRoot)) continue;
    const written = new Written((text) =>
      context.change((change) => void change.run(execution, resultId, 'write', { text })),
    );
    const startedAt = context.now();
    const onOutput = (text: string): void => written.add(text);
    const done = await runStep(context.programs.runner, folder, planned, {
      ...limits,
      caches: branch.repositoryId,
      onOutput,
    });
    await written.end();
    if (kind === 'Build' && done.exitCode !== 0) broken.add(projectRoot);
    const step = { ...done, startedAt };
    await context.change((change) => change.run(execution, resultId, 'endStep', { step }));
  }
}
