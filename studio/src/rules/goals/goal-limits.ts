/** Goal limits: what a goal has cost, and whether that is too much. */
import type { Goal } from '../../record/aggregates/goal/goal.js';
import { DEFAULT_OPTIONS, OPTIONS_ID } from '../../record/aggregates/options/options.js';
import type { Records } from '../../record/views/records.js';
import { cyclesOfTree } from './spending.js';

export interface GoalCost {
  readonly totalTokens: number;
  readonly maxGoalTokens?: number;
  readonly tokensExceeded: boolean;
  readonly elapsedMinutes: number;
  readonly maxGoalDurationMinutes?: number;
  readonly durationExceeded: boolean;
}

/** Cost of a goal at a time in ISO 8601. Time stops counting when the goal ends. */
export function goalCost(records: Records, goal: Goal, at: string): GoalCost {
  const { maxGoalTokens, maxGoalDurationMinutes } = limitsOf(records);
  const { goalId, createdAt, updatedAt, status } = goal;
  // Includes the cost of a root that was replaced.
  const totalTokens = cyclesOfTree(records, goalId).reduce(
    (sum, { inputTokens = 0, outputTokens = 0 }) => sum + inputTokens + outputTokens,
    0,
  );
  const end = status === 'Converged' || status === 'Abandoned' ? updatedAt : at;
  const elapsedMinutes = Math.max(0, (Date.parse(end) - Date.parse(createdAt)) / 60_000);
  return {
    totalTokens,
    tokensExceeded: maxGoalTokens !== null && totalTokens >= maxGoalTokens,
    elapsedMinutes,
    durationExceeded: maxGoalDurationMinutes !== null && elapsedMinutes >= maxGoalDurationMinutes,
    ...(maxGoalTokens === null ? {} : { maxGoalTokens }),
    ...(maxGoalDurationMinutes === null ? {} : { maxGoalDurationMinutes }),
  };
}

/** Exceeded limit, or undefined. */
export function overLimit(records: Records, goal: Goal, at: string): string | undefined {
  const { maxGoalTokens, maxGoalDurationMinutes } = limitsOf(records);
  // Fast path: most hosts set no limit, and counting is not free.
  if (maxGoalTokens === null && maxGoalDurationMinutes === null) return undefined;
  const { tokensExceeded, totalTokens, durationExceeded } = goalCost(records, goal, at);
  if (tokensExceeded) return `it has used ${totalTokens} tokens of ${maxGoalTokens}`;
  return durationExceeded ? `it has taken longer than ${maxGoalDurationMinutes} minutes` : undefined;
}

function limitsOf({ options }: Records) {
  return options.get(OPTIONS_ID) ?? DEFAULT_OPTIONS;
}
