/** Steering decision: a person's correction, by work that restarts in another direction. */
import { z } from 'zod';
import { aggregate } from '../aggregate.js';

const event = z.object({
  type: z.literal('SteeringDecided'),
  v: z.literal(1),
  steeringDecisionId: z.string(),
  kind: z.enum(['Redirect', 'ForkFromNode', 'RetryWithContext']),
  workUnitId: z.string(),
  newWorkUnitId: z.string().optional(),
  agentId: z.string().optional(),
  constraint: z.string().optional(),
  nodeId: z.string().optional(),
  proposalId: z.string().optional(),
});
type Given = Omit<z.infer<typeof event>, 'type' | 'v'>;

export interface SteeringDecision extends Given {
  readonly decidedAt: string;
}

export const steeringDecision = aggregate<SteeringDecision>()({
  name: 'steering-decision',
  room: 'workgroup',
  event,
  workUnitOf: ({ workUnitId }) => workUnitId,
  evolve: (state, { type: _type, v: _v, ...given }, { at }) => state ?? { ...given, decidedAt: at },
  decide: {
    record: (_state, given: Given) => [{ type: 'SteeringDecided', v: 1, ...given }] as const,
  },
});
