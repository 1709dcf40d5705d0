/** Task: something to be done within a work unit, by one agent. */
import { z } from 'zod';
import { refusal } from '../../../reasons.js';
import { aggregate } from '../aggregate.js';
import { changedFields, withFields } from '../fields.js';

export const TASK_STATUSES = ['Open', 'InProgress', 'Blocked', 'Completed', 'Cancelled'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** State machine of a task. Any transition that is not in this table is refused. */
export const TASK_TRANSITIONS: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  Open: ['InProgress', 'Cancelled'],
  InProgress: ['Blocked', 'Completed', 'Cancelled'],
  Blocked: ['InProgress', 'Cancelled'],
  Completed: [],
  Cancelled: [],
};

const Status = z.enum(TASK_STATUSES);
const about = { v: z.literal(1), taskId: z.string() };

const event = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('TaskCreated'),
    ...about,
    workUnitId: z.string(),
    title: z.string(),
    description: z.string(),
    priority: z.number(),
    domain: z.string().optional(),
    repositoryId: z.string().optional(),
  }),
  z.object({
    type: z.literal('TaskEdited'),
    ...about,
    title: z.string().optional(),
    description: z.string().optional(),
    priority: z.number().optional(),
  }),
  z.object({ type: z.literal('TaskStatusChanged'), ...about, previousStatus: Status, newStatus: Status }),
  z.object({ type: z.literal('TaskAssigned'), ...about, agentId: z.string() }),
]);
type TaskEvent = z.infer<typeof event>;
type Events = readonly TaskEvent[];
type Given = Omit<Extract<TaskEvent, { type: 'TaskCreated' }>, 'type' | 'v'>;
type Text = Omit<Extract<TaskEvent, { type: 'TaskEdited' }>, 'type' | 'v' | 'taskId'>;

export interface Task extends Given {
  readonly status: TaskStatus;
  readonly assignee?: string;
}

export const task = aggregate<Task>()({
  name: 'task',
  room: 'workgroup',
  event,
  workUnitOf: ({ workUnitId }) => workUnitId,
  evolve(state, event) {
    if (event.type === 'TaskCreated') {
      const { type: _type, v: _v, ...given } = event;
      return state ?? { ...given, status: 'Open' };
    }
    if (!state) return state;
    switch (event.type) {
      case 'TaskEdited': {
        const { title, description, priority } = event;
        return withFields<Task>(state, { title, description, priority });
      }
      case 'TaskStatusChanged':
        return { ...state, status: event.newStatus };
      case 'TaskAssigned':
        return { ...state, assignee: event.agentId };
    }
  },
  decide: {
    create(state, given: Given): Events {
      if (state) throw new Error(`task ${given.taskId} is there already`);
      return [{ type: 'TaskCreated', v: 1, ...given }];
    },

    edit(state, { title, description, priority }: Text): Events {
      const task = known(state);
      const changed = changedFields<Pick<Task, keyof Text>>(task, { title, description, priority });
      if (Object.keys(changed).length === 0) return [];
      return [{ type: 'TaskEdited', v: 1, taskId: task.taskId, ...changed }];
    },

    move(state, { to }: { readonly to: TaskStatus }): Events {
      const { taskId, status } = known(state);
      if (status === to) return [];
      if (!TASK_TRANSITIONS[status].includes(to)) throw wrong(taskId, status, `become ${to}`);
      return [{ type: 'TaskStatusChanged', v: 1, taskId, previousStatus: status, newStatus: to }];
    },

    assign(state, { agentId }: { readonly agentId: string }): Events {
      const { taskId, status, assignee } = known(state);
      if (!isTaskOpen({ status })) throw wrong(taskId, status, 'be assigned');
      return assignee === agentId ? [] : [{ type: 'TaskAssigned', v: 1, taskId, agentId }];
    },

    /** Reopens it: its work unit begins again. */
    reopen(state): Events {
      const { taskId, status } = known(state);
      if (status !== 'Cancelled') return [];
      return [{ type: 'TaskStatusChanged', v: 1, taskId, previousStatus: status, newStatus: 'Open' }];
    },
  },
});

/** Whether there is still something to be done. */
export function isTaskOpen({ status }: Pick<Task, 'status'>): boolean {
  return status !== 'Completed' && status !== 'Cancelled';
}

function known(state: Task | undefined): Task {
  if (!state) throw refusal('reject.task_not_found', 'no task has this id');
  return state;
}

function wrong(taskId: string, status: TaskStatus, wanted: string): Error {
  const possible = TASK_TRANSITIONS[status];
  return refusal('reject.wrong_state', `a task that is ${status} cannot ${wanted}`, { taskId, status, possible });
}
