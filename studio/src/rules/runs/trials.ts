/**
 * Trials of proposals and landings, where the options want them: exactly the commit, in a folder of its own, so leftovers
 * cannot help it pass.
 */
import { type Execution, succeeded } from '../../record/aggregates/execution/execution.js';
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import { DEFAULT_OPTIONS, OPTIONS_ID, type Options } from '../../record/aggregates/options/options.js';
import type { BranchContext, Offered, Trials } from '../branches/branch-context.js';
import { storedBranch } from '../branches/stored-branch.js';
import { attachEvidence } from '../knowledge/evidence.js';
import type { Change } from '../../record/ledger/change.js';
import type { StudioLog } from '../../log.js';
import { isReason } from '../../reasons.js';
import { resultOf } from '../../record/views/executions.js';
import type { Records } from '../../record/views/records.js';
import type { Programs } from '../../workspace/programs/programs.js';
import { offerEvidence } from './evidence.js';
import { type RunContext, type ToRun, execute } from './execute.js';

interface Parts {
  readonly programs: Programs;
  readonly log: StudioLog;
}

type Needed = 'Build' | 'Test';

export function trialsOf({ programs, log }: Parts): Trials {
  const executing = (context: BranchContext): RunContext => ({ ...context, programs });
  const ofLanding: Trials['ofLanding'] = async (context, proposal) => {
    const ran = await runLanded(executing(context), proposal);
    if (!ran || ran.steps.every(succeeded)) return undefined;
    const { branchId, resultId } = ran;
    return { reason: `${branchId} does not build or pass its tests with it: ${resultId}`, resultId };
  };
  return {
    ofLanding,
    watchLanding: (context, proposal) => {
      ofLanding(context, proposal).catch((error: unknown) => {
        const { proposalId } = proposal;
        log({ level: 'error', message: 'what was merged could not be built and tested', about: { proposalId }, error });
      });
    },
    ofOffer: async (context, offered) => {
      const { records } = context;
      const needed = neededBy(optionsOf(records));
      const open = needed.filter((kind) => lastOf(records, offered, kind)?.steps.every(isFine(kind)) !== true);
      if (open.length > 0) await runOffered(executing(context), offered, open);
      return {
        unfit: needed.map((kind) => failureOf(lastOf(records, offered, kind), kind)).find((why) => why !== undefined),
        attach: (change, proposal) => offerEvidence(change, records, proposal),
      };
    },
  };
}

/** Executes a landed commit; undefined when no build or test is known. */
async function runLanded(context: RunContext, proposal: Proposal): Promise<Execution | undefined> {
  const { repositoryId, proposalId, workUnitId, targetBranch, appliedTo = targetBranch, resultCommit } = proposal;
  const { buildCommand, testCommand, executionTimeoutSeconds } = optionsOf(context.records);
  const unit = workUnitId === undefined ? undefined : { workUnitId };
  const finish = await executeIfAny(context, {
    branch: await storedBranch(context, appliedTo, repositoryId),
    unit,
    timeoutSeconds: executionTimeoutSeconds,
    ordered: { build: buildCommand ?? true, test: testCommand ?? true },
    ...(resultCommit === undefined ? {} : { at: resultCommit }),
  });
  if (!finish) return undefined;
  return context.change((change) => {
    const ran = finish(change);
    if (unit) attachEvidence(change, unit, resultOf(ran), proposalId);
    return ran;
  });
}

async function runOffered(context: RunContext, offered: Offered, kinds: readonly Needed[]): Promise<void> {
  const { repositoryId, branchId, commit: at, workUnitId } = offered;
  const { buildCommand, testCommand, executionTimeoutSeconds } = optionsOf(context.records);
  const finish = await executeIfAny(context, {
    branch: await storedBranch(context, branchId, repositoryId),
    timeoutSeconds: executionTimeoutSeconds,
    at,
    unit: workUnitId === undefined ? undefined : { workUnitId },
    ordered: {
      build: kinds.includes('Build') && (buildCommand ?? true),
      test: kinds.includes('Test') && (testCommand ?? true),
    },
  });
  if (finish) await context.change(finish);
}

/** Executes, or answers undefined when no build or test is known. */
function executeIfAny(context: RunContext, toRun: ToRun): Promise<((change: Change) => Execution) | undefined> {
  return execute(context, toRun).catch((error: unknown) => {
    if (isReason(error, 'reject.nothing_to_run')) return undefined;
    throw error;
  });
}

function neededBy({ requireBuildBeforeProposal, requireTestBeforeProposal }: Options): Needed[] {
  return [
    ...(requireBuildBeforeProposal ? ['Build' as const] : []),
    ...(requireTestBeforeProposal ? ['Test' as const] : []),
  ];
}

/** Latest execution of this very commit with this kind of step. */
function lastOf(records: Records, { branchId, commit }: Offered, kind: Needed): Execution | undefined {
  const ended = records.executions.where('branch', branchId).filter(({ status }) => status === 'ended');
  // What an agent has run in its own way, such as `true`, is no trial.
  return ended.findLast(
    (ran) => ran.commit === commit && ran.asAsked !== true && ran.steps.some((step) => step.kind === kind),
  );
}

function isFine(kind: Needed): (step: Execution['steps'][number]) => boolean {
  return (step) => step.kind !== kind || succeeded(step);
}

function failureOf(ran: Execution | undefined, kind: Needed): string | undefined {
  const failed = ran?.steps.find((step) => !isFine(kind)(step));
  if (!ran || !failed) return undefined;
  return `the ${kind.toLowerCase()} has failed with exit code ${failed.exitCode}: ${failed.command} (${ran.resultId})`;
}

function optionsOf({ options }: Records): Options {
  return options.get(OPTIONS_ID) ?? DEFAULT_OPTIONS;
}
