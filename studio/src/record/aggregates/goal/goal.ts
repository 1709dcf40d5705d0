/** Goal: the purpose of a root work unit, and its progress. Its id is that of the unit. */
import { z } from 'zod';
import { refusal } from '../../../reasons.js';
import { aggregate } from '../aggregate.js';
import { changedFields, withFields } from '../fields.js';

export const GOAL_STATUSES = ['Exploring', 'Converging', 'Converged', 'Blocked', 'Paused', 'Abandoned'] as const;
export type GoalStatus = (typeof GOAL_STATUSES)[number];

const Status = z.enum(GOAL_STATUSES);
/** Limits of one goal; null: none of its own, so that of the options counts. */
const limits = z.object({
  maxGoalTokens: z.number().nullable().optional(),
  maxGoalMicroUsd: z.number().nullable().optional(),
  maxGoalDurationMinutes: z.number().nullable().optional(),
});
export type GoalLimits = z.infer<typeof limits>;
const about = { v: z.literal(1), goalId: z.string(), workUnitId: z.string() };

const event = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('GoalCreated'),
    ...about,
    goal: z.string(),
    branchId: z.string(),
    owner: z.string(),
    parentGoalId: z.string().optional(),
    repositoryId: z.string().optional(),
  }),
  z.object({ type: z.literal('GoalStatusChanged'), ...about, previousStatus: Status, newStatus: Status }),
  z.object({
    type: z.literal('GoalPaused'),
    ...about,
    reason: z.string().optional(),
    pausedBy: z.string().optional(),
    /** Status to restore on resume. */
    previousStatus: Status,
  }),
  z.object({
    type: z.literal('GoalResumed'),
    ...about,
    steering: z.string().optional(),
    resumedBy: z.string().optional(),
    newStatus: Status,
  }),
  limits.extend({ type: z.literal('GoalLimited'), ...about }),
  /** Another unit is its root from here on. */
  z.object({ type: z.literal('GoalRootReplaced'), ...about, previousWorkUnitId: z.string(), branchId: z.string() }),
]);
type GoalEvent = z.infer<typeof event>;
type Events = readonly GoalEvent[];
type Given = Omit<Extract<GoalEvent, { type: 'GoalCreated' }>, 'type' | 'v' | 'goalId'>;

export interface Goal extends Given {
  readonly goalId: string;
  readonly status: GoalStatus;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly pauseReason?: string | undefined;
  readonly statusBefore?: GoalStatus;
  readonly limits?: GoalLimits;
}

export const goal = aggregate<Goal>()({
  name: 'goal',
  room: 'workgroup',
  event,
  workUnitOf: ({ workUnitId }) => workUnitId,
  evolve(state, event, { at }) {
    if (event.type === 'GoalCreated') {
      const { type: _type, v: _v, ...given } = event;
      return state ?? { status: 'Exploring', createdAt: at, updatedAt: at, ...given };
    }
    if (!state) return state;
    const { pauseReason: _reason, statusBefore: _before, ...rest } = state;
    switch (event.type) {
      case 'GoalStatusChanged':
        return { ...rest, status: event.newStatus, updatedAt: at };
      case 'GoalPaused':
        return {
          ...rest,
          status: 'Paused' as const,
          updatedAt: at,
          statusBefore: event.previousStatus,
          ...(event.reason === undefined ? {} : { pauseReason: event.reason }),
        };
      case 'GoalResumed':
        return { ...rest, status: event.newStatus, updatedAt: at };
      case 'GoalLimited': {
        const { type: _type, v: _v, goalId: _id, workUnitId: _unit, ...changed } = event;
        return { ...state, updatedAt: at, limits: withFields(state.limits ?? {}, changed) };
      }
      case 'GoalRootReplaced':
        return { ...state, workUnitId: event.workUnitId, branchId: event.branchId, updatedAt: at };
    }
  },
  decide: {
    create(state, given: Given): Events {
      if (state) throw new Error(`goal ${given.workUnitId} is there already`);
      return [{ type: 'GoalCreated', v: 1, goalId: given.workUnitId, ...given }];
    },

    /** Sets the status that follows from its work. A paused goal stays paused, unless its work has ended. */
    become(state, { status }: { readonly status: GoalStatus }): Events {
      const { goalId, workUnitId, status: previousStatus } = known(state);
      if (previousStatus === status || (previousStatus === 'Paused' && !isEnded(status))) return [];
      return [{ type: 'GoalStatusChanged', v: 1, goalId, workUnitId, previousStatus, newStatus: status }];
    },

    pause(
      state,
      { reason, pausedBy }: { readonly reason?: string | undefined; readonly pausedBy?: string | undefined },
    ): Events {
      const { goalId, workUnitId, status: previousStatus } = known(state);
      if (previousStatus === 'Paused') return [];
      if (isEnded(previousStatus)) throw wrong(goalId, previousStatus, 'paused');
      const said = { ...(reason === undefined ? {} : { reason }), ...(pausedBy === undefined ? {} : { pausedBy }) };
      return [{ type: 'GoalPaused', v: 1, goalId, workUnitId, ...said, previousStatus }];
    },

    resume(
      state,
      { steering, resumedBy }: { readonly steering?: string | undefined; readonly resumedBy?: string | undefined },
    ): Events {
      const { goalId, workUnitId, status, statusBefore = 'Exploring' } = known(state);
      if (status !== 'Paused') throw wrong(goalId, status, 'resumed');
      const said = {
        ...(steering === undefined ? {} : { steering }),
        ...(resumedBy === undefined ? {} : { resumedBy }),
      };
      return [{ type: 'GoalResumed', v: 1, goalId, workUnitId, ...said, newStatus: statusBefore }];
    },

    /** Sets limits of its own. What is not given stays. */
    limit(state, wanted: GoalLimits): Events {
      const { goalId, workUnitId, limits: before = {} } = known(state);
      const changed = changedFields<GoalLimits>(before, wanted);
      if (Object.keys(changed).length === 0) return [];
      return [{ type: 'GoalLimited', v: 1, goalId, workUnitId, ...changed }];
    },

    replaceRoot(state, { workUnitId, branchId }: { readonly workUnitId: string; readonly branchId: string }): Events {
      const { goalId, workUnitId: previousWorkUnitId } = known(state);
      return [{ type: 'GoalRootReplaced', v: 1, goalId, workUnitId, previousWorkUnitId, branchId }];
    },
  },
});

/** Whether no work on it goes on. */
export function isEnded(status: GoalStatus): boolean {
  return status === 'Converged' || status === 'Abandoned';
}

/** Whether it has a limit of its own. */
export function isLimited({ limits: own = {} }: Goal): boolean {
  return Object.values(own).some((limit) => limit !== null && limit !== undefined);
}

/** Whether it has not ended, and is no part of another goal. */
export function isOpenRoot({ status, parentGoalId }: Goal): boolean {
  return parentGoalId === undefined && !isEnded(status);
}

function known(state: Goal | undefined): Goal {
  if (!state) throw refusal('reject.goal_not_found', 'no goal has this id');
  return state;
}

function wrong(goalId: string, status: GoalStatus, wanted: string): Error {
  return refusal('reject.wrong_state', `a goal that is ${status} cannot be ${wanted}`, { goalId, status });
}
