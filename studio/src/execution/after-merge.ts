/**
 * Builds and tests a target after something has landed on it, where the options want that. `Blocking` takes back what breaks it;
 * `Async` only says so.
 */
import { Rejection } from '@weft/core';
import { type Execution, succeeded } from '../aggregates/execution/execution.js';
import { mergeProposal } from '../aggregates/merge-proposal/merge-proposal.js';
import type { Proposal } from '../aggregates/merge-proposal/state.js';
import { DEFAULT_OPTIONS, OPTIONS_ID, type Options } from '../aggregates/options/options.js';
import { apply } from '../branches/apply.js';
import { placeOf } from '../branches/place.js';
import { takeBack } from '../branches/take-back.js';
import { proposalOf } from '../flows/review.js';
import { attachEvidence } from '../knowledge/evidence.js';
import type { Change } from '../ledger/change.js';
import type { StudioLog } from '../log.js';
import { refusal } from '../reasons.js';
import { resultOf } from '../views/executions.js';
import { type Executing, execute } from './execute.js';

interface Landing extends Executing {
  readonly log: StudioLog;
}

/** Lands a proposal as `apply` does. Throws when it was taken back. */
export async function land<T>(
  ground: Landing,
  proposalId: string,
  answer: (record: (change: Change) => Proposal) => Promise<T>,
): Promise<T> {
  const landed = await apply(ground, proposalId, answer);
  await validateMerged(ground, proposalId);
  return landed;
}

async function validateMerged(ground: Landing, proposalId: string): Promise<void> {
  const options = ground.records.options.get(OPTIONS_ID) ?? DEFAULT_OPTIONS;
  if (options.postMergeExecutionMode === 'Disabled') return;
  const proposal = proposalOf(ground.records, proposalId);
  if (options.postMergeExecutionMode === 'Async') {
    validate(ground, proposal, options).catch((error: unknown) => {
      ground.log({ level: 'error', message: 'what was merged could not be built and tested', proposalId, error });
    });
    return;
  }
  const ran = await validate(ground, proposal, options);
  if (!ran || ran.steps.every(succeeded)) return;
  const { branchId, repositoryId, resultId } = ran;
  await takeBack(ground, await placeOf(ground, branchId, repositoryId), proposal);
  const reason = `${branchId} does not build or pass its tests with it: ${resultId}`;
  await ground.change((change) => change.run(mergeProposal, proposalId, 'move', { to: 'Rejected', reason }));
  throw refusal('reject.merge_taken_back', `${proposalId} was taken back: ${reason}`, { proposalId, resultId });
}

/** Undefined when nothing says how. */
async function validate(ground: Executing, proposal: Proposal, options: Options): Promise<Execution | undefined> {
  const { repositoryId, proposalId, workUnitId } = proposal;
  const place = await placeOf(ground, proposal.appliedTo ?? proposal.targetBranch, repositoryId);
  const ordered = { build: options.buildCommand ?? true, test: options.testCommand ?? true };
  const unit = workUnitId === undefined ? undefined : { workUnitId };
  const finish = await execute(ground, {
    ...{ place, unit, ordered, timeoutSeconds: options.executionTimeoutSeconds, apart: true },
  }).catch((error: unknown) => {
    if (error instanceof Rejection && error.reason === 'reject.nothing_to_run') return undefined;
    throw error;
  });
  if (!finish) return undefined;
  return ground.change((change) => {
    const ran = finish(change);
    if (unit) attachEvidence(change, unit, resultOf(ran), proposalId);
    return ran;
  });
}
