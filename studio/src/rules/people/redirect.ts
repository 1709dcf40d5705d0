/** Redirection: new work beside what was done; history is never rewritten. */
import { steeringDecision } from '../../record/aggregates/steering-decision/steering-decision.js';
import { workUnitGiven } from '../../record/aggregates/work-unit/events.js';
import type { Change } from '../../record/ledger/change.js';
import type { Records } from '../../record/views/records.js';
import { createUnit } from '../goals/create-unit.js';
import { agentOf, pauseAgent } from './pause.js';
import { profileOf, proposalOf, unitOf } from '../../record/views/by-id.js';
import { enqueue } from '../queue/queue.js';
import { steer } from '../goals/steer.js';

export interface Redirection {
  readonly kind: 'Redirect' | 'ForkFromNode';
  readonly workUnitId: string;
  readonly agentId?: string | undefined;
  readonly constraint?: string | undefined;
  readonly goal?: string | undefined;
  readonly nodeId?: string | undefined;
  readonly proposalId?: string | undefined;
  /** Profile that starts it at once. */
  readonly profileId?: string | undefined;
  /** Seed of its files, where the original has touched some. */
  readonly seed?: { readonly repositoryId: string; readonly seedSnapshotId: string } | undefined;
}

export interface Redirected {
  readonly steeringDecisionId: string;
  readonly newWorkUnitId: string;
  readonly originalWorkUnitId: string;
}

export function redirect(change: Change, records: Records, wanted: Redirection): Redirected {
  const { kind, workUnitId, agentId, constraint, goal, nodeId, proposalId, profileId, seed } = wanted;
  const original = unitOf(records, workUnitId);
  if (profileId !== undefined) profileOf(records, profileId);
  const from = proposalId === undefined ? undefined : proposalOf(records, proposalId);
  if (agentId !== undefined && agentOf(change, agentId).status === 'active') pauseAgent(change, records, agentId);
  const { branchId: seedFromBranchId, replacesWorkUnitId: _replaces, ...given } = workUnitGiven.parse(original);
  const { workUnitId: newWorkUnitId } = createUnit(change, records, {
    ...given,
    goal: goal ?? given.goal,
    ...(from === undefined
      ? { seedFromBranchId, ...seed }
      : { branchedFromProposalId: proposalId, seedSnapshotId: from.baseCommit }),
    forkType: 'Reasoning',
  });
  if (constraint !== undefined) steer(change, newWorkUnitId, constraint);
  if (profileId !== undefined) enqueue(change, records, newWorkUnitId, { profileId });
  const steeringDecisionId = change.newId('steer-');
  change.run(steeringDecision, steeringDecisionId, 'record', {
    steeringDecisionId,
    kind,
    workUnitId,
    newWorkUnitId,
    agentId,
    constraint,
    nodeId,
    proposalId,
  });
  return { steeringDecisionId, newWorkUnitId, originalWorkUnitId: workUnitId };
}
