/**
 * Refused attempts of an agent, because only people do it or because it belongs to others: a stream for each agent and
 * operation.
 */
import { z } from 'zod';
import { aggregate } from '../aggregate.js';

/** Rate limit of recording the same attempt. */
const QUIET_MS = 60_000;
/** Different attempts recorded in that time. */
const MOST = 20;

export interface Attempt {
  readonly operation: string;
  readonly agentId: string;
  readonly workUnitId?: string | undefined;
  readonly lastAt: string;
  /** Recent attempts, and when each was recorded. */
  readonly lately: Readonly<Record<string, string>>;
}

const about = {
  v: z.literal(1),
  operation: z.string(),
  agentId: z.string(),
  workUnitId: z.string().optional(),
  /** Target of the attempt. */
  target: z.string().optional(),
};

const event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('HumanOnlyRefused'), ...about }),
  z.object({ type: z.literal('AgentRefused'), ...about, reason: z.string() }),
]);
interface Refused {
  readonly operation: string;
  readonly agentId: string;
  readonly workUnitId?: string;
  readonly target?: string | undefined;
  readonly reason?: string | undefined;
}

export const attempt = aggregate<Attempt>()({
  name: 'attempt',
  room: 'workgroup',
  event,
  evolve(state, { operation, agentId, workUnitId, target = '' }, { at }) {
    const lately = { ...latelyOf(state, at), [target]: at };
    return { operation, agentId, workUnitId, lastAt: at, lately };
  },
  decide: {
    /** Records a refused attempt; without a reason the operation is for people. */
    refuse(state, { reason, target, ...rest }: Refused, { at }) {
      const lately = latelyOf(state, at);
      if (Object.hasOwn(lately, target ?? '') || Object.keys(lately).length >= MOST) return [];
      const said = { v: 1, ...rest, ...(target === undefined ? {} : { target }) } as const;
      if (reason === undefined) return [{ type: 'HumanOnlyRefused', ...said } as const];
      return [{ type: 'AgentRefused', ...said, reason } as const];
    },
  },
  workUnitOf: ({ workUnitId }) => workUnitId,
});

function latelyOf(state: Attempt | undefined, at: string): Attempt['lately'] {
  const recent = Object.entries(state?.lately ?? {}).filter(([, told]) => Date.parse(at) - Date.parse(told) < QUIET_MS);
  return Object.fromEntries(recent);
}
