/**
 * Shape of a goal's work: one agent does all of it, or a planner divides it first. One agent is enough for a small goal, and dividing it costs
 * more than it is worth. The record shows which was chosen, and why.
 */
import type { WorkUnit } from '../record/aggregates/work-unit/state.js';

export interface Shape {
  readonly isSingle: boolean;
  readonly reason: string;
}

/** Characters of a goal that says one thing. */
const SHORT = 300;
/** Files that it may name. */
const MOST_FILES = 2;
const FILE = /(?:[\w-]+\/)*[\w-]+\.[a-z]{1,5}\b/g;
/** Lines that begin as items of a list do. */
const ITEMS = /^\s*(?:[-*•]|\d+[.)])\s/m;

/** Shape that whoever set the goal wants, or that its text suggests where it was left open. */
export function shapeOf({ goal, metadata }: Pick<WorkUnit, 'goal' | 'metadata'>): Shape {
  const wanted = metadata?.['shape'];
  if (wanted === 'single') return { isSingle: true, reason: 'one agent does all of it, as was asked' };
  if (wanted !== 'auto') return { isSingle: false, reason: 'it is planned first' };
  const files = new Set(goal.match(FILE)).size;
  if (goal.length >= SHORT)
    return { isSingle: false, reason: `its text has ${goal.length} characters: it is planned first` };
  if (ITEMS.test(goal)) return { isSingle: false, reason: 'it lists several things: it is planned first' };
  if (files > MOST_FILES) return { isSingle: false, reason: `it names ${files} files: it is planned first` };
  return { isSingle: true, reason: 'it is short and says one thing: one agent does all of it' };
}
