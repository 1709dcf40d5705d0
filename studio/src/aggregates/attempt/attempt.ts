/** What an agent tried and may not, because only people do it or because it is of others: a stream for each agent and operation. */
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

const about = { v: z.literal(1), operation: z.string(), agentId: z.string(), workUnitId: z.string().optional() };

const event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('HumanOnlyRefused'), ...about }),
  z.object({ type: z.literal('AgentRefused'), ...about, reason: z.string() }),
]);
type Refused = { readonly operation: string; readonly agentId: string; readonly workUnitId?: string };

export const attempt = aggregate<Attempt>()({
  name: 'attempt',
  place: 'workgroup',
  event,
  evolve: (_state, { operation, agentId, workUnitId }, { at }) => ({ operation, agentId, workUnitId, lastAt: at }),
  decide: {
    /** Without a reason it is for people. */
    refuse(state, { reason, ...about }: Refused & { readonly reason?: string | undefined }, { at }) {
      if (state && Date.parse(at) - Date.parse(state.lastAt) < QUIET_MS) return [];
      if (reason === undefined) return [{ type: 'HumanOnlyRefused', v: 1, ...about } as const];
      return [{ type: 'AgentRefused', v: 1, ...about, reason } as const];
    },
  },
  workUnitOf: ({ workUnitId }) => workUnitId,
});
