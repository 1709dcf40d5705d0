/** Shapes of model usage, as callers see it. */
import { z } from 'zod';
import type { ConversationEntry } from '../../record/aggregates/conversation-entry/conversation-entry.js';
import { type ModelCost, sumOf } from '../../record/views/conversation-entries.js';
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

/** Usage of one agent. Undefined where it asked no model. */
export function usageOfAgent(cycles: readonly ConversationEntry[], agentId: string): z.input<typeof Usage> | undefined {
  return cycles.length === 0 ? undefined : usageOfCost(spendingOf(cycles, agentId));
}

/** Usage that costs come to. Undefined where no model was asked. */
export function usageOf(costs: readonly ModelCost[]): z.input<typeof Usage> | undefined {
  return costs.length === 0 ? undefined : usageOfCost(sumOf(costs));
}

export function usageOfCost({ tokens, microUsd, turns, milliseconds }: Spending): z.input<typeof Usage> {
  return { tokens, costUsd: microUsd / 1e6, turns, seconds: milliseconds / 1000 };
}

/** Usage by model, most expensive first. */
export function usageByModel(costs: readonly ModelCost[]): z.input<typeof ModelUsage>[] {
  const byModel = groupBy(costs, ({ provider, model }) => JSON.stringify([provider, model]));
  const rows = [...byModel.values()].map((own) => {
    const { provider, model } = own[0]!;
    return { provider, model, ...usageOfCost(sumOf(own)) };
  });
  return rows.toSorted((a, b) => b.costUsd - a.costUsd || b.tokens - a.tokens);
}
