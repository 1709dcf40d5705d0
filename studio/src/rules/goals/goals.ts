/** Goal summary: what follows from the tree of its units. */
import { type Goal, goal } from '../../record/aggregates/goal/goal.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import { isOver } from '../../record/aggregates/work-unit/status.js';
import type { Change } from '../../record/ledger/change.js';
import type { Records } from '../../record/views/records.js';
import { cancelledNeedsOf } from './held-up.js';
import { unitOf } from '../../record/views/by-id.js';
import { goalOf, sessionsAt, treeOf } from './tree.js';

type Look = Pick<Change, 'state'>;

export interface GoalWork {
  readonly parkedWorkUnitIds: string[];
  readonly parkedReason: string | null;
  /** Stalled: something failed or depends on cancelled work, and nothing else moves. */
  readonly orchestratorStalled: boolean;
  readonly orchestratorProfileId: string;
  readonly defaultProfileId: string;
}

const ORCHESTRATOR = 'orchestrator';

export function workOf(look: Look, records: Records, { workUnitId }: Goal): GoalWork {
  const open = treeOf(records, workUnitId).filter(({ status }) => !isOver(status));
  const parked = open.flatMap((unit) => {
    const item = records.scheduledItems.get(unit.workUnitId);
    return item?.place === 'parked' ? item : [];
  });
  const moves = ['Queued', 'Executing', 'Waiting', 'Proposed', 'Reviewing', 'Retrying'];
  const isLeft = open.some((unit) => unit.status === 'DeadLettered' || cancelledNeedsOf(records, unit).length > 0);
  const profiles = sessionsAt(look, records, workUnitId).at(-1)?.profileIds ?? [];
  return {
    parkedWorkUnitIds: parked.map((item) => item.workUnitId),
    parkedReason: parked[0]?.parkedFor ?? null,
    orchestratorStalled: isLeft && !open.some(({ status }) => moves.includes(status)),
    orchestratorProfileId: ORCHESTRATOR,
    defaultProfileId: profiles.find((profileId) => profileId !== ORCHESTRATOR) ?? 'worker',
  };
}

/** Goal of a root unit; for a part that had none of its own, one is created. */
export function goalOfUnit(change: Change, records: Records, workUnitId: string, text: string): Goal {
  const unit = unitOf(records, workUnitId);
  const known = goalOf(change, workUnitId);
  if (known?.workUnitId === workUnitId) return known;
  return ownGoal(change, unit, text, known?.goalId);
}

function ownGoal(change: Change, unit: WorkUnit, text: string, parentGoalId: string | undefined): Goal {
  const { workUnitId, branchId, owner, repositoryId } = unit;
  const own = change.state(goal, workUnitId);
  if (own) return own;
  return change.run(goal, workUnitId, 'create', {
    workUnitId,
    goal: text,
    branchId,
    owner,
    ...(repositoryId === undefined ? {} : { repositoryId }),
    ...(parentGoalId === undefined ? {} : { parentGoalId }),
  });
}
