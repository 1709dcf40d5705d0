/** Review policy of what brings two sides of a conflict together: the strictest of both. What a person has committed, a person decides on. */
import type { Conflict } from '../../record/aggregates/conflict/conflict.js';
import type { Records } from '../../record/views/records.js';
import { proposalOf } from '../../record/views/by-id.js';
import { type ReviewPolicy, policyFor, strictest } from '../goals/review-policy.js';
import { parentOfMergeBranch } from '../branches/stored-branch.js';
import type { OtherSide } from './other-side.js';

export function policyOfBoth(
  records: Records,
  { proposalId, targetBranch }: Pick<Conflict, 'proposalId' | 'targetBranch'>,
  { landed, byPeople }: OtherSide,
): ReviewPolicy {
  const reachesUser = parentOfMergeBranch(targetBranch) === undefined;
  const byAPerson: ReviewPolicy[] = reachesUser ? [{ policy: 'HumanRequired' }] : [];
  const policies = [proposalOf(records, proposalId), ...landed].flatMap(({ workUnitId = '' }) => {
    const unit = records.workUnits.get(workUnitId);
    return unit ? [policyFor(unit, reachesUser)] : byAPerson;
  });
  const others = byPeople.length > 0 || landed.length === 0 ? byAPerson : [];
  return strictest({ policy: 'AgentApproval' }, ...policies, ...others);
}
