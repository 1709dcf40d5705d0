/**
 * Work queue with leases. A unit is Queued exactly while it waits for its turn, Executing exactly while it is leased, and
 * Waiting exactly while it is parked; every move goes through here, or through `moveUnit`, which removes it.
 */
import { agent } from '../../record/aggregates/agent/agent.js';
import { clarification } from '../../record/aggregates/clarification/clarification.js';
import { goal } from '../../record/aggregates/goal/goal.js';
import {
  type ModelChoice,
  type ParkReason,
  type Schedule,
  type ScheduledItem,
  isHeld,
  modelOf,
  scheduledItem,
} from '../../record/aggregates/scheduled-item/scheduled-item.js';
import { isOver } from '../../record/aggregates/work-unit/status.js';
import { workUnit } from '../../record/aggregates/work-unit/work-unit.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { overLimit } from '../goals/goal-limits.js';
import { setStatus } from './set-status.js';
import { inTurn } from './turns.js';
import { goalAt, goalOf, idsOfTree, lineOf, sessionsAt } from '../goals/tree.js';

/** Lease duration: how long a worker may be silent. */
export const LEASE_MS = 300_000;
/** Host crashes during a unit before the unit is blamed. */
export const MAX_INTERRUPTIONS = 3;

/** Enqueues a unit. A queued one keeps its turn, a parked one stays parked. */
export function enqueue(change: Change, records: Records, workUnitId: string, schedule: Schedule): ScheduledItem {
  const status = change.state(workUnit, workUnitId)?.status;
  if (status !== undefined && isOver(status))
    throw refusal('reject.wrong_state', `work unit ${workUnitId} is ${status}`, { workUnitId, status });
  const item = change.run(scheduledItem, workUnitId, 'schedule', { workUnitId, ...schedule });
  if (item.place === 'parked') return item;
  setStatus(change, workUnitId, 'Queued');
  return settle(change, records, workUnitId) ?? item;
}

/** Overrides for a unit that is queued again. */
export interface Overrides extends ModelChoice {
  readonly profileId?: string | undefined;
}

/** Requeues a unit with its own profile, task and model where nothing else is given. */
export function enqueueAgain(
  change: Change,
  records: Records,
  workUnitId: string,
  overrides: Overrides = {},
): ScheduledItem {
  return enqueue(change, records, workUnitId, scheduleAgain(change, workUnitId, overrides));
}

/** Keeps how a unit is to be worked on, once what it needs is done, or its parts where they say nothing of their own. */
export function wantAgain(change: Change, workUnitId: string, overrides: Overrides): void {
  change.run(scheduledItem, workUnitId, 'want', { workUnitId, ...scheduleAgain(change, workUnitId, overrides) });
}

function scheduleAgain(change: Change, workUnitId: string, { profileId, ...choice }: Overrides): Schedule {
  const last = change.state(scheduledItem, workUnitId);
  const chosen = profileId ?? last?.profileId ?? change.state(workUnit, workUnitId)?.metadata?.['profileId'];
  return { profileId: chosen ?? 'worker', taskId: last?.taskId, ...modelOf(last ?? {}), ...modelOf(choice) };
}

/** Parks a unit for what holds it back; resumes it if nothing does. */
export function settle(change: Change, records: Records, workUnitId: string): ScheduledItem | undefined {
  const item = itemOf(change, workUnitId);
  if (!item) return undefined;
  const reason = heldBackFor(change, records, workUnitId);
  if (reason !== undefined) return park(change, workUnitId, reason);
  if (item.place !== 'parked') return item;
  const resumed = change.run(scheduledItem, workUnitId, 'resume', {});
  setStatus(change, workUnitId, 'Queued');
  return resumed;
}

export function park(change: Change, workUnitId: string, reason: ParkReason): ScheduledItem {
  const item = change.run(scheduledItem, workUnitId, 'park', { reason });
  setStatus(change, workUnitId, 'Waiting');
  return item;
}

/** Parks units after a pause, queued and leased ones. */
export function holdBack(change: Change, records: Records, workUnitIds: readonly string[]): void {
  for (const id of workUnitIds) if (itemOf(change, id)?.place !== 'parked') settle(change, records, id);
}

/** Resumes units that a pause has parked and no other pause holds. */
export function letGoOn(change: Change, records: Records, workUnitIds: readonly string[]): void {
  for (const id of workUnitIds) if (itemOf(change, id)?.parkedFor === 'Paused') settle(change, records, id);
}

export function lease(change: Change, workUnitId: string, agentId: string): ScheduledItem {
  const expiresAt = new Date(Date.parse(change.at) + LEASE_MS).toISOString();
  const item = change.run(scheduledItem, workUnitId, 'lease', { agentId, expiresAt, hostId: change.hostId });
  setStatus(change, workUnitId, 'Executing');
  change.run(workUnit, workUnitId, 'assign', { agentId });
  return item;
}

export interface Taker {
  /** Agent that takes the lease. */
  readonly agentId: string;
  /** Concurrency limit. */
  readonly most: number;
  /** Whether a key is available. */
  readonly hasKey: (credentialRef: string) => boolean;
  /** Filter: an item that may not start yet keeps its turn, and does not block the rest. Default: all may. */
  readonly mayTake?: (item: ScheduledItem) => boolean;
  /** Agent that works on it, if not the one that takes it. */
  readonly agentFor?: (change: Change, item: ScheduledItem) => string;
}

