/** Shapes of goals, as callers see them. */
import { z } from 'zod';
import { GOAL_STATUSES, type Goal as Held, type GoalLimits } from '../../record/aggregates/goal/goal.js';
import { ModelUsage, Usage } from '../agents/usage-shape.js';

export const GoalId = z.string().min(1).max(200).describe('Id of a goal.');
export const GoalText = z.string().min(1).max(100_000).describe('What is to be achieved.');

const status = z.enum(GOAL_STATUSES).describe('State of the goal.');
const pauseReason = z.string().nullable().describe('Why it is paused, or null.');
const updatedAt = z.string().describe('When it last changed, ISO 8601.');

export const goalFields = {
  goalId: z.string().describe('Id of the goal.'),
  goal: z.string().describe('What is to be achieved.'),
  workUnitId: z.string().describe('Root of its units.'),
  branchId: z.string().describe('Branch of the root.'),
  status,
};

const tokens = z.number().int().min(1).max(1e12);
const dollars = z.number().min(0.000001).max(1_000_000);
const minutes = z.number().int().min(1).max(10_000_000);

/** Limits of its own that a goal is begun with. */
export const limitFields = {
  maxGoalTokens: tokens.optional().describe('Tokens until it is paused.'),
  maxGoalDollars: dollars.optional().describe('Dollars until it is paused.'),
  maxGoalDurationMinutes: minutes.optional().describe('Minutes until it is paused.'),
};

/** Limits that it is resumed with. */
export const newLimitFields = {
  maxGoalTokens: tokens.nullish().describe('New limit. Null: that of the options.'),
  maxGoalDollars: dollars.nullish().describe('New limit. Null: none.'),
  maxGoalDurationMinutes: minutes.nullish().describe('New limit. Null: that of the options.'),
};

type SaidLimits = { readonly [Name in keyof typeof limitFields]?: number | null | undefined };

/** Limits as they are recorded: money in millionths of a dollar. */
export function limitsSaid({ maxGoalTokens, maxGoalDollars, maxGoalDurationMinutes }: SaidLimits): GoalLimits {
  const maxGoalMicroUsd = typeof maxGoalDollars === 'number' ? Math.round(maxGoalDollars * 1e6) : maxGoalDollars;
  return { maxGoalTokens, maxGoalMicroUsd, maxGoalDurationMinutes };
}

export const GoalUsage = Usage.optional().describe('What models have cost for all of its units.');

export const GoalStanding = z
  .object({ goalId: goalFields.goalId, status, pauseReason, updatedAt })
  .meta({ id: 'GoalStanding', description: 'How a goal stands.' });

export const GoalRow = z
  .object({
    ...goalFields,
    pauseReason,
    updatedAt,
    parentGoalId: z.string().nullable().describe('Goal that it is a part of, or null.'),
    createdAt: z.string().describe('When it was set, ISO 8601.'),
    hasParkedWork: z.boolean().describe('Whether any of its units is parked.'),
    parkedReason: z.string().nullable().describe('Why the first of them is, or null.'),
    parkedWorkUnitIds: z.array(z.string()).describe('Units that are parked.'),
    orchestratorStalled: z
      .boolean()
      .describe('Whether something failed, or waits for what was cancelled, and nothing else moves.'),
    orchestratorProfileId: z.string().describe('Profile that looks after it.'),
    defaultProfileId: z.string().describe('Profile that works on it.'),
    usage: GoalUsage,
  })
  .meta({ id: 'Goal', description: 'A goal, and how its work goes.' });

export const ExternalGoalRow = z
  .object({ ...goalFields, pauseReason, updatedAt })
  .meta({ id: 'ExternalGoal', description: 'A goal, as outside tools see it.' });

export const GoalGuardrailStatus = z
  .object({
    workUnitId: z.string().describe('Root of its units.'),
    totalTokens: z.number().describe('Tokens that models have read and written for it.'),
    maxGoalTokens: z.number().optional().describe('How many it may. Absent: any number.'),
    tokensExceeded: z.boolean().describe('Whether these are more.'),
    maxGoalDollars: z.number().optional().describe('How many dollars it may cost. Absent: any number.'),
    dollarsExceeded: z.boolean().describe('Whether it has cost them.'),
    elapsedMinutes: z.number().describe('How long it has been going on.'),
    maxGoalDurationMinutes: z.number().optional().describe('How long it may. Absent: any time.'),
    durationExceeded: z.boolean().describe('Whether that is longer.'),
    usage: GoalUsage,
    byModel: z.array(ModelUsage).optional().describe('What each model has used, the dearest first.'),
  })
  .meta({ id: 'GoalGuardrailStatus', description: 'What a goal has cost.' });

export function standingOf({ goalId, status, pauseReason, updatedAt }: Held): z.input<typeof GoalStanding> {
  return { goalId, status, pauseReason: pauseReason ?? null, updatedAt };
}
