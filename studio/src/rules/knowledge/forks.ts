/** Forks: hypotheses, counterfactuals, and experiments that compare several. */
import { type Experiment, experiment } from '../../record/aggregates/experiment/experiment.js';
import { type Hypothesis, type HypothesisStatus, hypothesis } from '../../record/aggregates/hypothesis/hypothesis.js';
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import type { WorkUnitGiven } from '../../record/aggregates/work-unit/events.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import { type WorkUnitStatus, isOver } from '../../record/aggregates/work-unit/status.js';
import { workUnit } from '../../record/aggregates/work-unit/work-unit.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { cancelTree } from '../queue/cancel.js';
import { type NewUnit, createUnit } from '../goals/create-unit.js';
import { moveUnit } from '../queue/move.js';
import { profileOf, proposalOf, unitOf } from '../../record/views/by-id.js';
import { enqueueAgain } from '../queue/queue.js';
import { present, recordArtifact } from './artifacts.js';
import { decide } from './decisions.js';

export type ForkType = NonNullable<WorkUnitGiven['forkType']>;

export interface Fork {
  readonly goal: string;
  readonly owner: string;
  readonly forkType: ForkType;
  readonly parentWorkUnitId?: string | undefined;
  readonly branchedFromProposalId?: string | undefined;
  readonly rationale?: string | undefined;
  readonly profileId?: string | undefined;
  /** Constraint for this fork and all below it. */
  readonly constraintText?: string | undefined;
  readonly repositoryId?: string | undefined;
  readonly sessionId?: string | undefined;
}

export interface Forked {
  readonly unit: WorkUnit;
  readonly hypothesis: Hypothesis;
}

/** Forks a unit. A fork of a proposal begins with its base; with a profile given it starts at once. */
export function fork(change: Change, records: Records, wanted: Fork): Forked {
  const { goal, owner, forkType, constraintText, ...rest } = wanted;
  const { parentWorkUnitId, branchedFromProposalId, rationale, profileId, sessionId } = rest;
  const from = branchedFromProposalId === undefined ? undefined : proposalOf(records, branchedFromProposalId);
  const { repositoryId = from?.repositoryId } = rest;
  if (profileId !== undefined) profileOf(records, profileId);
  const unit = createUnit(change, records, {
    goal: suffixed(goal, constraintText ?? profileId),
    owner,
    forkType,
    ...present({ parentWorkUnitId, branchedFromProposalId, seedSnapshotId: from?.baseCommit, repositoryId }),
    ...(profileId === undefined ? {} : { metadata: { profileId } }),
  });
  const { workUnitId } = unit;
  if (constraintText !== undefined)
    recordArtifact(change, records, { type: 'Constraint', title: 'How to do it', body: constraintText, workUnitId });
  const forked = change.run(hypothesis, workUnitId, 'fork', {
    workUnitId,
    forkType,
    ...present({ parentWorkUnitId, branchedFromProposalId, rationale, profileId, sessionId }),
  });
  if (profileId !== undefined) enqueueAgain(change, records, workUnitId);
  return { unit: change.state(workUnit, workUnitId) ?? unit, hypothesis: forked };
}

/** Counterfactual: repeats work from a proposal's base, as a sibling of its unit, or by itself if the parent is over. */
export function counterfactual(
  change: Change,
  records: Records,
  given: Pick<Fork, 'constraintText' | 'sessionId'> & {
    proposalId: string;
    profileId: string;
    goal?: string | undefined;
  },
): Forked & { readonly original: WorkUnit } {
  const { proposalId, profileId, goal, constraintText, sessionId } = given;
  const { workUnitId } = proposalOf(records, proposalId);
  if (workUnitId === undefined)
    throw refusal('reject.workunit_not_found', `no work unit has made ${proposalId}`, { proposalId });
  const original = unitOf(records, workUnitId);
  const { repositoryId, owner } = original;
  const parent = records.workUnits.get(original.parentWorkUnitId ?? '');
  const parentWorkUnitId = parent && !isOver(parent.status) ? parent.workUnitId : undefined;
  const forked = fork(change, records, {
    goal: goal ?? original.goal,
    owner,
    forkType: 'Model',
    branchedFromProposalId: proposalId,
    profileId,
    parentWorkUnitId,
    repositoryId,
    constraintText,
    sessionId,
    rationale: `What else could have become of ${proposalId}`,
  });
  return { ...forked, original };
}

export type Way = Pick<Fork, 'profileId' | 'constraintText'>;

