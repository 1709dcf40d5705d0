/** Progress summary: tasks, agents, failures and known-good states. */
import type { Records } from './records.js';

export interface TaskInShort {
  readonly taskId: string;
  readonly workUnitId: string;
  readonly title: string;
  readonly status: 'Open' | 'InProgress' | 'Blocked' | 'Completed' | 'Cancelled';
  readonly assignee?: string | undefined;
}

export interface AgentInShort {
  readonly agentId: string;
  readonly workUnitId: string;
  readonly status: string;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
}

export interface FailureInShort {
  readonly entryId: string;
  readonly workUnitId: string;
  readonly kind: string;
  readonly reason: string;
  readonly occurredAt: string;
}

export interface Progress {
  readonly tasks: readonly TaskInShort[];
  readonly agents: readonly AgentInShort[];
  /** Unresolved failures, oldest first. */
  readonly failures: readonly FailureInShort[];
  readonly knownGood: readonly { readonly stateId: string; readonly branchId: string }[];
}

/** Progress, computed when it is asked for. */
export function progressOf({ tasks, agents, deadLetters, knownGoods, scheduledItems }: Records): Progress {
  return {
    get tasks() {
      return tasks.all().map(({ taskId, workUnitId, title, status, assignee }) => ({
        taskId,
        workUnitId,
        title,
        status,
        assignee,
      }));
    },
    get agents() {
      return agents.all().map(({ agentId, workUnitId, status }) => {
        const { model, provider } = scheduledItems.get(workUnitId) ?? {};
        return { agentId, workUnitId, status, model, provider };
      });
    },
    get failures() {
      const open = deadLetters.all().filter(({ resolution }) => resolution === undefined);
      return open.map(({ entryId, workUnitId, kind, reason, occurredAt }) => ({
        entryId,
        workUnitId,
        kind,
        reason,
        occurredAt,
      }));
    },
    get knownGood() {
      return knownGoods.all().map(({ stateId, branchId }) => ({ stateId, branchId }));
    },
  };
}
