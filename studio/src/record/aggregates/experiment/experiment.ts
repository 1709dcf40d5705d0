/** Experiment: one goal, tried in several ways, of which one wins. */
import { z } from 'zod';
import { refusal } from '../../../reasons.js';
import { aggregate } from '../aggregate.js';

const about = { v: z.literal(1), experimentId: z.string(), parentWorkUnitId: z.string() };

const event = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('ExperimentStarted'),
    ...about,
    forkType: z.string(),
    forkWorkUnitIds: z.array(z.string()),
    comparisonMetricHint: z.string().optional(),
    /** Session that started it. */
    sessionId: z.string().optional(),
  }),
  z.object({
    type: z.literal('ExperimentConverged'),
    ...about,
    winnerId: z.string(),
    rationale: z.string().optional(),
  }),
]);
type ExperimentEvent = z.infer<typeof event>;
type Events = readonly ExperimentEvent[];
type Given = Omit<Extract<ExperimentEvent, { type: 'ExperimentStarted' }>, 'type' | 'v'>;

export interface Experiment extends Given {
  readonly createdAt: string;
  readonly winnerId?: string;
  readonly rationale?: string;
}

export const experiment = aggregate<Experiment>()({
  name: 'experiment',
  room: 'workgroup',
  event,
  workUnitOf: ({ parentWorkUnitId }) => parentWorkUnitId,
  evolve(state, event, { at }) {
    if (event.type === 'ExperimentStarted') {
      const { type: _type, v: _v, ...given } = event;
      return state ?? { ...given, createdAt: at };
    }
    const { winnerId, rationale } = event;
    return state && { ...state, winnerId, ...(rationale === undefined ? {} : { rationale }) };
  },
  decide: {
    start(state, given: Given): Events {
      if (state) throw new Error(`experiment ${given.experimentId} is there already`);
      return [{ type: 'ExperimentStarted', v: 1, ...given }];
    },

    converge(state, given: { readonly winnerId: string; readonly rationale?: string | undefined }): Events {
      if (!state) throw refusal('reject.experiment_not_found', 'no experiment has this id');
      const { experimentId, parentWorkUnitId, forkWorkUnitIds, winnerId: before } = state;
      const { winnerId, rationale } = given;
      if (!forkWorkUnitIds.includes(winnerId))
        throw refusal('reject.invalid_input', `winnerId: ${winnerId} is no fork of this experiment`, [
          { field: 'winnerId', message: `must be one of ${forkWorkUnitIds.join(', ')}` },
        ]);
      if (before === winnerId) return [];
      if (before !== undefined)
        throw refusal('reject.wrong_state', `${before} has won already`, { experimentId, winnerId: before });
      const why = rationale === undefined ? {} : { rationale };
      return [{ type: 'ExperimentConverged', v: 1, experimentId, parentWorkUnitId, winnerId, ...why }];
    },
  },
});
