/** File conflict: one file that two pieces of work have changed differently, and its resolution. */
import { z } from 'zod';
import { refusal } from '../../../reasons.js';
import { aggregate } from '../aggregate.js';

export const REPOSITORY_CONFLICT_STATUSES = ['Open', 'Resolved', 'Dismissed'] as const;
/** Resolution strategies: line by line, by the structure of the file, by a model, by a person. */
export const STRATEGIES = ['threeway', 'ast', 'llm', 'human'] as const;
export type Strategy = (typeof STRATEGIES)[number];

const BlobId = z.string().regex(/^[0-9a-f]{40,64}$/);
const about = { v: z.literal(1), conflictId: z.string() };

const event = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('RepositoryConflictDetected'),
    ...about,
    repositoryId: z.string(),
    path: z.string(),
    /** Merge conflict that it belongs to. */
    mergeConflictId: z.string(),
    /** Earlier side: a proposal, or the commit of the target. */
    opIdA: z.string(),
    /** Later side: a proposal. */
    opIdB: z.string(),
    workUnitIdA: z.string().optional(),
    workUnitIdB: z.string().optional(),
    /** Three versions: the common base and both sides; absent where there is no file. */
    oldBlobId: BlobId.optional(),
    blobIdA: BlobId.optional(),
    blobIdB: BlobId.optional(),
  }),
  z.object({
    type: z.literal('RepositoryConflictResolved'),
    ...about,
    strategy: z.enum(STRATEGIES).optional(),
    /** Resolved contents; absent where the file is to be deleted, or where the proposals were settled as a whole. */
    blobId: BlobId.optional(),
    byOpId: z.string(),
  }),
  z.object({ type: z.literal('RepositoryConflictDismissed'), ...about }),
  /** The later work is done again on top of the first. */
  z.object({ type: z.literal('RepositoryConflictRequeued'), ...about, workUnitId: z.string() }),
]);
type RepositoryConflictEvent = z.infer<typeof event>;
type Events = readonly RepositoryConflictEvent[];
type Given = Omit<Extract<RepositoryConflictEvent, { type: 'RepositoryConflictDetected' }>, 'type' | 'v'>;
type Resolution = Pick<
  Extract<RepositoryConflictEvent, { type: 'RepositoryConflictResolved' }>,
  'strategy' | 'blobId' | 'byOpId'
>;

export interface RepositoryConflict extends Given {
  readonly status: (typeof REPOSITORY_CONFLICT_STATUSES)[number];
  readonly detectedAt: string;
  readonly resolution?: Resolution;
  readonly requeuedWorkUnitId?: string;
}

export const repositoryConflict = aggregate<RepositoryConflict>()({
  name: 'repository-conflict',
  room: 'workgroup',
  event,
  workUnitOf: ({ workUnitIdB }) => workUnitIdB,
  evolve(state, event, { at }): RepositoryConflict | undefined {
    if (event.type === 'RepositoryConflictDetected') {
      const { type: _type, v: _v, ...given } = event;
      return state ?? { ...given, status: 'Open', detectedAt: at };
    }
    if (!state) return state;
    switch (event.type) {
      case 'RepositoryConflictResolved': {
        const { type: _type, v: _v, conflictId: _id, ...resolution } = event;
        return { ...state, status: 'Resolved', resolution };
      }
      case 'RepositoryConflictDismissed':
        return { ...state, status: 'Dismissed' };
      case 'RepositoryConflictRequeued':
        return { ...state, requeuedWorkUnitId: event.workUnitId };
    }
  },
  decide: {
    detect(state, given: Given): Events {
      return state ? [] : [{ type: 'RepositoryConflictDetected', v: 1, ...given }];
    },

    resolve(state, resolution: Resolution): Events {
      const { conflictId, status } = known(state);
      if (status === 'Resolved') return [];
      return [{ type: 'RepositoryConflictResolved', v: 1, conflictId, ...resolution }];
    },

    dismiss(state): Events {
      const { conflictId, status } = known(state);
      if (status === 'Dismissed') return [];
      if (status === 'Resolved')
        throw refusal('reject.wrong_state', `conflict ${conflictId} is resolved`, { conflictId, status });
      return [{ type: 'RepositoryConflictDismissed', v: 1, conflictId }];
    },

    requeue(state, { workUnitId }: { readonly workUnitId: string }): Events {
      const { conflictId, requeuedWorkUnitId } = known(state);
      return requeuedWorkUnitId === undefined
        ? [{ type: 'RepositoryConflictRequeued', v: 1, conflictId, workUnitId }]
        : [];
    },
  },
});

function known(state: RepositoryConflict | undefined): RepositoryConflict {
  if (!state) throw refusal('reject.conflict_not_found', 'no conflict has this id');
  return state;
}
