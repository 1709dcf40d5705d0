/**
 * Merge base of a child and its parent: for each key, where both stood when they exchanged it last, which is the fork before
 * any promotion. [TP8]
 *
 * A promotion exchanges those keys that the child has changed since they were exchanged before: the parent has the child's
 * value then, or the merge of both was asked for. A key that only the parent has changed meanwhile is not exchanged by it,
 * because the child has heard nothing.
 */
import type { Written } from '../room/reading/written.js';

/** A promotion that was applied. */
export interface Exchange {
  /** The child's log as far as it was promoted. */
  readonly childSeq: number;
  /** The parent's log behind it. */
  readonly parentSeq: number;
  readonly isOf: (key: string) => boolean;
}

/** Positions in both logs. */
export interface Base {
  readonly child: number;
  readonly parent: number;
}

/**
 * The keys that a child has changed before the position `to` of its log and since they were exchanged, each with its base; `fork` is where
 * both began.
 * `exchanges` are in the order of the parent's log.
 */
export function changedSince(
  child: Pick<Written, 'keysTouched'>,
  fork: Base,
  to: number,
  exchanges: readonly Exchange[],
): Map<string, Base> {
  const bounds = [...new Set([fork.child, to, ...exchanges.map(({ childSeq }) => childSeq)])].sort((a, b) => a - b);
  /** Beginnings of the stretches of the child's log in which a key was touched. */
  const touches = new Map<string, number[]>();
  bounds.slice(1).forEach((end, at) => {
    for (const key of child.keysTouched(bounds[at]!, end)) {
      const begins = touches.get(key);
      if (begins) begins.push(bounds[at]!);
      else touches.set(key, [bounds[at]!]);
    }
  });
  const bases = new Map<string, Base>();
  const isChanged = (key: string, begins: readonly number[], end: number): boolean => {
    const since = bases.get(key)?.child ?? fork.child;
    return begins.some((begin) => begin >= since && begin < end);
  };
  for (const { childSeq, parentSeq, isOf } of exchanges)
    for (const [key, begins] of touches)
      if (isOf(key) && isChanged(key, begins, childSeq)) bases.set(key, { child: childSeq, parent: parentSeq });
  const changed = new Map<string, Base>();
  for (const [key, begins] of touches) if (isChanged(key, begins, to)) changed.set(key, bases.get(key) ?? fork);
  return changed;
}
