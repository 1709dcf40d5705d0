/** Spending by day and by model, of all goals. */
import { z } from 'zod';
import { groupBy } from '../../projections/group-by.js';
import { dayOf, sumOf } from '../../record/views/conversation-entries.js';
import { operation } from '../kernel/define.js';
import { READS } from '../kernel/hints.js';
import { ModelUsage, Usage, usageByModel, usageOfCost } from './usage-shape.js';

const DAY_MS = 86_400_000;

const SpendingDay = Usage.extend({
  day: z.string().describe('The day, as 2026-01-31, in UTC.'),
  readTokens: z.number().describe('Tokens that models have read.'),
  cachedTokens: z.number().describe("Those of them that were in the vendor's cache, and cost less."),
}).meta({ id: 'SpendingDay', description: 'What models have cost on one day.' });

export const list = operation({
  summary: 'Read what models have cost, by day and by model.',
  scope: 'read',
  in: z.object({ days: z.number().int().min(1).max(366).default(30).describe('How many days, with today.') }),
  out: z.object({
    days: z.array(SpendingDay).describe('Days on which models were asked, oldest first.'),
    models: z.array(ModelUsage).describe('Models that were asked on these days, most expensive first.'),
  }),
  rest: { route: 'GET /studio/spending', query: ['days'] },
  refuses: [],
  annotations: READS,
}).run(({ records, now }, { days }) => {
  const first = dayOf(new Date(Date.parse(now()) - (days - 1) * DAY_MS).toISOString());
  const costs = records.conversationEntries.costsSince(first);
  const byDay = [...groupBy(costs, ({ day }) => day)].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    days: byDay.map(([day, own]) => {
      const { readTokens, cachedTokens, ...cost } = sumOf(own);
      return { day, ...usageOfCost(cost), readTokens, cachedTokens };
    }),
    models: usageByModel(costs),
  };
});
