/** What holds of work at every moment, and what holds when nothing moves any more: then everything waits for somebody, who is named. */
import { type Budgets, spentSoFar } from '../../models/budgets.js';
import { isOver } from '../../record/aggregates/work-unit/status.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import { givenUpOf } from '../../rules/queue/given-up.js';
import { isCompared, personsTurn } from '../../rules/proposals/policy.js';
import { cancelledNeedsOf } from '../../rules/goals/held-up.js';
import { misplaced, placesOf } from '../../rules/queue/places.js';
import { pausedBy } from '../../rules/queue/queue.js';
import { rootOf, treeOf } from '../../rules/goals/tree.js';
import type { Change } from '../../record/ledger/change.js';
import type { FeedEntry } from '../../record/ledger/feed.js';
import type { Ledger } from '../../record/ledger/ledger.js';
import { dueFor } from '../../drivers/due.js';
import { unitsTouchedBy } from '../../drivers/touched.js';
import type { Records } from '../../record/views/records.js';

export interface Work {
  readonly records: Records;
  readonly look: Pick<Change, 'state'>;
  readonly budgets: Budgets;
  readonly mostAtOnce: number;
}

/** `since` are the events after which it has not been looked at yet. */
export function checkAlways(work: Work, since: readonly FeedEntry[]): void {
  const { records, mostAtOnce } = work;
  const touched = new Set(since.flatMap(({ stored }) => stored.meta.workUnitId ?? []));
  checkPlaces(records, touched);
  for (const workUnitId of touched) {
    checkEffects(records, workUnitId);
    checkBudgets(work, workUnitId);
  }
  if (records.scheduledItems.where('place', 'leased').length > mostAtOnce)
    throw new Error('more are worked on than may');
}

/** Default: all units. */
export function checkPlaces(records: Records, workUnitIds?: Iterable<string>): void {
  const [lost] = misplaced(records, workUnitIds);
  if (lost) throw new Error(`${lost.workUnitId} is ${lost.status} and in ${lost.places.join(', ') || 'no place'}`);
}

/** Nobody works on anything, and nothing is on its way. */
export function checkAtRest({ records, look }: Work, now: number): void {
  for (const { workUnitId: root, goalId } of records.goals.all()) {
    const open = treeOf(records, root).filter(({ status }) => !isOver(status));
    const waits = open.map((unit) => waitOf(records, look, unit, now));
    if (open.length > 0 && waits.every((wait) => wait === 'others') && !waitsForAnother(records, open)) {
      const why = open.map(({ workUnitId, status, parentWorkUnitId }, i) => {
        const proposal = records.proposals.where('workUnit', workUnitId).at(-1);
        const above = records.workUnits.get(parentWorkUnitId ?? '');
        const part = `a part of ${above?.workUnitId ?? 'nothing'}, which is ${above?.status ?? 'not there'}`;
        return `${workUnitId}, ${part}, is ${status} and waits for ${waits[i]}; its proposal is ${proposal?.status ?? 'missing'}`;
      });
      throw new Error([`nobody can help ${goalId} to go on`, ...why].join('\n'));
    }
  }
}

/**
 * Whether one of the units waits for work outside of them, for its result or for a file that it has: that is looked at in its own goal. A
 * part may be a goal by itself, and shares its files with all that it is a part of.
 */
function waitsForAnother({ workUnits, fileLeases }: Records, open: readonly WorkUnit[]): boolean {
  const own = new Set(open.map(({ workUnitId }) => workUnitId));
  const isAnothers = (id: string): boolean => !own.has(id) && !isOver(workUnits.get(id)!.status);
  const heldFrom = (id: string): string[] =>
    fileLeases
      .where('unit', id)
      .flatMap(({ holderWorkUnitId: holder, waitQueue }) =>
        holder !== undefined && waitQueue.includes(id) ? [holder] : [],
      );
  return open.some(({ workUnitId, status, dependsOn }) =>
    [...(status === 'Created' ? dependsOn : []), ...heldFrom(workUnitId)].some(isAnothers),
  );
}

/**
 * What has to happen before it goes on: time is what a person has to object, or what a vendor has named; another goal is that of the work
 * that brings two sides together, which has its own turn here.
 */
type Wait = 'a person' | 'others' | 'another goal' | 'time';

