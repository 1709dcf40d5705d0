/** Shapes of model usage, as callers see it. */
import { z } from 'zod';
import type { ConversationEntry } from '../../record/aggregates/conversation-entry/conversation-entry.js';
import { type Spending, spendingOf } from '../../rules/goals/spending.js';
import { groupBy } from '../../projections/group-by.js';

const fields = {
  tokens: z
    .number()
    .describe('Tokens that models have read and written, with what is set aside for questions under way.'),
  costUsd: z.number().describe('What that costs in dollars, as far as this host knows the prices.'),
  turns: z.number().describe('Questions to models.'),
  seconds: z.number().describe('Time that agents were at work.'),
};

export const Usage = z.object(fields).meta({ id: 'Usage', description: 'What models have cost.' });

export const ModelUsage = z
  .object({
    provider: z.string().optional().describe('Provider of the model.'),
    model: z.string().optional().describe('Name of the model.'),
    ...fields,
  })
  .meta({ id: 'ModelUsage', description: 'What one model has cost.' });

/** Usage of all agents, or of one. Undefined where no model was asked. */
export function usageOf(cycles: readonly ConversationEntry[], agentId?: string): z.input<typeof Usage> | undefined {
  if (cycles.length === 0) return undefined;
  return usageOfCost(spendingOf(cycles, agentId));
}

export function usageOfCost({ tokens, microUsd, turns, milliseconds }: Spending): z.input<typeof Usage> {
  return { tokens, costUsd: microUsd / 1e6, turns, seconds: milliseconds / 1000 };
}

/** Usage by model, most expensive first. */
export function usageByModel(cycles: readonly ConversationEntry[]): z.input<typeof ModelUsage>[] {
  const byModel = groupBy(cycles, ({ provider, model }) => JSON.stringify([provider, model]));
  const rows = [...byModel.values()].flatMap((own) => {
    const [{ provider, model } = {}] = own;
    const usage = usageOf(own);
    return usage ? [{ provider, model, ...usage }] : [];
  });
  return dearestFirst(rows);
}

export function dearestFirst(rows: readonly z.input<typeof ModelUsage>[]): z.input<typeof ModelUsage>[] {
  return rows.toSorted((a, b) => b.costUsd - a.costUsd || b.tokens - a.tokens);
}
