/** Usage: what agents read and searched for in their workspaces. A stream for each work unit. */
import { z } from 'zod';
import { aggregate } from '../aggregate.js';

const about = { v: z.literal(1), workUnitId: z.string() };

const event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('WorkspaceReadExecuted'), ...about, paths: z.array(z.string()) }),
  z.object({
    type: z.literal('WorkspaceSearchExecuted'),
    ...about,
    query: z.string(),
    matchedPaths: z.array(z.string()),
    matchCount: z.number(),
    truncated: z.boolean(),
  }),
]);
export type UsageEvent = z.infer<typeof event>;
type Search = Omit<Extract<UsageEvent, { type: 'WorkspaceSearchExecuted' }>, 'type' | 'v'>;

export interface Usage {
  readonly workUnitId: string;
}

export const usage = aggregate<Usage>()({
  name: 'usage',
  room: 'workgroup',
  event,
  workUnitOf: ({ workUnitId }) => workUnitId,
  // The counts are in the view, which is asked by time.
  evolve: (_state, { workUnitId }) => ({ workUnitId }),
  decide: {
    read: (_state, given: { readonly workUnitId: string; readonly paths: string[] }) =>
      [{ type: 'WorkspaceReadExecuted', v: 1, ...given }] as const,
    search: (_state, given: Search) => [{ type: 'WorkspaceSearchExecuted', v: 1, ...given }] as const,
  },
});
