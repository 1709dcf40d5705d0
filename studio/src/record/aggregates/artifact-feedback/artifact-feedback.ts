/** Artifact feedback: who was shown an artifact, and which reviews took it into account. Its id is that of the artifact. */
import { z } from 'zod';
import { aggregate } from '../aggregate.js';

const about = { v: z.literal(1), artifactId: z.string(), workUnitId: z.string().optional() };

const event = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('ArtifactSurfaced'),
    ...about,
    surfacedToAgentId: z.string().optional(),
    projectionType: z.string(),
  }),
  z.object({
    type: z.literal('ArtifactConsideredInDecision'),
    ...about,
    proposalId: z.string(),
    decision: z.string(),
  }),
]);
type FeedbackEvent = z.infer<typeof event>;
type Surfaced = Omit<Extract<FeedbackEvent, { type: 'ArtifactSurfaced' }>, 'type' | 'v'>;
type Considered = Omit<Extract<FeedbackEvent, { type: 'ArtifactConsideredInDecision' }>, 'type' | 'v'>;

export interface ArtifactFeedback {
  readonly artifactId: string;
  readonly workUnitId?: string | undefined;
  readonly surfaced: readonly {
    readonly surfacedToAgentId?: string | undefined;
    readonly projectionType: string;
    readonly occurredAt: string;
  }[];
  readonly consideredIn: readonly {
    readonly proposalId: string;
    readonly decision: string;
    readonly occurredAt: string;
  }[];
}

export const artifactFeedback = aggregate<ArtifactFeedback>()({
  name: 'artifact-feedback',
  room: 'workgroup',
  event,
  workUnitOf: ({ workUnitId }) => workUnitId,
  evolve(state, event, { at: occurredAt }) {
    const { artifactId, workUnitId } = event;
    const owner = workUnitId === undefined ? {} : { workUnitId };
    const before: ArtifactFeedback = state ?? { artifactId, ...owner, surfaced: [], consideredIn: [] };
    if (event.type === 'ArtifactSurfaced') {
      const { surfacedToAgentId, projectionType } = event;
      return { ...before, surfaced: [...before.surfaced, { surfacedToAgentId, projectionType, occurredAt }] };
    }
    const { proposalId, decision } = event;
    return { ...before, consideredIn: [...before.consideredIn, { proposalId, decision, occurredAt }] };
  },
  decide: {
    /** Records that it was shown, once for each agent and projection. */
    surface(state, given: Surfaced): readonly FeedbackEvent[] {
      const isKnown = state?.surfaced.some(
        ({ surfacedToAgentId, projectionType }) =>
          surfacedToAgentId === given.surfacedToAgentId && projectionType === given.projectionType,
      );
      return isKnown ? [] : [{ type: 'ArtifactSurfaced', v: 1, ...given }];
    },

    consider(state, given: Considered): readonly FeedbackEvent[] {
      const isKnown = state?.consideredIn.some(
        ({ proposalId, decision }) => proposalId === given.proposalId && decision === given.decision,
      );
      return isKnown ? [] : [{ type: 'ArtifactConsideredInDecision', v: 1, ...given }];
    },
  },
});
