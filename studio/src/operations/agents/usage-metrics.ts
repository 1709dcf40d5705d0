/** Usage metrics: what agents read, search for, and wait for. */
import { z } from 'zod';
import { mostFrequent } from '../../record/views/counted.js';
import type { Context } from '../kernel/context.js';
import { operation } from '../kernel/define.js';
import { READS } from '../kernel/hints.js';
import { WorkUnitId } from '../goals/work-unit-shape.js';

const topN = z.number().int().min(1).max(1000).default(20).describe('How many, of the most frequent.');
const sinceHours = z.number().positive().max(1_000_000).optional().describe('Only what happened since. Default: all.');

export const fileHits = operation({
  summary: 'List the files that were read most often.',
  scope: 'read',
  in: z.object({ topN, sinceHours }),
  out: z.array(
    z.object({ path: z.string().describe('The file.'), hits: z.number().describe('How often it was read.') }),
  ),
  rest: { route: 'GET /studio/usage-metrics/file-hits', query: ['topN', 'sinceHours'] },
  refuses: [],
  annotations: READS,
}).run((context, { topN: most, sinceHours: hours }) =>
  mostFrequent(context.records.usages.reads, sinceOf(context, hours), most).map(({ name: path, count: hits }) => ({
    path,
    hits,
  })),
);

export const leaseContention = operation({
  summary: 'List the files that units waited for most often.',
  scope: 'read',
  in: z.object({ topN, sinceHours }),
  out: z.array(
    z.object({
      path: z.string().describe('The file.'),
      contentionCount: z.number().describe('How often a unit had to wait for it.'),
      contendingWorkUnitIds: z.array(z.string()).describe('Units that had to.'),
    }),
  ),
  rest: { route: 'GET /studio/usage-metrics/lease-contention', query: ['topN', 'sinceHours'] },
  refuses: [],
  annotations: READS,
}).run((context, { topN: most, sinceHours: hours }) => {
  const since = sinceOf(context, hours);
  const { contentions } = context.records.fileLeases;
  return mostFrequent(contentions, since, most).map(({ name: path, count: contentionCount }) => {
    const here = contentions.filter(({ at, name }) => name === path && at >= since);
    return { path, contentionCount, contendingWorkUnitIds: [...new Set(here.map(({ workUnitId }) => workUnitId))] };
  });
});

export const searchActivity = operation({
  summary: 'Count the searches and what they found.',
  scope: 'read',
  in: z.object({ workUnitId: WorkUnitId.optional().describe('Only those of this work unit.'), sinceHours }),
  out: z.object({
    searchCount: z.number().describe('Searches.'),
    totalMatches: z.number().describe('Matches of all of them.'),
    truncatedCount: z.number().describe('Searches that found more than they gave.'),
  }),
  rest: { route: 'GET /studio/usage-metrics/search-activity', query: ['workUnitId', 'sinceHours'] },
  refuses: [],
  annotations: READS,
}).run((context, { workUnitId, sinceHours: hours }) => {
  const since = sinceOf(context, hours);
  const found = context.records.usages.searches
    .filter(({ at }) => at >= since)
    .filter((search) => workUnitId === undefined || search.workUnitId === workUnitId);
  return {
    searchCount: found.length,
    totalMatches: found.reduce((sum, { matchCount }) => sum + matchCount, 0),
    truncatedCount: found.filter(({ truncated }) => truncated).length,
  };
});

function sinceOf({ now }: Context, hours: number | undefined): string {
  return hours === undefined ? '' : new Date(Date.parse(now()) - hours * 3_600_000).toISOString();
}
