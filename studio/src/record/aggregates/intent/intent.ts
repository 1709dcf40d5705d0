/** Intent: what an agent is about to change, announced so that others can see it. */
import { z } from 'zod';
import { aggregate } from '../aggregate.js';

const event = z.object({
  type: z.literal('ChangeIntentRecorded'),
  v: z.literal(1),
  intentId: z.string(),
  workUnitId: z.string(),
  intentType: z.string(),
  targetPath: z.string(),
  regionDescriptor: z.string().optional(),
  baseSnapshotHash: z.string().optional(),
});
type Given = Omit<z.infer<typeof event>, 'type' | 'v'>;

export interface Intent extends Given {
  readonly createdAt: string;
}

export const intent = aggregate<Intent>()({
  name: 'intent',
  room: 'workgroup',
  event,
  workUnitOf: ({ workUnitId }) => workUnitId,
  evolve: (state, { type: _type, v: _v, ...given }, { at }) => state ?? { ...given, createdAt: at },
  decide: {
    record: (_state, given: Given) => [{ type: 'ChangeIntentRecorded', v: 1, ...given }] as const,
  },
});
