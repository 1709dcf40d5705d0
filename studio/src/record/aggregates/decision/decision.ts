/** Decision on a proposal: by whom and why. It never changes; a change of mind is another decision. */
import { z } from 'zod';
import { aggregate } from '../aggregate.js';

export const DECISION_OUTCOMES = ['Accepted', 'Rejected', 'Deferred', 'Superseded'] as const;

const event = z.object({
  type: z.literal('DecisionRecorded'),
  v: z.literal(1),
  decisionId: z.string(),
  proposalId: z.string(),
  workUnitId: z.string().optional(),
  outcome: z.enum(DECISION_OUTCOMES),
  reviewerAgentId: z.string().optional(),
  reviewerModel: z.string().optional(),
  reviewerProvider: z.string().optional(),
  confidence: z.number().optional(),
  rationale: z.string().optional(),
});
type DecisionEvent = z.infer<typeof event>;
export type DecisionGiven = Omit<DecisionEvent, 'type' | 'v'>;

export interface Decision extends DecisionGiven {
  readonly decidedAt: string;
}

export const decision = aggregate<Decision>()({
  name: 'decision',
  room: 'workgroup',
  event,
  workUnitOf: ({ workUnitId }) => workUnitId,
  evolve: (state, { type: _type, v: _v, ...given }, { at }) => state ?? { ...given, decidedAt: at },
  decide: {
    record(state, given: DecisionGiven): readonly DecisionEvent[] {
      if (state) throw new Error(`decision ${given.decisionId} is there already`);
      return [{ type: 'DecisionRecorded', v: 1, ...given }];
    },
  },
});
