/**
 * Runs builds, tests and checks in the folder of a branch, one after the other. The branch is saved first, so what was run is a
 * commit; each result is recorded as soon as it is there, and what is written meanwhile can be followed.
 */
import { type Execution, type StepGiven, execution } from '../aggregates/execution/execution.js';
import type { WorkUnit } from '../aggregates/work-unit/state.js';
import { folderFor } from '../branches/files.js';
import type { Ground } from '../branches/ground.js';
import type { BranchPlace } from '../branches/place.js';
import { save } from '../branches/save.js';
import type { Change } from '../ledger/change.js';
import { refusal } from '../reasons.js';
import { lintResults } from '../workspace/lint-lines.js';
import type { Programs } from '../workspace/programs.js';
import { fileInside } from '../workspace/safe-path.js';
import { testCounts } from '../workspace/test-counts.js';
import { attachRun } from './evidence.js';
import { type Ordered, type PlannedStep, planOf } from './plan.js';
import { rootsOf } from './profile-of.js';
import { Written } from './written.js';

/** Of each stream of a step. */
const MOST_OUTPUT = 16 << 10;

export interface Executing extends Ground {
  readonly programs: Programs;
}

export interface ToRun {
  readonly place: BranchPlace;
  readonly unit: Pick<WorkUnit, 'workUnitId'> | undefined;
  readonly ordered: Ordered;
  readonly timeoutSeconds: number;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Answers what ends it, to be run in the change that answers the request. */
export function execute(ground: Executing, toRun: ToRun): Promise<(change: Change) => Execution> {
  const { repositoryId, branchId } = toRun.place;
  // Two builds in one folder would break each other.
  return ground.lane.inOrder(`execution ${repositoryId} ${branchId}`, async () => {
    const { folder } = await folderFor(ground, toRun.place);
    const commit = await save(ground, toRun.place);
    const steps = planOf(await rootsOf(ground, toRun.place, folder), toRun.ordered);
    if (steps.length === 0)
      throw refusal('reject.nothing_to_run', `nothing says how ${branchId} is built, tested or checked`, { branchId });
    const resultId = await begin(ground, toRun, commit);
    try {
      await runSteps(ground, toRun, resultId, folder, steps);
    } catch (error) {
      await ground.change((change) => change.run(execution, resultId, 'interrupt', {}));
      throw error;
    }
    return (change) => {
      const ended = change.run(execution, resultId, 'end', {});
      attachRun(change, ground.records, ended);
      return ended;
    };
  });
}

function begin(ground: Executing, { place, unit }: ToRun, commit: string): Promise<string> {
  const { repositoryId, branchId } = place;
  const named = `exec/${branchId}/${ground.now().replace(/\D/g, '').slice(0, 14)}`;
  return ground.change((change) => {
    let resultId = named;
    for (let again = 2; change.state(execution, resultId); again++) resultId = `${named}-${again}`;
    const about = unit === undefined ? {} : { workUnitId: unit.workUnitId };
    change.run(execution, resultId, 'start', { resultId, branchId, repositoryId, commit, ...about });
    return resultId;
  });
}

/** What comes after something that failed in the same project is left out: it would only fail for that. */
async function runSteps(
  ground: Executing,
  toRun: ToRun,
  resultId: string,
  folder: string,
  steps: readonly PlannedStep[],
): Promise<void> {
  const broken = new Set<string>();
  for (const planned of steps) {
    const { projectRoot, kind } = planned;
    if (broken.has(projectRoot)) continue;
    const step = await runStep(ground, toRun, resultId, folder, planned);
    if (kind === 'Build' && step.exitCode !== 0) broken.add(projectRoot);
    await ground.change((change) => change.run(execution, resultId, 'endStep', { step }));
  }
}

async function runStep(
  ground: Executing,
  { timeoutSeconds, environment = {} }: ToRun,
  resultId: string,
  folder: string,
  { kind, projectRoot, command, setup, buildSystem }: PlannedStep,
): Promise<StepGiven> {
  const written = new Written((text) =>
    ground.change((change) => void change.run(execution, resultId, 'write', { text })),
  );
  const startedAt = ground.now();
  const running = await ground.programs.runner.run({
    folder: await rootIn(folder, projectRoot),
    command: withSetup(command, setup),
    ...{ environment, timeoutMs: timeoutSeconds * 1000, mostBytes: MOST_OUTPUT },
    onOutput: (text) => written.add(text),
  });
  const { exitCode, stdOut, stdErr, truncated } = await running.ended;
  await written.end();
  const said = `${stdOut}\n${stdErr}`;
  return {
    ...{ kind, projectRoot, command, startedAt, exitCode, stdOut, stdErr, truncated },
    ...(buildSystem === undefined ? {} : { buildSystem }),
    ...(kind === 'Test' ? { counts: testCounts(said) } : {}),
    ...(kind === 'Lint' ? { lintResults: lintResults(said, folder) } : {}),
  };
}

/** The folder of a project, however it is spelled. */
export async function rootIn(folder: string, root: string): Promise<string> {
  return root === '.' ? folder : fileInside(folder, root);
}

/** The command as a shell reads it, after what must have run once. */
export function withSetup(command: string, setup: PlannedStep['setup']): string {
  return setup === undefined ? command : `[ -e ${setup.folder} ] || ${setup.command} || exit\n${command}`;
}
