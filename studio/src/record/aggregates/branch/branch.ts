/**
 * Branch: a name for work in one repository, and the commit that it began with. Its present commit is a ref of the object
 * store.
 */
import { z } from 'zod';
import { refusal } from '../../../reasons.js';
import { aggregate } from '../aggregate.js';
import { requireBranchName } from '../branch-name.js';

const CommitId = z.string().regex(/^[0-9a-f]{40,64}$/);

const event = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('BranchCreated'),
    v: z.literal(1),
    branchId: z.string(),
    repositoryId: z.string(),
    parentId: z.string().optional(),
    /** Seed commit. */
    seedSnapshotId: CommitId,
    workUnitId: z.string().optional(),
  }),
]);
type BranchEvent = z.infer<typeof event>;
type Given = Omit<BranchEvent, 'type' | 'v'>;

export interface Branch extends Given {
  readonly createdAt: string;
}

export const branch = aggregate<Branch>()({
  name: 'branch',
  room: 'workgroup',
  event,
  workUnitOf: ({ workUnitId }) => workUnitId,
  evolve(state, event: BranchEvent, { at }): Branch {
    const { type: _type, v: _v, ...given } = event;
    return state ?? { ...given, createdAt: at };
  },
  decide: {
    create(state, given: Given): readonly BranchEvent[] {
      if (state) throw refusal('reject.branch_exists', `branch ${given.branchId} is there already`, { ...given });
      requireBranchName(given.branchId);
      return [{ type: 'BranchCreated', v: 1, ...given }];
    },
  },
});
