/** What an agent tried that only people may do: one stream for each agent and operation. */
import { z } from 'zod';
import { aggregate } from '../aggregate.js';

/** An agent that tries in a loop is told of once in this time. */
const QUIET_MS = 60_000;

export interface Attempt {
  readonly operation: string;
  readonly agentId: string;
  readonly workUnitId?: string | undefined;
  readonly lastAt: string;
}

const event = z.object({
  type: z.literal('HumanOnlyRefused'),
  v: z.literal(1),
  operation: z.string(),
  agentId: z.string(),
  workUnitId: z.string().optional(),
});

export const attempt = aggregate<Attempt>()({
  name: 'attempt',
  place: 'workgroup',
  event,
  evolve: (_state, { operation, agentId, workUnitId }, { at }) => ({ operation, agentId, workUnitId, lastAt: at }),
  decide: {
    refuse(state, about: { operation: string; agentId: string; workUnitId?: string }, { at }) {
      if (state && Date.parse(at) - Date.parse(state.lastAt) < QUIET_MS) return [];
      return [{ type: 'HumanOnlyRefused', v: 1, ...about } as const];
    },
  },
  workUnitOf: ({ workUnitId }) => workUnitId,
});
