/** Resources of the tools protocol: records by address, the same that operations show. */
import { refusal } from '../../reasons.js';
import { unitOf } from '../../record/views/by-id.js';
import { goalOf } from '../../rules/goals/tree.js';
import type { Context } from '../kernel/context.js';
import { shownEvent } from './event-shape.js';
import { viewOf } from '../goals/work-unit-shape.js';

export interface ResourceKind {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** URI template with one id in braces. */
  readonly template: string;
  read(context: Context, id: string): unknown;
  /** Id of the resource that changes with a work unit. */
  of(look: Context['look'], workUnitId: string): string | undefined;
  /** Resources to list. */
  list?(context: Context): readonly { readonly id: string; readonly title: string }[];
}

/** Bound on a list. */
const MOST_LISTED = 100;
const MOST_EVENTS = 500;

export const resourceKinds: readonly ResourceKind[] = [
  {
    name: 'goal',
    title: 'Goal',
    description: 'A goal: what is to be achieved, and how it stands.',
    template: 'weft://goals/{goalId}',
    read: ({ records }, id) => goalNamed(records, id),
    of: idOfGoal,
    list: ({ records }) => newest(records.goals.all()).map(({ goalId, goal }) => ({ id: goalId, title: goal })),
  },
  {
    name: 'goal-timeline',
    title: 'Timeline of a goal',
    description: 'What has happened to a goal and everything below it, newest last.',
    template: 'weft://goals/{goalId}/timeline',
    read({ records, feed, look }, id) {
      goalNamed(records, id);
      const units = records.workUnits.all().filter(({ workUnitId }) => goalOf(look, workUnitId)?.goalId === id);
      const numbers = feed.numbersOfWorkUnits(units.map(({ workUnitId }) => workUnitId));
      return numbers.slice(-MOST_EVENTS).map((number) => shownEvent(feed.get(number)!));
    },
    of: idOfGoal,
  },
  {
    name: 'work-unit',
    title: 'Work unit',
    description: 'A piece of work: its state, its branch, and who works on it.',
    template: 'weft://workunits/{workUnitId}',
    read: (context, id) => viewOf(context, unitOf(context.records, id)),
    of: (_look, workUnitId) => workUnitId,
    list: ({ records }) => newest(records.workUnits.all()).map((unit) => ({ id: unit.workUnitId, title: unit.goal })),
  },
  {
    name: 'work-unit-timeline',
    title: 'Timeline of a work unit',
    description: 'What has happened to a work unit, newest last.',
    template: 'weft://workunits/{workUnitId}/timeline',
    read({ records, feed }, id) {
      const { workUnitId } = unitOf(records, id);
      const numbers = feed.numbersOfWorkUnits([workUnitId]);
      return numbers.slice(-MOST_EVENTS).map((number) => shownEvent(feed.get(number)!));
    },
    of: (_look, workUnitId) => workUnitId,
  },
];

export function addressOf({ template }: ResourceKind, id: string): string {
  return template.replace(/\{[^}]*\}/, encodeURIComponent(id));
}

function idOfGoal(look: Context['look'], workUnitId: string): string | undefined {
  return goalOf(look, workUnitId)?.goalId;
}

function goalNamed({ goals }: Context['records'], goalId: string) {
  const found = goals.get(goalId);
  if (found) return found;
  throw refusal('reject.goal_not_found', `no goal is called ${goalId}`, { goalId });
}

function newest<T>(found: readonly T[]): T[] {
  return found.slice(-MOST_LISTED).reverse();
}
