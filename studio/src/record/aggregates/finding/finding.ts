/** Finding: something that the record of work seems to teach. People decide what becomes of it. */
import { z } from 'zod';
import { refusal } from '../../../reasons.js';
import { aggregate } from '../aggregate.js';

export const FINDING_KINDS = ['KnowledgeGuideline', 'PromptImprovement'] as const;
export const FINDING_SOURCES = ['Deterministic', 'LlmScan', 'Imported'] as const;
export const FINDING_STATUSES = ['Open', 'Promoted', 'Dismissed', 'Investigating'] as const;
export type FindingStatus = (typeof FINDING_STATUSES)[number];
export type Verdict = Exclude<FindingStatus, 'Open'>;

const about = { v: z.literal(1), findingId: z.string() };

const event = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('FindingReported'),
    ...about,
    kind: z.enum(FINDING_KINDS),
    source: z.enum(FINDING_SOURCES),
    title: z.string(),
    summary: z.string(),
    supportingDataJson: z.string().optional(),
    targetStage: z.string().optional(),
  }),
  z.object({
    type: z.literal('FindingReviewed'),
    ...about,
    decision: z.enum(['Promoted', 'Dismissed', 'Investigating']),
    notes: z.string().optional(),
    promotedArtifactId: z.string().optional(),
  }),
]);
type FindingEvent = z.infer<typeof event>;
type Events = readonly FindingEvent[];
export type FindingGiven = Omit<Extract<FindingEvent, { type: 'FindingReported' }>, 'type' | 'v'>;

export interface Finding extends FindingGiven {
  readonly status: FindingStatus;
  readonly createdAt: string;
  readonly reviewNotes?: string;
  readonly reviewedAt?: string;
  readonly promotedArtifactId?: string;
}

export interface Review {
  readonly decision: Verdict;
  readonly notes?: string | undefined;
  /** Constraint that it was promoted to. */
  readonly promotedArtifactId?: string | undefined;
}

export const finding = aggregate<Finding>()({
  name: 'finding',
  room: 'workgroup',
  event,
  evolve(state, event, { at }) {
    if (event.type === 'FindingReported') {
      const { type: _type, v: _v, ...given } = event;
      return state ?? { ...given, status: 'Open', createdAt: at };
    }
    const { decision, notes, promotedArtifactId } = event;
    return (
      state && {
        ...state,
        status: decision,
        reviewedAt: at,
        ...(notes === undefined ? {} : { reviewNotes: notes }),
        ...(promotedArtifactId === undefined ? {} : { promotedArtifactId }),
      }
    );
  },
  decide: {
    /** Reports it, unless it was reported before, whatever became of it. */
    report: (state, given: FindingGiven): Events => (state ? [] : [{ type: 'FindingReported', v: 1, ...given }]),

    review(state, { decision, notes, promotedArtifactId }: Review): Events {
      if (!state) throw refusal('reject.finding_not_found', 'no finding has this id');
      const { findingId, status, reviewNotes } = state;
      if (status === decision && reviewNotes === notes) return [];
      const said = {
        ...(notes === undefined ? {} : { notes }),
        ...(promotedArtifactId === undefined ? {} : { promotedArtifactId }),
      };
      return [{ type: 'FindingReviewed', v: 1, findingId, decision, ...said }];
    },
  },
});
