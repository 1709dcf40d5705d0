/** Hypothesis: what a work unit is to find out, and the outcome. Its id is that of the unit. */
import { z } from 'zod';
import { aggregate } from '../aggregate.js';

export const HYPOTHESIS_STATUSES = ['Active', 'Proposed', 'Converged', 'Rejected', 'Superseded'] as const;
export type HypothesisStatus = (typeof HYPOTHESIS_STATUSES)[number];

const about = { v: z.literal(1), hypothesisId: z.string(), workUnitId: z.string() };

const event = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('HypothesisForked'),
    ...about,
    forkType: z.string(),
    parentWorkUnitId: z.string().optional(),
    branchedFromProposalId: z.string().optional(),
    rationale: z.string().optional(),
    profileId: z.string().optional(),
    /** Session that started it. */
    sessionId: z.string().optional(),
  }),
  z.object({
    type: z.literal('HypothesisSettled'),
    ...about,
    status: z.enum(['Converged', 'Rejected', 'Superseded']),
    rationale: z.string().optional(),
  }),
]);
type HypothesisEvent = z.infer<typeof event>;
type Events = readonly HypothesisEvent[];
export type HypothesisGiven = Omit<
  Extract<HypothesisEvent, { type: 'HypothesisForked' }>,
  'type' | 'v' | 'hypothesisId'
>;

export interface Hypothesis extends HypothesisGiven {
  readonly hypothesisId: string;
  readonly createdAt: string;
  /** Verdict. Until then its status follows its work. */
  readonly settled?: HypothesisStatus;
  readonly settledBecause?: string;
}

export const hypothesis = aggregate<Hypothesis>()({
  name: 'hypothesis',
  room: 'workgroup',
  event,
  workUnitOf: ({ workUnitId }) => workUnitId,
  evolve(state, event, { at }) {
    if (event.type === 'HypothesisForked') {
      const { type: _type, v: _v, ...given } = event;
      return state ?? { ...given, createdAt: at };
    }
    const { status, rationale } = event;
    return state && { ...state, settled: status, ...(rationale === undefined ? {} : { settledBecause: rationale }) };
  },
  decide: {
    fork(state, given: HypothesisGiven): Events {
      if (state) throw new Error(`hypothesis ${given.workUnitId} is there already`);
      return [{ type: 'HypothesisForked', v: 1, hypothesisId: given.workUnitId, ...given }];
    },

    settle(
      state,
      given: { readonly status: 'Converged' | 'Rejected' | 'Superseded'; readonly rationale?: string | undefined },
    ): Events {
      if (!state || state.settled === given.status) return [];
      const { hypothesisId, workUnitId } = state;
      const { status, rationale } = given;
      const why = rationale === undefined ? {} : { rationale };
      return [{ type: 'HypothesisSettled', v: 1, hypothesisId, workUnitId, status, ...why }];
    },
  },
});
