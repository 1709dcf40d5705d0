/** Trajectory: the phases of a work unit, as its driver reports them. Its id is that of the unit. */
import { z } from 'zod';
import { aggregate } from '../aggregate.js';

export const PHASES = [
  'GoalDefined',
  'Decomposed',
  'Executing',
  'Proposed',
  'Converging',
  'Converged',
  'Forked',
  'Abandoned',
] as const;

const event = z.object({
  type: z.literal('TrajectoryPhaseEntered'),
  v: z.literal(1),
  trajectoryId: z.string(),
  workUnitId: z.string(),
  phase: z.enum(PHASES),
  agentId: z.string().optional(),
  model: z.string().optional(),
  provider: z.string().optional(),
});
type TrajectoryEvent = z.infer<typeof event>;
export type TrajectoryGiven = Omit<TrajectoryEvent, 'type' | 'v' | 'trajectoryId'>;

export interface Trajectory extends Omit<TrajectoryEvent, 'type' | 'v'> {
  readonly startedAt: string;
  readonly phases: readonly (Pick<TrajectoryEvent, 'phase' | 'agentId' | 'model' | 'provider'> & {
    readonly enteredAt: string;
  })[];
}

export const trajectory = aggregate<Trajectory>()({
  name: 'trajectory',
  room: 'workgroup',
  event,
  workUnitOf: ({ workUnitId }) => workUnitId,
  evolve(state, { type: _type, v: _v, ...given }, { at }) {
    const { trajectoryId: _id, workUnitId: _unit, ...phase } = given;
    const phases = [...(state?.phases ?? []), { ...phase, enteredAt: at }];
    return { ...given, startedAt: state?.startedAt ?? at, phases };
  },
  decide: {
    enter(state, given: TrajectoryGiven): readonly TrajectoryEvent[] {
      const isThere = state?.phase === given.phase && state.agentId === given.agentId && state.model === given.model;
      return isThere ? [] : [{ type: 'TrajectoryPhaseEntered', v: 1, trajectoryId: given.workUnitId, ...given }];
    },
  },
});
