/** Work unit: a piece of work on a branch of its own. */
import { refusal } from '../../../reasons.js';
import { aggregate } from '../aggregate.js';
import { type WorkUnitEvent, type WorkUnitGiven, workUnitEvent } from './events.js';
import { type Counter, type Stage, type WorkUnit, evolve } from './state.js';
import { TRANSITIONS, type WorkUnitStatus, isOver } from './status.js';

type Events = readonly WorkUnitEvent[];
type Tightened = Pick<Extract<WorkUnitEvent, { type: 'WorkUnitReviewPolicyTightened' }>, 'of' | 'policy' | 'minutes'>;

export const workUnit = aggregate<WorkUnit>()({
  name: 'work-unit',
  room: 'workgroup',
  event: workUnitEvent,
  evolve,
  workUnitOf: ({ workUnitId }) => workUnitId,
  decide: {
    create(state, given: WorkUnitGiven & { readonly workUnitId: string }): Events {
      if (state) throw new Error(`work unit ${given.workUnitId} is there already`);
      return [{ type: 'WorkUnitCreated', v: 1, ...given }];
    },

    move(state, { to, reason }: { readonly to: WorkUnitStatus; readonly reason?: string }): Events {
      const { workUnitId, status } = known(state);
      if (status === to) return [];
      if (!TRANSITIONS[status].includes(to)) {
        const possible = TRANSITIONS[status];
        throw refusal('reject.wrong_state', `a work unit that is ${status} cannot become ${to}`, {
          workUnitId,
          status,
          possible,
        });
      }
      const why = reason === undefined ? {} : { reason };
      return [{ ...told('WorkUnitStatusChanged', workUnitId), previousStatus: status, newStatus: to, ...why }];
    },

    stage(state, { stage }: { readonly stage: Stage | null }): Events {
      const { workUnitId, currentStage = null } = known(state);
      return currentStage === stage ? [] : [{ ...told('WorkUnitStageChanged', workUnitId), stage }];
    },

    scope(state, { fileScope }: { readonly fileScope: readonly string[] }): Events {
      const { workUnitId, fileScope: previousScope } = unfinished(state);
      if (previousScope.join('\n') === fileScope.join('\n')) return [];
      return [{ ...told('WorkUnitFileScopeChanged', workUnitId), previousScope, newScope: [...fileScope] }];
    },

    assign(state, { agentId }: { readonly agentId: string | null }): Events {
      const { workUnitId, assignedAgent = null } = known(state);
      return assignedAgent === agentId ? [] : [{ ...told('WorkUnitAssigned', workUnitId), agentId }];
    },

    amend(state, { correction }: { readonly correction: string }): Events {
      return [{ ...told('WorkUnitGoalAmended', unfinished(state).workUnitId), correction }];
    },

    /** Adds a note; one with the same key stays. */
    note(state, { key, text }: { readonly key: string; readonly text: string }): Events {
      return [{ ...told('WorkUnitNoted', unfinished(state).workUnitId), key, text }];
    },

    depend(state, { dependsOn }: { readonly dependsOn: readonly string[] }): Events {
      const { workUnitId, dependsOn: before } = unfinished(state);
      if (before.join('\n') === dependsOn.join('\n')) return [];
      return [{ ...told('WorkUnitDependenciesChanged', workUnitId), dependsOn: [...dependsOn] }];
    },

    block(state, { reason }: { readonly reason: string | null }): Events {
      const { workUnitId, fanOutInfo } = known(state);
      if ((fanOutInfo.blockedReason ?? null) === reason) return [];
      return [{ ...told('WorkUnitBlocked', workUnitId), blockedReason: reason }];
    },

    /** Sets a review policy that is stricter than the one before, as its caller has found. */
    tighten(state, { of, policy, minutes }: Tightened): Events {
      const { workUnitId } = unfinished(state);
      const more = minutes === undefined ? {} : { minutes };
      return [{ ...told('WorkUnitReviewPolicyTightened', workUnitId), of, policy, ...more }];
    },

    count(state, { counter, value }: { readonly counter: Counter; readonly value: number }): Events {
      const { workUnitId, executionInfo } = known(state);
      return executionInfo[counter] === value ? [] : [{ ...told('WorkUnitCounted', workUnitId), counter, value }];
    },
  },
});

function told<Type extends WorkUnitEvent['type']>(type: Type, workUnitId: string) {
  return { type, v: 1, workUnitId } as const;
}

function known(state: WorkUnit | undefined): WorkUnit {
  if (!state) throw refusal('reject.workunit_not_found', 'no work unit has this id');
  return state;
}

function unfinished(state: WorkUnit | undefined): WorkUnit {
  const unit = known(state);
  if (!isOver(unit.status)) return unit;
  throw refusal('reject.wrong_state', `work unit ${unit.workUnitId} is ${unit.status}`, {
    workUnitId: unit.workUnitId,
    status: unit.status,
  });
}
