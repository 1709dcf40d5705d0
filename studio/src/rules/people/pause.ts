/** Pause and resume of goals, sessions and agents. What a pause has parked resumes when nothing else is paused. */
import { type Agent, agent } from '../../record/aggregates/agent/agent.js';
import { type Goal, type GoalLimits, goal } from '../../record/aggregates/goal/goal.js';
import { type Session, session } from '../../record/aggregates/session/session.js';
import { workUnit } from '../../record/aggregates/work-unit/work-unit.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { cancelTree } from '../queue/cancel.js';
import { enqueue, holdBack, itemOf, letGoOn, park, pausedBy, settle } from '../queue/queue.js';
import { followRoot } from '../queue/set-status.js';
import { steer } from '../goals/steer.js';
import { idsOfTree } from '../goals/tree.js';

export function pauseGoal(
  change: Change,
  records: Records,
  goalId: string,
  said: { readonly reason?: string | undefined; readonly pausedBy?: string | undefined },
): Goal {
  const paused = change.run(goal, goalId, 'pause', said);
  holdBack(change, records, idsOfTree(records, paused.workUnitId));
  return paused;
}

export interface Resumption {
  readonly steering?: string | undefined;
  readonly resumedBy?: string | undefined;
  /** Profile that resumes the root. */
  readonly profileId?: string | undefined;
  /** Limits of its own from here on. What is not given stays. */
  readonly limits?: GoalLimits | undefined;
}

export function resumeGoal(change: Change, records: Records, goalId: string, wanted: Resumption): Goal {
  const { profileId, limits = {}, ...said } = wanted;
  const { workUnitId } = change.run(goal, goalId, 'resume', said);
  change.run(goal, goalId, 'limit', limits);
  if (said.steering !== undefined) steer(change, workUnitId, said.steering);
  letGoOn(change, records, idsOfTree(records, workUnitId));
  const root = change.state(workUnit, workUnitId)!;
  if (profileId !== undefined && (itemOf(change, workUnitId) || root.status === 'Created'))
    enqueue(change, records, workUnitId, { profileId });
  followRoot(change, change.state(workUnit, workUnitId)!);
  return change.state(goal, goalId)!;
}

export function pauseSession(change: Change, records: Records, sessionId: string): Session {
  const paused = change.run(session, sessionId, 'pause', {});
  holdBack(change, records, idsOfTree(records, paused.rootWorkUnitId));
  return paused;
}

export function resumeSession(change: Change, records: Records, sessionId: string): Session {
  const resumed = change.run(session, sessionId, 'resume', {});
  letGoOn(change, records, idsOfTree(records, resumed.rootWorkUnitId));
  return resumed;
}

/** Abandons a session: ends it with all of its open work. */
export function abandonSession(change: Change, records: Records, sessionId: string): Session {
  const abandoned = change.run(session, sessionId, 'abandon', {});
  cancelTree(change, records, abandoned.rootWorkUnitId, 'its session was abandoned');
  return abandoned;
}

export function pauseAgent(change: Change, records: Records, agentId: string): Agent {
  const paused = change.run(agent, agentId, 'pause', {});
  holdBack(change, records, [paused.workUnitId]);
  return paused;
}

/** Resumes an agent, also an interrupted one: its unit is queued again. */
export function resumeAgent(change: Change, records: Records, agentId: string): Agent {
  const { status } = agentOf(change, agentId);
  const resumed = change.run(agent, agentId, 'resume', {});
  const { workUnitId } = resumed;
  letGoOn(change, records, [workUnitId]);
  if (status === 'Interrupted' && itemOf(change, workUnitId)?.parkedFor === 'Resume')
    settle(change, records, workUnitId);
  return resumed;
}

/** Stops an agent: its unit waits until a person lets another continue. */
export function stopAgent(change: Change, records: Records, agentId: string): Agent {
  const stopped = change.run(agent, agentId, 'stop', {});
  const { workUnitId } = stopped;
  const item = itemOf(change, workUnitId);
  const isItsOwn = change.state(workUnit, workUnitId)?.assignedAgent === agentId;
  const isFree = item?.parkedFor === 'Paused' && !pausedBy(change, records, workUnitId);
  if (isFree || (isItsOwn && item && item.place !== 'parked')) park(change, workUnitId, 'Resume');
  return stopped;
}

export function agentOf(change: Pick<Change, 'state'>, agentId: string): Agent {
  const found = change.state(agent, agentId);
  if (found) return found;
  throw refusal('reject.agent_not_found', `no agent is called ${agentId}`, { agentId });
}
