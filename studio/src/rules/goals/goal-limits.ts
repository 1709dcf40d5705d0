/** Goal limits: what a goal has cost, and whether that is too much. */
import { type Goal, type GoalLimits, isEnded } from '../../record/aggregates/goal/goal.js';
import { DEFAULT_OPTIONS, OPTIONS_ID } from '../../record/aggregates/options/options.js';
import { sumOf } from '../../record/views/conversation-entries.js';
import type { Records } from '../../record/views/records.js';
import { costsOfTree } from './spending.js';

export interface GoalCost {
  readonly totalTokens: number;
  readonly maxGoalTokens?: number;
  readonly tokensExceeded: boolean;
  readonly maxGoalDollars?: number;
  readonly dollarsExceeded: boolean;
  readonly elapsedMinutes: number;
  readonly maxGoalDurationMinutes?: number;
  readonly durationExceeded: boolean;
}

/** Cost of a goal at a time in ISO 8601. Time stops counting when the goal ends. */
export function goalCost(records: Records, goal: Goal, at: string): GoalCost {
  const { maxGoalTokens, maxGoalMicroUsd, maxGoalDurationMinutes } = goalLimits(records, goal);
  const { goalId, createdAt, updatedAt, status } = goal;
  // Includes the cost of a root that was replaced.
  const { microUsd, readTokens, writtenTokens } = sumOf(costsOfTree(records, goalId));
  const totalTokens = readTokens + writtenTokens;
  const end = isEnded(status) ? updatedAt : at;
  const elapsedMinutes = Math.max(0, (Date.parse(end) - Date.parse(createdAt)) / 60_000);
  return {
    totalTokens,
    tokensExceeded: maxGoalTokens !== null && totalTokens >= maxGoalTokens,
    dollarsExceeded: maxGoalMicroUsd !== null && microUsd >= maxGoalMicroUsd,
    elapsedMinutes,
    durationExceeded: maxGoalDurationMinutes !== null && elapsedMinutes >= maxGoalDurationMinutes,
    ...(maxGoalTokens === null ? {} : { maxGoalTokens }),
    ...(maxGoalMicroUsd === null ? {} : { maxGoalDollars: maxGoalMicroUsd / 1e6 }),
    ...(maxGoalDurationMinutes === null ? {} : { maxGoalDurationMinutes }),
  };
}

/** Exceeded limit, or undefined. */
export function overLimit(records: Records, goal: Goal, at: string): string | undefined {
  const { maxGoalTokens, maxGoalMicroUsd, maxGoalDurationMinutes } = goalLimits(records, goal);
  // Fast path: most hosts set no limit, and counting is not free.
  if (maxGoalTokens === null && maxGoalMicroUsd === null && maxGoalDurationMinutes === null) return undefined;
  const { tokensExceeded, totalTokens, dollarsExceeded, maxGoalDollars, durationExceeded } = goalCost(
    records,
    goal,
    at,
  );
  if (tokensExceeded) return `it has used ${totalTokens} tokens of ${maxGoalTokens}`;
  if (dollarsExceeded) return `it has cost the ${maxGoalDollars} dollars that it may`;
  return durationExceeded ? `it has taken longer than ${maxGoalDurationMinutes} minutes` : undefined;
}

/** Limits of a goal: its own, or those of the options. Null: none. */
export function goalLimits(
  { options }: Records,
  { limits = {} }: Pick<Goal, 'limits'>,
): { readonly [Name in keyof GoalLimits]-?: number | null } {
  const usual = options.get(OPTIONS_ID) ?? DEFAULT_OPTIONS;
  return {
    maxGoalTokens: limits.maxGoalTokens ?? usual.maxGoalTokens,
    maxGoalMicroUsd: limits.maxGoalMicroUsd ?? null,
    maxGoalDurationMinutes: limits.maxGoalDurationMinutes ?? usual.maxGoalDurationMinutes,
  };
}