/** Field that each way must set, or the ways would not differ in what is compared. */
const DIFFERENCE: Readonly<Partial<Record<ForkType, keyof Way>>> = {
  Model: 'profileId',
  Architecture: 'constraintText',
  Library: 'constraintText',
  Product: 'constraintText',
};

export interface NewExperiment extends Pick<Fork, 'forkType' | 'sessionId'> {
  readonly parent: NewUnit;
  readonly ways: readonly Way[];
  readonly comparisonMetricHint?: string | undefined;
}

/** Starts an experiment. Only the forks are worked on, at once and in parallel; the parent holds them together. */
export function startExperiment(change: Change, records: Records, wanted: NewExperiment): Experiment {
  const { parent, forkType, ways, comparisonMetricHint, sessionId } = wanted;
  const needed = DIFFERENCE[forkType];
  const lacking = needed === undefined ? -1 : ways.findIndex((way) => way[needed] === undefined);
  if (needed !== undefined && lacking >= 0)
    throw refusal('reject.invalid_input', `forks: each fork of a ${forkType} experiment needs ${needed}`, [
      { field: `forks.${lacking}.${needed}`, message: 'is missing' },
    ]);
  const { workUnitId: parentWorkUnitId, goal, owner } = createUnit(change, records, parent);
  const common = { goal, owner, forkType, parentWorkUnitId, sessionId };
  const forks = ways.map((way) => fork(change, records, { ...common, ...way }).unit);
  moveUnit(change, records, parentWorkUnitId, 'Active');
  const experimentId = change.newId('exp-');
  return change.run(experiment, experimentId, 'start', {
    experimentId,
    parentWorkUnitId,
    forkType,
    forkWorkUnitIds: forks.map(({ workUnitId }) => workUnitId),
    ...present({ comparisonMetricHint, sessionId }),
  });
}

export interface Convergence {
  readonly experiment: Experiment;
  readonly decisionIds: readonly string[];
  readonly cancelledWorkUnitIds: readonly string[];
}

/** Ends an experiment: one fork wins, the others end with their proposals rejected. */
export function convergeExperiment(
  change: Change,
  records: Records,
  parentWorkUnitId: string,
  verdict: { readonly winnerId: string; readonly rationale?: string | undefined },
): Convergence {
  const [found] = records.experiments.where('parent', parentWorkUnitId);
  if (!found)
    throw refusal('reject.experiment_not_found', `${parentWorkUnitId} holds no experiment`, { parentWorkUnitId });
  const ended = change.run(experiment, found.experimentId, 'converge', verdict);
  if (found.winnerId !== undefined) return { experiment: ended, decisionIds: [], cancelledWorkUnitIds: [] };
  const { winnerId, rationale } = verdict;
  const decisionIds = found.forkWorkUnitIds.flatMap((workUnitId) => {
    const isWinner = workUnitId === winnerId;
    change.run(hypothesis, workUnitId, 'settle', { status: isWinner ? 'Converged' : 'Rejected', rationale });
    const newest = records.proposals.where('workUnit', workUnitId).at(-1);
    if (!newest || isSettled(newest)) return [];
    const outcome = isWinner ? 'Accepted' : 'Rejected';
    const { proposalId } = newest;
    return [decide(change, records, { proposalId, outcome, ...present({ rationale }) }, true).decisionId];
  });
  const losers = found.forkWorkUnitIds.filter((id) => id !== winnerId);
  const cancelled = losers.flatMap((id) => cancelTree(change, records, id, 'another fork has won'));
  return { experiment: ended, decisionIds, cancelledWorkUnitIds: cancelled };
}

const STATUS: Readonly<Record<WorkUnitStatus, HypothesisStatus>> = {
  Created: 'Active',
  Active: 'Active',
  Waiting: 'Active',
  Queued: 'Active',
  Executing: 'Active',
  Retrying: 'Active',
  Failed: 'Active',
  DeadLettered: 'Active',
  Proposed: 'Proposed',
  Reviewing: 'Proposed',
  Completed: 'Converged',
  Merged: 'Converged',
  Cancelled: 'Rejected',
};

export function hypothesisStatus({ hypotheses }: Records, { workUnitId, status }: WorkUnit): HypothesisStatus {
  return hypotheses.get(workUnitId)?.settled ?? STATUS[status];
}

function isSettled({ status }: Proposal): boolean {
  return status === 'Merged' || status === 'Rejected' || status === 'Superseded';
}

function suffixed(goal: string, difference: string | undefined): string {
  return difference === undefined ? goal : `${goal} [${difference}]`;
}
