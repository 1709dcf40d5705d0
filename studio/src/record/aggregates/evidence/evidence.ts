/** Evidence that work is as it should be, or that it is not. Its id is derived from its source, so it is attached once. */
import { z } from 'zod';
import { aggregate } from '../aggregate.js';

export const EVIDENCE_KINDS = ['Build', 'Test', 'Lint', 'PolicyEvaluation', 'AutomatedReview'] as const;

const attached = z.object({
  type: z.literal('EvidenceAttached'),
  v: z.literal(1),
  evidenceId: z.string(),
  workUnitId: z.string(),
  proposalId: z.string().optional(),
  kind: z.enum(EVIDENCE_KINDS),
  success: z.boolean(),
  summary: z.string(),
  /** Commit that it is about; evidence of reviews has none, nor has evidence older than this field. */
  commit: z.string().optional(),
  detailJson: z.string().optional(),
});
export type EvidenceGiven = Omit<z.infer<typeof attached>, 'type' | 'v'>;

const event = z.discriminatedUnion('type', [
  attached,
  /** The commit was proposed later. */
  z.object({ type: z.literal('EvidenceOffered'), v: z.literal(1), evidenceId: z.string(), proposalId: z.string() }),
]);

export interface Evidence extends EvidenceGiven {
  readonly attachedAt: string;
}

export const evidence = aggregate<Evidence>()({
  name: 'evidence',
  room: 'workgroup',
  event,
  workUnitOf: ({ workUnitId }) => workUnitId,
  evolve(state, event, { at }) {
    if (event.type === 'EvidenceOffered') return state && { ...state, proposalId: event.proposalId };
    const { type: _type, v: _v, ...given } = event;
    return state ?? { ...given, attachedAt: at };
  },
  decide: {
    attach(state, given: EvidenceGiven): readonly z.infer<typeof event>[] {
      if (!state) return [{ type: 'EvidenceAttached', v: 1, ...given }];
      const { evidenceId, proposalId } = given;
      if (proposalId === undefined || proposalId === state.proposalId) return [];
      return [{ type: 'EvidenceOffered', v: 1, evidenceId, proposalId }];
    },
  },
});
