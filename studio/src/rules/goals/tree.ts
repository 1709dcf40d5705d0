/** Tree of work units: a goal's root and the parts that it was divided into. What replaces a unit belongs to its tree. */
import { type Goal, goal } from '../../record/aggregates/goal/goal.js';
import { type Session, session } from '../../record/aggregates/session/session.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import { workUnit } from '../../record/aggregates/work-unit/work-unit.js';
import type { Change } from '../../record/ledger/change.js';
import type { Streams } from '../../record/ledger/collection.js';
import { refusal } from '../../reasons.js';
import { unitOf } from '../../record/views/by-id.js';
import type { Records } from '../../record/views/records.js';

/** Work unit within a change, its own writes included. */
export function unitIn(change: Change, workUnitId: string): WorkUnit {
  const unit = change.state(workUnit, workUnitId);
  if (unit) return unit;
  throw refusal('reject.workunit_not_found', `no work unit is called ${workUnitId}`, { workUnitId });
}

/** Subtree of a unit, parents before their parts. */
export function treeOf(records: Records, workUnitId: string): WorkUnit[] {
  const { workUnits } = records;
  const found = new Set([unitOf(records, workUnitId)]);
  for (const unit of found) {
    for (const part of workUnits.where('parent', unit.workUnitId)) found.add(part);
    for (const other of workUnits.where('replaces', unit.workUnitId)) found.add(other);
  }
  return [...found];
}

/** Open goals, of nobody's part, in whose trees a unit is. */
export function openGoalsOver({ workUnits, goals }: Records, workUnitId: string): Goal[] {
  const ids = new Set([workUnitId]);
  const found: Goal[] = [];
  for (const id of ids) {
    const unit = workUnits.get(id);
    if (!unit) continue;
    found.push(...goals.where('root', id));
    for (const above of [unit.parentWorkUnitId, unit.replacesWorkUnitId]) if (above !== undefined) ids.add(above);
  }
  return found;
}

export function idsOfTree(records: Records, workUnitId: string): string[] {
  return treeOf(records, workUnitId).map((unit) => unit.workUnitId);
}

/** Latest replacement of a unit, or the unit itself. */
export function newestFor(records: Records, workUnitId: string): string {
  const newer = records.workUnits.where('replaces', workUnitId).at(-1);
  return newer ? newestFor(records, newer.workUnitId) : workUnitId;
}

/** Read access to states, as a change has it. */
export function lookAt(records: Records): Pick<Change, 'state'> {
  const collections: readonly Streams[] = Object.values(records);
  return {
    state<State>(aggregate: { readonly name: string }, id: string): State | undefined {
      const found = collections.find((one) => one.aggregate.name === aggregate.name);
      // A name belongs to one aggregate, and an aggregate has one type of state.
      return found?.get(id) as State | undefined;
    },
  };
}

/** Ancestors of a unit, itself first, up to the root. */
export function lineOf(change: Pick<Change, 'state'>, workUnitId: string): WorkUnit[] {
  const line: WorkUnit[] = [];
  for (let id: string | undefined = workUnitId; id !== undefined;) {
    const unit: WorkUnit | undefined = change.state(workUnit, id);
    if (!unit) break;
    line.push(unit);
    id = unit.parentWorkUnitId;
  }
  return line;
}

/** Ancestors of a unit, root first, itself last. */
export function lineageOf(records: Records, workUnitId: string): WorkUnit[] {
  const lineage = [unitOf(records, workUnitId)];
  for (const { parentWorkUnitId } of lineage) {
    const parent = parentWorkUnitId === undefined ? undefined : records.workUnits.get(parentWorkUnitId);
    if (parent) lineage.push(parent);
  }
  return lineage.reverse();
}

/** Root above a unit. */
export function rootOf(change: Pick<Change, 'state'>, workUnitId: string): WorkUnit | undefined {
  return lineOf(change, workUnitId).at(-1);
}

/** Id of the goal's first root: later roots replaced it. */
export function firstRootOf(change: Pick<Change, 'state'>, workUnitId: string): string {
  return originOf(change, rootOf(change, workUnitId)?.workUnitId ?? workUnitId).at(-1)!;
}

/** Goal of a root unit. */
export function goalAt(change: Pick<Change, 'state'>, workUnitId: string): Goal | undefined {
  const first = originOf(change, workUnitId).at(-1)!;
  const found = change.state(goal, first);
  return found?.workUnitId === workUnitId ? found : undefined;
}

/** Goal that a unit belongs to. */
export function goalOf(change: Pick<Change, 'state'>, workUnitId: string): Goal | undefined {
  const root = rootOf(change, workUnitId);
  return root && goalAt(change, root.workUnitId);
}

/** Sessions of a root unit, or of what it replaces, oldest first. */
export function sessionsAt(change: Pick<Change, 'state'>, { sessions }: Records, workUnitId: string): Session[] {
  return originOf(change, workUnitId)
    .reverse()
    .flatMap((id) => sessions.where('root', id))
    .flatMap(({ sessionId }) => change.state(session, sessionId) ?? []);
}

/** Replacement chain: the unit, what it replaces, what that replaced, and so on. */
function originOf(change: Pick<Change, 'state'>, workUnitId: string): string[] {
  const ids = [workUnitId];
  for (const id of ids) {
    const replaced = change.state(workUnit, id)?.replacesWorkUnitId;
    if (replaced !== undefined) ids.push(replaced);
  }
  return ids;
}