/** Leases the unit whose turn it is: the most urgent, and of those the one that has waited longest. One whose key is missing is parked instead of blocking the rest. */
export function leaseNext(
  change: Change,
  records: Records,
  { agentId, most, hasKey, mayTake = () => true, agentFor = () => agentId }: Taker,
): ScheduledItem | undefined {
  if (records.scheduledItems.where('place', 'leased').length >= most) return undefined;
  for (const item of inTurn(records)) {
    const { workUnitId, credentialRef } = item;
    // A unit that is being cancelled is not started.
    if (lineOf(change, workUnitId).some(({ status }) => status === 'Cancelled')) continue;
    if (pauseOverLimit(change, records, workUnitId)) continue;
    if (credentialRef !== undefined && !hasKey(credentialRef)) park(change, workUnitId, 'Credentials');
    else if (mayTake(item)) return lease(change, workUnitId, agentFor(change, item));
  }
  return undefined;
}

/** Releases a lease, so that another agent can continue. */
export function giveBack(change: Change, records: Records, { workUnitId, ...mine }: ScheduledItem): void {
  if (!isHeld(itemOf(change, workUnitId), mine)) return;
  change.run(scheduledItem, workUnitId, 'release', { generation: mine.generation });
  setStatus(change, workUnitId, 'Queued');
  settle(change, records, workUnitId);
}

/** Pauses a goal over its limit; a person resumes it with a higher limit. */
function pauseOverLimit(change: Change, records: Records, workUnitId: string): boolean {
  const found = goalOf(change, workUnitId);
  if (!found) return false;
  if (found.status === 'Paused') return itemOf(change, workUnitId)?.place !== 'queued';
  const reason = overLimit(records, found, change.at);
  if (reason === undefined) return false;
  const { workUnitId: root } = change.run(goal, found.goalId, 'pause', { reason, pausedBy: 'host' });
  holdBack(change, records, idsOfTree(records, root));
  return true;
}

/** Expires the lease of a silent worker; the next one may try. */
export function expireLease(change: Change, records: Records, workUnitId: string, generation: number): void {
  const before = itemOf(change, workUnitId);
  if (before?.place !== 'leased' || before.generation !== generation) return;
  change.run(scheduledItem, workUnitId, 'expire', { generation });
  setStatus(change, workUnitId, 'Queued', 'its worker was silent for too long');
  settle(change, records, workUnitId);
}

/** Records that the host ended during the lease. */
export function interrupt(change: Change, workUnitId: string): ScheduledItem {
  const item = change.run(scheduledItem, workUnitId, 'interrupt', {});
  setStatus(change, workUnitId, 'Waiting', 'the host ended');
  return item;
}

/** Resumes a unit for a person, whatever it is parked for, unless something is paused. */
export function resume(change: Change, records: Records, workUnitId: string, choice: ModelChoice): ScheduledItem {
  const paused = pausedBy(change, records, workUnitId);
  if (paused) throw refusal('reject.held_back', 'it is paused', paused);
  const { limited } = change.run(scheduledItem, workUnitId, 'equip', choice);
  // A person knows better than a vendor's limit, and not for this unit alone.
  if (limited) for (const { workUnitId: id } of sharing(records, limited.of)) settle(change, records, id);
  for (const { requestId } of openQuestions(change, records, workUnitId))
    change.run(clarification, requestId, 'unblock', {});
  return settle(change, records, workUnitId)!;
}

/** Units that wait for the same limit of a vendor. */
function sharing(records: Records, of: string): ScheduledItem[] {
  return records.scheduledItems.where('place', 'parked').filter(({ limited }) => limited?.of === of);
}

/** Resumes units that waited for this key. */
export function supply(change: Change, records: Records, credentialRef: string | undefined): void {
  if (credentialRef === undefined) return;
  for (const { workUnitId } of records.scheduledItems.where('place', 'parked')) {
    const item = itemOf(change, workUnitId);
    if (item?.parkedFor === 'Credentials' && item.credentialRef === credentialRef) settle(change, records, workUnitId);
  }
}

/** Queue item of a unit, if it is queued. */
export function itemOf(change: Pick<Change, 'state'>, workUnitId: string): ScheduledItem | undefined {
  const item = change.state(scheduledItem, workUnitId);
  return item?.place === 'removed' ? undefined : item;
}

/** Pause that holds the unit: the goal, session or agent to resume. */
export function pausedBy(
  change: Pick<Change, 'state'>,
  records: Records,
  workUnitId: string,
): Readonly<Record<string, string>> | undefined {
  for (const { agentId } of records.agents.where('workUnit', workUnitId))
    if (change.state(agent, agentId)?.status === 'paused') return { agentId };
  for (const unit of lineOf(change, workUnitId)) {
    const found = goalAt(change, unit.workUnitId);
    if (found?.status === 'Paused') return { goalId: found.goalId };
    const session = sessionsAt(change, records, unit.workUnitId).find(({ status }) => status === 'Paused');
    if (session) return { sessionId: session.sessionId };
  }
  return undefined;
}

function heldBackFor(change: Change, records: Records, workUnitId: string): ParkReason | undefined {
  if (pausedBy(change, records, workUnitId)) return 'Paused';
  return openQuestions(change, records, workUnitId).length > 0 ? 'Clarification' : undefined;
}

function openQuestions(change: Change, records: Records, workUnitId: string) {
  return records.clarifications
    .where('workUnit', workUnitId)
    .flatMap(({ requestId }) => change.state(clarification, requestId) ?? [])
    .filter(({ status, blocking }) => status === 'open' && blocking);
}