function waitOf(records: Records, look: Work['look'], unit: WorkUnit, now: number): Wait {
  const { workUnitId, status, dependsOn, parentWorkUnitId } = unit;
  const isPaused = pausedBy(look, records, workUnitId) !== undefined;
  const nobody = (why: string): Error => new Error(`${workUnitId}, which is ${status}, is forgotten: ${why}`);
  const [place] = placesOf(records, workUnitId);
  if (place === 'dead-letter') return 'a person';
  if (place === 'parked') return parkedRightly(records, workUnitId, isPaused);
  if (isPaused) return 'a person';
  const due = dueFor(records, unit, now);
  if (due?.do === 'wait' && due.until > now) return 'time';
  // The attention list names it.
  if (due && givenUpOf(records, workUnitId)) return 'a person';
  if (due) throw nobody(`${due.do} is due`);
  const parts = records.workUnits.where('parent', workUnitId);
  const parent = parentWorkUnitId === undefined ? undefined : records.workUnits.get(parentWorkUnitId);
  const isHeldUp = cancelledNeedsOf(records, unit).length > 0;
  if (place === 'created') {
    // Below work that has ended nobody but a person begins anything.
    if (!parent || isHeldUp || isOver(parent.status)) return 'a person';
    const isWaiting = dependsOn.some((id) => !isOver(records.workUnits.get(id)!.status)) || parent.status !== 'Active';
    if (isWaiting) return 'others';
  }
  if (place === 'active') {
    if (parts.some((part) => !isOver(part.status))) return 'others';
    if (isHeldUp) return 'a person';
  }
  if (place === 'in-review') {
    const proposal = records.proposals.where('workUnit', workUnitId).at(-1);
    if (proposal && (personsTurn(unit, proposal) || isCompared(records, unit))) return 'a person';
    const open = records.conflicts
      .where('proposal', proposal?.proposalId ?? '')
      .find((one) => one.status !== 'Resolved');
    // Nobody may begin anything for it: the attention list names it.
    if (open?.status === 'Open') return 'a person';
    const other = records.workUnits.get(open?.reconcilingWorkUnitId ?? '');
    const isAtIt = other && other.workUnitId !== workUnitId && !isOver(other.status);
    if (open?.status === 'Reconciling' && isAtIt) return 'another goal';
    throw nobody(`its proposal is ${proposal?.status ?? 'missing'}`);
  }
  throw nobody(`it is ${place}`);
}

/** The one reason that is shown is what holds it back. */
function parkedRightly(records: Records, workUnitId: string, isPaused: boolean): Wait {
  const { parkedFor, credentialRef, limited } = records.scheduledItems.get(workUnitId)!;
  const questions = records.clarifications.where('open', workUnitId).filter(({ blocking }) => blocking);
  const isSo = {
    Paused: isPaused,
    Clarification: questions.length > 0,
    Credentials: credentialRef !== undefined,
    FileLease: records.fileLeases.where('unit', workUnitId).some((lease) => lease.waitQueue.includes(workUnitId)),
    Resume: true,
    Limit: limited !== undefined,
  };
  if (parkedFor === undefined || !isSo[parkedFor])
    throw new Error(`${workUnitId} is parked for ${parkedFor}, which is not so`);
  const isTimed = parkedFor === 'Limit' && limited?.until !== undefined;
  if (isTimed) return 'time';
  return parkedFor === 'FileLease' ? 'others' : 'a person';
}

/** No tool does its work more often than it was called. */
function checkEffects(records: Records, workUnitId: string): void {
  const called = records.conversationEntries
    .where('workUnit', workUnitId)
    .flatMap(({ toolCalls }) => toolCalls)
    .filter(({ name }) => name.endsWith('artifact_record'));
  const recorded = records.artifacts
    .where('owner', workUnitId)
    .filter(({ type, ownedByAgentId }) => type !== 'Plan' && ownedByAgentId !== undefined);
  if (recorded.length > called.length) throw new Error(`${workUnitId} has recorded something twice`);
}

function checkBudgets({ records, look, budgets }: Work, workUnitId: string): void {
  const last = records.conversationEntries.where('workUnit', workUnitId).at(-1);
  if (!last) return;
  const spent = spentSoFar(records, look, workUnitId, last.agentId);
  for (const scope of ['goal', 'unit', 'agent'] as const)
    for (const kind of ['tokens', 'turns'] as const) {
      const most = budgets[scope]?.[kind] ?? Number.POSITIVE_INFINITY;
      if (spent[scope][kind] > most)
        throw new Error(`${workUnitId} has cost its ${scope} ${spent[scope][kind]} ${kind}`);
    }
}

/** Before and after all that may be waited for. */
const TIMES = [0, 8.64e15] as const;

/**
 * Law of looks: whatever becomes due of a unit, or ceases to be, does so by an event after which the coordinator looks at its goal. Where
 * it does not, work stands still until something else happens to it. A ledger is watched from here on; the answer says what has broken
 * the law first, if anything has.
 */
export function watchLooks({ feed, look }: Pick<Ledger, 'feed' | 'look'>, records: Records): () => string | undefined {
  const dueOf = (unit: WorkUnit): string =>
    isOver(unit.status) || pausedBy(look, records, unit.workUnitId)
      ? 'nothing'
      : TIMES.map((now) => dueFor(records, unit, now)?.do ?? 'nothing').join(', then ');
  const allDue = () => new Map(records.workUnits.all().map((unit) => [unit.workUnitId, dueOf(unit)]));
  const lookedAt = new Set<string>();
  let events: string[] = [];
  let before = allDue();
  let breach: string | undefined;
  const check = (): void => {
    const after = allDue();
    for (const [id, due] of after)
      if (due !== before.get(id) && !lookedAt.has(id))
        breach ??= `${id}: due was ${before.get(id)}, is ${due}, and it is not looked at after ${events.join(', ')}`;
    before = after;
    lookedAt.clear();
    events = [];
  };
  feed.onEvent(({ stored }) => {
    // All events of a change are told in one go.
    if (events.length === 0) queueMicrotask(check);
    events.push(stored.key);
    for (const id of unitsTouchedBy(records, stored)) {
      const root = rootOf(look, id);
      for (const { workUnitId } of root ? treeOf(records, root.workUnitId) : []) lookedAt.add(workUnitId);
    }
  });
  return () => breach;
}
