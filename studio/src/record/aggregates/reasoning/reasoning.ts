/** Reasoning step of an agent: what it saw, what it did, and why. */
import { z } from 'zod';
import { aggregate } from '../aggregate.js';

const event = z.object({
  type: z.literal('ReasoningCommitted'),
  v: z.literal(1),
  commitId: z.string(),
  workUnitId: z.string(),
  agentId: z.string(),
  inputStage: z.string(),
  action: z.string(),
  reasoning: z.string().optional(),
  projectionSnapshotJson: z.string().optional(),
  agentModel: z.string().optional(),
  agentProvider: z.string().optional(),
});
type ReasoningEvent = z.infer<typeof event>;
export type ReasoningGiven = Omit<ReasoningEvent, 'type' | 'v'>;

export interface ReasoningCommit extends ReasoningGiven {
  readonly committedAt: string;
}

export const reasoning = aggregate<ReasoningCommit>()({
  name: 'reasoning',
  room: 'workgroup',
  event,
  workUnitOf: ({ workUnitId }) => workUnitId,
  evolve: (state, { type: _type, v: _v, ...given }, { at }) => state ?? { ...given, committedAt: at },
  decide: {
    commit(state, given: ReasoningGiven): readonly ReasoningEvent[] {
      if (state) throw new Error(`reasoning ${given.commitId} is there already`);
      return [{ type: 'ReasoningCommitted', v: 1, ...given }];
    },
  },
});
