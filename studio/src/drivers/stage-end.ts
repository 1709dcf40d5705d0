/** Exit criteria of an agent's work by the stage of its profile, and what becomes of the unit then. */
import type { PIPELINE_STAGES } from '../record/aggregates/agent-profile/state.js';
import { agent } from '../record/aggregates/agent/agent.js';
import type { Proposal } from '../record/aggregates/merge-proposal/state.js';
import type { ScheduledItem } from '../record/aggregates/scheduled-item/scheduled-item.js';
import type { WorkUnit } from '../record/aggregates/work-unit/state.js';
import { renewing } from '../rules/proposals/bring-up-to-date.js';
import { restartProfile, reviewedTooOften } from '../rules/proposals/policy.js';
import { openSlices } from '../rules/knowledge/slices.js';
import { isObserver } from '../rules/queue/staff.js';
import { toDeadLetter } from '../rules/queue/dead-letters.js';
import { moveUnit } from '../rules/queue/move.js';
import { modelFor } from '../rules/queue/model-for.js';
import { enqueue } from '../rules/queue/queue.js';
import type { Change } from '../record/ledger/change.js';
import type { Records } from '../record/views/records.js';

export type Stage = (typeof PIPELINE_STAGES)[number];

/** Missing result of a stage, worded for the agent; undefined when it is there. */
export function missingAt(stage: Stage, records: Records, unit: WorkUnit): string | undefined {
  switch (stage) {
    case 'Plan':
      return openSlices(records, unit.workUnitId).length > 0 ? undefined : 'no plan with new slices is recorded';
    case 'Review':
      return isDecided(newestProposal(records, unit)) ? undefined : 'the proposal is not reviewed';
    default:
      // What it finds out about a conflict brings nothing together.
      if (renewing(records, unit.workUnitId).length > 0) return 'what was to be brought up to date is not proposed';
      if (unit.expectedOutputKind !== 'FileChange' && hasFoundOut(records, unit)) return undefined;
      return unit.expectedOutputKind === 'KnowledgeArtifact' ? 'nothing is recorded' : 'nothing is proposed';
  }
}

/** Ends an agent's lease on a unit whose stage is complete. What follows is the coordinator's. */
export function endStage(change: Change, records: Records, item: ScheduledItem, stage: Stage): void {
  const { workUnitId, leasedBy } = item;
  if (stage === 'Plan') moveUnit(change, records, workUnitId, 'Active');
  else if (stage === 'Review') endReview(change, records, item);
  else moveUnit(change, records, workUnitId, 'Completed');
  if (leasedBy !== undefined && change.state(agent, leasedBy)) change.run(agent, leasedBy, 'stop', {});
}

export function newestProposal(records: Records, { workUnitId }: Pick<WorkUnit, 'workUnitId'>): Proposal | undefined {
  return records.proposals.where('workUnit', workUnitId).at(-1);
}

/** Ends a review. Rejected work is done again, until it was rejected too often. */
function endReview(change: Change, records: Records, { workUnitId, leasedBy }: ScheduledItem): void {
  const unit = moveUnit(change, records, workUnitId, 'Reviewing');
  const proposal = newestProposal(records, unit);
  if (proposal?.status !== 'Rejected') return;
  if (reviewedTooOften(records, unit)) {
    const reason = `it was rejected again and again: ${proposal.reviewNotes ?? 'no reason was given'}`;
    toDeadLetter(change, records, { workUnitId, kind: 'ReviewRejected', reason, agentId: leasedBy });
    return;
  }
  const profileId = restartProfile(records, proposal);
  enqueue(change, records, workUnitId, { profileId, ...modelFor(change, records, workUnitId, profileId) });
}

function isDecided(proposal: Proposal | undefined): boolean {
  return proposal !== undefined && !['Draft', 'ReadyForReview', 'UnderReview'].includes(proposal.status);
}

function hasFoundOut(records: Records, { workUnitId }: WorkUnit): boolean {
  return records.artifacts
    .where('owner', workUnitId)
    .filter(({ ownedByAgentId }) => ownedByAgentId !== undefined && !isObserver(ownedByAgentId))
    .some(({ type }) => type === 'Research' || type === 'Decision');
}
