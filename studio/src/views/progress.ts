/** What others need to know of tasks, agents, failures and states known to be good. */
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
  /** What is in the dead-letter queue, oldest first. */
  readonly failures: readonly FailureInShort[];
  readonly knownGood: readonly { readonly stateId: string; readonly branchId: string }[];
}

/** Nothing records these yet. */
export function progressOf(_records: Records): Progress {
  return { tasks: [], agents: [], failures: [], knownGood: [] };
}
