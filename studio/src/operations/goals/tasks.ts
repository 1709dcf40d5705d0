/** Tasks: to-do items within a work unit. */
import { z } from 'zod';
import { TASK_STATUSES, type Task as Held, task } from '../../record/aggregates/task/task.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { unitOf } from '../../record/views/by-id.js';
import { priorityOf } from '../../rules/queue/turns.js';
import type { Context } from '../kernel/context.js';
import { operation } from '../kernel/define.js';
import { ADDS, READS, SETS } from '../kernel/hints.js';
import { AgentId } from '../agents/agent-shape.js';
import { Task, TaskId } from './task-shape.js';
import { WorkUnitId } from './work-unit-shape.js';

const Title = z.string().min(1).max(1000).describe('What is to be done, in a line.');
const Description = z.string().max(100_000).describe('What is to be done.');
const Priority = z.number().int().min(-1_000_000).max(1_000_000);
const PRIORITY =
  'The higher, the sooner its work unit has its turn, and all below it that has no tasks. An agent gives none a higher one than its unit has.';
const version = ({ tasks }: Records, { taskId }: { readonly taskId: string }): number | undefined =>
  tasks.version(taskId) || undefined;

export const create = operation({
  summary: 'Create a task within a work unit.',
  scope: 'operate',
  in: z.object({
    workUnitId: WorkUnitId,
    title: Title,
    description: Description,
    priority: Priority.default(0).describe(PRIORITY),
  }),
  out: Task,
  rest: { route: 'POST /studio/tasks' },
  tool: 'task_create',
  dispatch: true,
  refuses: ['reject.workunit_not_found', 'reject.priority_too_high'],
  annotations: ADDS,
}).run((context, given) =>
  context.answer((change) => {
    const { repositoryId } = unitOf(context.records, given.workUnitId);
    requirePriority(context, given.workUnitId, given.priority);
    const taskId = change.newId('task-');
    return change.run(task, taskId, 'create', { taskId, ...given, repositoryId });
  }),
);

export const list = operation({
  summary: 'List the tasks, oldest first.',
  scope: 'read',
  in: z.object({ workUnitId: WorkUnitId.optional().describe('Only those of this work unit.') }),
  out: z.array(Task),
  rest: { route: 'GET /studio/tasks', query: ['workUnitId'] },
  list: 'taskId',
  tool: 'task_list',
  dispatch: true,
  refuses: [],
  annotations: READS,
}).run(({ records: { tasks } }, { workUnitId }) =>
  workUnitId === undefined ? tasks.all() : tasks.where('workUnit', workUnitId),
);

export const get = operation({
  summary: 'Read one task.',
  scope: 'read',
  in: z.object({ taskId: TaskId }),
  out: Task,
  rest: { route: 'GET /studio/tasks/{taskId}' },
  version,
  refuses: ['reject.task_not_found'],
  annotations: READS,
}).run(({ records }, { taskId }) => taskOf(records, taskId));

export const update = operation({
  summary: 'Change a task. What is left out stays.',
  scope: 'operate',
  in: z.object({
    taskId: TaskId,
    title: Title.optional(),
    description: Description.optional(),
    status: z.enum(TASK_STATUSES).optional().describe('What it becomes, if that may follow from what it is.'),
    priority: Priority.optional().describe(PRIORITY),
  }),
  out: Task,
  rest: { route: 'PUT /studio/tasks/{taskId}' },
  tool: 'task_update',
  dispatch: true,
  version,
  refuses: ['reject.task_not_found', 'reject.wrong_state', 'reject.priority_too_high'],
  annotations: SETS,
}).run((context, { taskId, status, ...text }) =>
  context.answer((change) => {
    requirePriority(context, taskOf(context.records, taskId).workUnitId, text.priority);
    const edited = change.run(task, taskId, 'edit', text);
    return status === undefined ? edited : change.run(task, taskId, 'move', { to: status });
  }),
);

export const assign = operation({
  summary: 'Give a task to an agent.',
  scope: 'operate',
  in: z.object({ taskId: TaskId, agentId: AgentId }),
  out: Task,
  rest: { route: 'POST /studio/tasks/{taskId}/assign' },
  tool: 'task_assign',
  dispatch: true,
  version,
  refuses: ['reject.task_not_found', 'reject.wrong_state'],
  annotations: SETS,
}).run((context, { taskId, agentId }) =>
  context.answer((change) => {
    taskOf(context.records, taskId);
    return change.run(task, taskId, 'assign', { agentId });
  }),
);

/** Guard: an agent does not put its own work before that of others. */
function requirePriority({ caller, records }: Context, workUnitId: string, priority = 0): void {
  const most = Math.max(0, priorityOf(records, workUnitId));
  if (caller.kind !== 'agent' || priority <= most) return;
  throw refusal('reject.priority_too_high', `an agent gives a task here at most priority ${most}`, { most });
}

function taskOf({ tasks }: Records, taskId: string): Held {
  const found = tasks.get(taskId);
  if (found) return found;
  throw refusal('reject.task_not_found', `no task is called ${taskId}`, { taskId });
}
