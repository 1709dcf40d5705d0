/** Projection snapshot: what was known of a work unit at some moment. Immutable. */
import { z } from 'zod';
import { aggregate } from '../aggregate.js';

const ARTIFACT_STATUSES = ['Active', 'Approved', 'Rejected', 'Superseded', 'Applied', 'Invalidated'] as const;

const event = z.object({
  type: z.literal('ProjectionSnapshotCaptured'),
  v: z.literal(1),
  snapshotId: z.string(),
  workUnitId: z.string(),
  workUnitStatus: z.string(),
  artifacts: z.array(z.object({ artifactId: z.string(), status: z.enum(ARTIFACT_STATUSES) })),
  completedTaskIds: z.array(z.string()),
});
type SnapshotEvent = z.infer<typeof event>;
export type SnapshotGiven = Omit<SnapshotEvent, 'type' | 'v'>;

export interface ProjectionSnapshot extends SnapshotGiven {
  readonly createdAt: string;
}

export const projectionSnapshot = aggregate<ProjectionSnapshot>()({
  name: 'projection-snapshot',
  room: 'workgroup',
  event,
  workUnitOf: ({ workUnitId }) => workUnitId,
  evolve: (state, { type: _type, v: _v, ...given }, { at }) => state ?? { ...given, createdAt: at },
  decide: {
    capture(state, given: SnapshotGiven): readonly SnapshotEvent[] {
      if (state) throw new Error(`snapshot ${given.snapshotId} is there already`);
      return [{ type: 'ProjectionSnapshotCaptured', v: 1, ...given }];
    },
  },
});
