/** Rows of the screen, from what the studio says: first what needs a person, then each goal that is under way with its open parts. */
import type { AgentInfo, Attention, Goal, WorkUnitView } from '@weft/studio-client';
import { isOver } from '../people/work.js';

export type UnitShown = Pick<WorkUnitView, 'workUnitId' | 'parentWorkUnitId' | 'goal' | 'branchId' | 'status'>;

/** What the studio says. */
export interface Board {
  readonly goals: readonly Goal[];
  readonly units: readonly UnitShown[];
  readonly agents: readonly AgentInfo[];
  readonly waiting: readonly Attention[];
}

export type Row =
  | { readonly kind: 'waiting'; readonly key: string; readonly item: Attention }
  | {
      readonly kind: 'unit';
      readonly key: string;
      readonly unit: UnitShown;
      readonly depth: number;
      readonly agent: AgentInfo | undefined;
      /** Goal whose root this unit is. */
      readonly goal: Goal | undefined;
    };

const OVER: ReadonlySet<string> = new Set(['Completed', 'Merged', 'Cancelled']);

export function rowsOf({ goals, units, agents, waiting }: Board): Row[] {
  const parts = new Map<string, UnitShown[]>();
  for (const unit of units) {
    if (unit.parentWorkUnitId === undefined || OVER.has(unit.status)) continue;
    const siblings = parts.get(unit.parentWorkUnitId);
    if (siblings) siblings.push(unit);
    else parts.set(unit.parentWorkUnitId, [unit]);
  }
  const known = new Map(units.map((unit) => [unit.workUnitId, unit]));
  // The newest agent of a unit is at work on it.
  const atWork = new Map(agents.map((agent) => [agent.workUnitId, agent]));
  const rows: Row[] = waiting.map((item) => ({ kind: 'waiting', key: `${item.kind} ${item.id}`, item }));
  const add = (unit: UnitShown, depth: number, goal?: Goal): void => {
    const { workUnitId } = unit;
    rows.push({ kind: 'unit', key: workUnitId, unit, depth, agent: atWork.get(workUnitId), goal });
    for (const part of parts.get(workUnitId) ?? []) add(part, depth + 1);
  };
  for (const goal of goals) {
    const whole = known.get(goal.workUnitId);
    if (whole && goal.parentGoalId === null && !isOver(goal)) add(whole, 0, goal);
  }
  return rows;
}

/** Unit that a row is about; a key, say, is about none. */
export function unitOf(board: Board, row: Row): UnitShown | undefined {
  if (row.kind === 'unit') return row.unit;
  const id = row.item.workUnitId;
  return board.units.find(({ workUnitId }) => workUnitId === id);
}
