/** State of a work unit, folded from its events. */
import type { Told } from '../aggregate.js';
import type { COUNTERS, STAGES, WorkUnitEvent, WorkUnitGiven } from './events.js';
import type { WorkUnitStatus } from './status.js';

export type Stage = (typeof STAGES)[number];
export type Counter = (typeof COUNTERS)[number];

export interface WorkUnit extends Omit<WorkUnitGiven, 'sliceId' | 'seedFromBranchId'> {
  readonly workUnitId: string;
  readonly status: WorkUnitStatus;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly assignedAgent?: string;
  readonly currentStage?: Stage;
  readonly executionInfo: Readonly<Record<Counter, number>>;
  readonly fanOutInfo: {
    readonly sliceId?: string | undefined;
    readonly seedFromBranchId?: string | undefined;
    readonly blockedReason?: string;
  };
  readonly workspaceId: string;
}

const NEVER = { failureAttemptCount: 0, automatedReviewRejectionCount: 0, humanReviewRejectionCount: 0 };

export function evolve(state: WorkUnit | undefined, event: WorkUnitEvent, { at }: Told): WorkUnit | undefined {
  if (event.type === 'WorkUnitCreated') return state ?? created(event, at);
  return state && { ...changed(state, event), updatedAt: at };
}

function created(event: Extract<WorkUnitEvent, { type: 'WorkUnitCreated' }>, at: string): WorkUnit {
  const { type: _type, v: _v, sliceId, seedFromBranchId, ...given } = event;
  return {
    status: 'Created',
    createdAt: at,
    updatedAt: at,
    executionInfo: NEVER,
    workspaceId: 'workspace-default',
    fanOutInfo: {
      ...(sliceId === undefined ? {} : { sliceId }),
      ...(seedFromBranchId === undefined ? {} : { seedFromBranchId }),
    },
    ...given,
  };
}

function changed(state: WorkUnit, event: Exclude<WorkUnitEvent, { type: 'WorkUnitCreated' }>): WorkUnit {
  switch (event.type) {
    case 'WorkUnitStatusChanged':
      return { ...state, status: event.newStatus };
    case 'WorkUnitStageChanged': {
      const { currentStage: _stage, ...rest } = state;
      return event.stage === null ? rest : { ...rest, currentStage: event.stage };
    }
    case 'WorkUnitFileScopeChanged':
      return { ...state, fileScope: event.newScope };
    case 'WorkUnitAssigned': {
      const { assignedAgent: _agent, ...rest } = state;
      return event.agentId === null ? rest : { ...rest, assignedAgent: event.agentId };
    }
    case 'WorkUnitGoalAmended':
      return { ...state, goal: `${state.goal}\n\nCorrection: ${event.correction}` };
    case 'WorkUnitNoted': {
      const before = state.metadata?.[event.key];
      const text = before === undefined ? event.text : `${before}\n\n${event.text}`;
      return { ...state, metadata: { ...state.metadata, [event.key]: text } };
    }
    case 'WorkUnitDependenciesChanged':
      return { ...state, dependsOn: event.dependsOn };
    case 'WorkUnitBlocked': {
      const { blockedReason: _reason, ...rest } = state.fanOutInfo;
      const { blockedReason } = event;
      return { ...state, fanOutInfo: blockedReason === null ? rest : { ...rest, blockedReason } };
    }
    case 'WorkUnitReviewPolicyTightened':
      return tightened(state, event);
    case 'WorkUnitCounted':
      return { ...state, executionInfo: { ...state.executionInfo, [event.counter]: event.value } };
  }
}

function tightened(
  state: WorkUnit,
  { of, policy, minutes }: Extract<WorkUnitEvent, { type: 'WorkUnitReviewPolicyTightened' }>,
): WorkUnit {
  if (of === 'task') {
    const { taskReviewHybridTimeoutMinutes: _before, ...rest } = state;
    return {
      ...rest,
      taskReviewPolicy: policy,
      ...(minutes !== undefined && { taskReviewHybridTimeoutMinutes: minutes }),
    };
  }
  const { workspaceReviewHybridTimeoutMinutes: _before, ...rest } = state;
  return {
    ...rest,
    workspaceReviewPolicy: policy,
    ...(minutes !== undefined && { workspaceReviewHybridTimeoutMinutes: minutes }),
  };
}

/** Whether it goes on only with other units: those that it needs before it begins, or its parts. */
export function reliesOnOthers({ status, dependsOn }: WorkUnit): boolean {
  return status === 'Active' || (status === 'Created' && dependsOn.length > 0);
}
