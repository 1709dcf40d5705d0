/** Agent that brings its own proposal up to date: whoever made it, in the conversation in which it was made. A pure function of the record. */
import type { Conflict } from '../../record/aggregates/conflict/conflict.js';
import type { Records } from '../../record/views/records.js';
import { scopeThatForbids } from '../branches/in-scope.js';

export interface OwnWorker {
  readonly workUnitId: string;
  readonly profileId: string;
  /** Number of its conversation. */
  readonly run: number;
  readonly taskId?: string | undefined;
}

/** Times that one unit is brought up to date. After that somebody else looks at it. */
const MOST_TIMES = 2;
/** Reconcilers, one after the other, of one proposal. After that a person decides. */
const MOST_RECONCILERS = 2;

/** Undefined where its conversation is gone, or it may not write a file in conflict, or has tried often enough. */
export function ownWorker(records: Records, conflict: Conflict): OwnWorker | undefined {
  const { proposalId, workUnitId, conflictingPaths } = conflict;
  const { agentId, sourceBranch } = records.proposals.get(proposalId) ?? {};
  const unit = records.workUnits.get(workUnitId ?? '');
  if (!unit || agentId === undefined || sourceBranch !== unit.branchId) return undefined;
  if (records.workUnits.where('parent', unit.workUnitId).length > 0) return undefined;
  if (broughtIn(records, unit.workUnitId).length >= MOST_TIMES) return undefined;
  const profile = records.agentProfiles.get(records.agents.get(agentId)?.profileId ?? '');
  if (profile?.stage !== 'Execute' && profile?.stage !== 'Reconcile') return undefined;
  // What a program tells of itself is no turn of its conversation.
  const said = records.conversationEntries
    .where('workUnit', unit.workUnitId)
    .findLast((one) => one.agentId === agentId && one.run > 0 && (one.phase === 'answered' || one.phase === 'done'));
  if (!said) return undefined;
  if (conflictingPaths.some((path) => scopeThatForbids(records, unit.workUnitId, path))) return undefined;
  return { workUnitId: unit.workUnitId, profileId: profile.agentProfileId, run: said.run, taskId: said.taskId };
}

/** Whether whoever proposed it is still ending the turn in which it did, as a program may that works by itself. */
export function isEndingItsTurn(records: Records, { proposalId, workUnitId = '' }: Conflict): boolean {
  const { agentId } = records.proposals.get(proposalId) ?? {};
  const said = records.conversationEntries.where('workUnit', workUnitId);
  return said.findLast((one) => one.agentId === agentId && one.run > 0)?.phase === 'asked';
}

/** Whether work of its own may still be begun for a conflict. */
export function mayBeginReconciler(records: Records, { proposalId }: Pick<Conflict, 'proposalId'>): boolean {
  let reconcilers = 0;
  for (let id: string | undefined = proposalId; id !== undefined;) {
    const unit = records.workUnits.get(records.proposals.get(id)?.workUnitId ?? '');
    id = unit?.reconciliationSourceProposalIds?.[0];
    if (id !== undefined) reconcilers += 1;
  }
  return reconcilers < MOST_RECONCILERS;
}

/** Conflicts whose other side a unit was given into its own branch, oldest first. */
export function broughtIn(
  { conflicts }: Records,
  workUnitId: string,
): (Conflict & Required<Pick<Conflict, 'broughtIn'>>)[] {
  return conflicts.where('workUnit', workUnitId).flatMap((one) => {
    const { broughtIn: both, reconcilingWorkUnitId } = one;
    return both && reconcilingWorkUnitId === workUnitId ? [{ ...one, broughtIn: both }] : [];
  });
}
