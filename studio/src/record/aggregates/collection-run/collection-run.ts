/** Garbage collection run: result of a clean-up of this host's object stores. */
import { z } from 'zod';
import { aggregate } from '../aggregate.js';

export const COLLECTION_MODES = ['DryRun', 'MarkOnly', 'SweepSoft', 'SweepHard'] as const;
export type CollectionMode = (typeof COLLECTION_MODES)[number];

const event = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('ObjectsCollected'),
    v: z.literal(1),
    runId: z.string(),
    mode: z.enum(COLLECTION_MODES),
    startedAt: z.string(),
    repositoryIds: z.array(z.string()),
    /** Unreachable objects. */
    unreachable: z.number(),
    removed: z.number(),
  }),
]);
type RunEvent = z.infer<typeof event>;
type Given = Omit<RunEvent, 'type' | 'v'>;

export interface CollectionRun extends Given {
  readonly completedAt: string;
}

/** Local, because each host has its own disk. */
export const collectionRun = aggregate<CollectionRun>()({
  name: 'collection-run',
  room: 'local',
  event,
  evolve(state, event: RunEvent, { at }): CollectionRun {
    const { type: _type, v: _v, ...given } = event;
    return state ?? { ...given, completedAt: at };
  },
  decide: {
    record: (state, given: Given): readonly RunEvent[] =>
      state ? [] : [{ type: 'ObjectsCollected', v: 1, ...given, repositoryIds: [...given.repositoryIds] }],
  },
});
