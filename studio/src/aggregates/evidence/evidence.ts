/** What shows that work is as it should be, or that it is not. Its id follows from what it came from, so it is attached once. */
import { z } from 'zod';
import { aggregate } from '../aggregate.js';

export const EVIDENCE_KINDS = ['Build', 'Test', 'Lint', 'PolicyEvaluation', 'AutomatedReview'] as const;

const event = z.object({
  type: z.literal('EvidenceAttached'),
  v: z.literal(1),
  evidenceId: z.string(),
  workUnitId: z.string(),
  proposalId: z.string().optional(),
  kind: z.enum(EVIDENCE_KINDS),
  success: z.boolean(),
  summary: z.string(),
  detailJson: z.string().optional(),
});
type EvidenceEvent = z.infer<typeof event>;
export type EvidenceGiven = Omit<EvidenceEvent, 'type' | 'v'>;

export interface Evidence extends EvidenceGiven {
  readonly attachedAt: string;
}

export const evidence = aggregate<Evidence>()({
  name: 'evidence',
  place: 'workgroup',
  event,
  workUnitOf: ({ workUnitId }) => workUnitId,
  evolve: (state, { type: _type, v: _v, ...given }, { at }) => state ?? { ...given, attachedAt: at },
  decide: {
    attach: (state, given: EvidenceGiven): readonly EvidenceEvent[] =>
      state ? [] : [{ type: 'EvidenceAttached', v: 1, ...given }],
  },
});
