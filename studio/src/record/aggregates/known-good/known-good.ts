/** Known-good state: a commit of a branch to go back to. The commit is kept for as long as this is. */
import { z } from 'zod';
import { aggregate } from '../aggregate.js';

const event = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('KnownGoodStateMarked'),
    v: z.literal(1),
    stateId: z.string(),
    branchId: z.string(),
    repositoryId: z.string(),
    commit: z.string().regex(/^[0-9a-f]{40,64}$/),
    description: z.string(),
    verificationResults: z.string().optional(),
    createdBy: z.string(),
    nodeId: z.string().optional(),
  }),
]);
type KnownGoodEvent = z.infer<typeof event>;
type Given = Omit<KnownGoodEvent, 'type' | 'v'>;

export interface KnownGood extends Given {
  readonly createdAt: string;
}

export const knownGood = aggregate<KnownGood>()({
  name: 'known-good-state',
  room: 'workgroup',
  event,
  evolve(state, event: KnownGoodEvent, { at }): KnownGood {
    const { type: _type, v: _v, ...given } = event;
    return state ?? { ...given, createdAt: at };
  },
  decide: {
    mark(state, given: Given): readonly KnownGoodEvent[] {
      return state ? [] : [{ type: 'KnownGoodStateMarked', v: 1, ...given }];
    },
  },
});
