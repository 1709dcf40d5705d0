/** Begins a goal: a session, its root unit, and the unit's turn. */
import { type GoalLimits, goal as goalStream } from '../../record/aggregates/goal/goal.js';
import { publishing } from '../../record/aggregates/publishing/publishing.js';
import { session } from '../../record/aggregates/session/session.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import type { Change } from '../../record/ledger/change.js';
import type { Records } from '../../record/views/records.js';
import { createUnit } from '../goals/create-unit.js';
import { enqueue } from './queue.js';

const ORCHESTRATOR = 'orchestrator';

export interface GoalWish {
  readonly goal: string;
  readonly owner: string;
  readonly repositoryId: string;
  readonly successCriteria?: string | undefined;
  readonly workerProfileId: string;
  readonly shape: string;
  readonly reviewPolicy?: WorkUnit['taskReviewPolicy'] | undefined;
  readonly limits?: GoalLimits | undefined;
  /** Branch at the remote that its result is for. Default: none but the user's own. */
  readonly base?: string | undefined;
}

export interface BegunGoal {
  readonly goalId: string;
  readonly workUnitId: string;
  readonly sessionId: string;
  readonly branchId: string;
}

export function beginGoal(change: Change, records: Records, wish: GoalWish): BegunGoal {
  const { goal, owner, repositoryId, successCriteria, workerProfileId, shape, reviewPolicy, limits = {}, base } = wish;
  // The session is created first, so that all of this belongs to it.
  const [workUnitId, sessionId] = [change.newId('wu-'), change.newId('session-')];
  const profileIds = [ORCHESTRATOR, workerProfileId];
  const given = { sessionId, rootWorkUnitId: workUnitId, profileIds, modelConfigSnapshotJson: '{}' };
  change.run(session, sessionId, 'start', given);
  const { branchId } = createUnit(change, records, {
    workUnitId,
    goal,
    owner,
    repositoryId,
    successCriteria,
    metadata: { shape },
    // A person looks at the whole, once; at each part only where that was said.
    taskReviewPolicy: reviewPolicy ?? 'AgentApproval',
    workspaceReviewPolicy: reviewPolicy,
  });
  change.run(goalStream, workUnitId, 'limit', limits);
  if (base !== undefined) change.run(publishing, workUnitId, 'set', { ofId: workUnitId, settings: { base } });
  enqueue(change, records, workUnitId, { profileId: ORCHESTRATOR, sessionId });
  return { goalId: workUnitId, workUnitId, sessionId, branchId };
}
