/** External document: that it was read, and what it was. Its id is that of the artifact that holds its text. */
import { z } from 'zod';
import { aggregate } from '../aggregate.js';

const event = z.object({
  type: z.literal('ExternalDocFetched'),
  v: z.literal(1),
  artifactId: z.string(),
  workUnitId: z.string(),
  requestedUrl: z.string(),
  url: z.string(),
  reason: z.string(),
  contentHash: z.string(),
  contentType: z.string(),
  truncated: z.boolean(),
  snapshotBytes: z.number(),
});
type DocEvent = z.infer<typeof event>;
export type ExternalDocGiven = Omit<DocEvent, 'type' | 'v'>;

export interface ExternalDoc extends ExternalDocGiven {
  readonly fetchedAt: string;
}

export const externalDoc = aggregate<ExternalDoc>()({
  name: 'external-doc',
  room: 'workgroup',
  event,
  workUnitOf: ({ workUnitId }) => workUnitId,
  evolve: (state, { type: _type, v: _v, ...given }, { at }) => state ?? { ...given, fetchedAt: at },
  decide: {
    fetched(state, given: ExternalDocGiven): readonly DocEvent[] {
      if (state) throw new Error(`document ${given.artifactId} is there already`);
      return [{ type: 'ExternalDocFetched', v: 1, ...given }];
    },
  },
});
