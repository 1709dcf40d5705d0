/** The queue of work units that wait for an agent. */
import { z } from 'zod';
import type { ScheduledItem as Held } from '../../record/aggregates/scheduled-item/scheduled-item.js';
import { refusal } from '../../reasons.js';
import { requireSession } from '../../rules/goals/session-of.js';
import { profileOf, unitOf } from '../../record/views/by-id.js';
import type { Records } from '../../record/views/records.js';
import { enqueue as putInQueue, resume as letGo, settle, supply } from '../../rules/queue/queue.js';
import { inTurn } from '../../rules/queue/turns.js';
import { operation } from '../kernel/define.js';
import { ADDS, READS, SETS } from '../kernel/hints.js';
import { Intent } from './intent-shape.js';
import { MODEL_FIELDS, ProfileId, choiceOf, modelFields } from '../agents/model-choice-shape.js';
import { ScheduledItem, shownItem } from './scheduled-item-shape.js';
import { SessionId } from '../goals/session-shape.js';
import { TaskId } from '../goals/task-shape.js';
import { WorkUnitId } from '../goals/work-unit-shape.js';

const ItemWithIntents = z
  .object({
    workUnitId: z.string().describe('Work unit whose turn it is about.'),
    item: ScheduledItem.describe('Its place in the queue.'),
    intents: z.array(Intent).describe('What it is about to change.'),
  })
  .meta({
    id: 'ScheduledItemWithIntents',
    description: 'A place in the queue, and what is about to be changed there.',
  });

export const pending = operation({
  summary:
    'List what is in the queue: first what waits for its turn, in the order in which it has it, then what is leased, then what is parked.',
  scope: 'read',
  in: z.object({
    includeIntentGraph: z.enum(['0', '1']).optional().describe('1 to have the intents of each as well.'),
  }),
  out: z.array(z.union([ScheduledItem, ItemWithIntents])),
  rest: { route: 'GET /studio/scheduler/pending', query: ['includeIntentGraph'] },
  list: 'workUnitId',
  tool: 'scheduler_pending',
  dispatch: true,
  refuses: [],
  annotations: READS,
}).run(({ records }, { includeIntentGraph }) => {
  const items = [...inTurn(records), ...inPlace(records, 'leased'), ...inPlace(records, 'parked')];
  const shown = items.map((item) => shownItem(records, item));
  if (includeIntentGraph !== '1') return shown;
  return shown.map((item) => ({
    workUnitId: item.workUnitId,
    item,
    intents: records.intents.where('workUnit', item.workUnitId),
  }));
});

export const awaitingResume = operation({
  summary: 'List what was interrupted, or stopped, and waits to be resumed.',
  scope: 'read',
  in: z.object({}),
  out: z.array(ScheduledItem),
  rest: { route: 'GET /studio/scheduler/awaiting-resume' },
  list: 'workUnitId',
  refuses: [],
  annotations: READS,
}).run(({ records }) => interrupted(records).map((item) => shownItem(records, item)));

export const resume = operation({
  summary: 'Let a parked work unit have its turn again, whatever it was parked for, unless something is paused.',
  scope: 'operate',
  in: z.object({ workUnitId: WorkUnitId, ...modelFields }),
  out: z.object({
    workUnitId: z.string().describe('Id of the work unit.'),
    status: z.literal('resumed').describe('It has its turn again.'),
  }),
  rest: { route: 'POST /studio/scheduler/{workUnitId}/resume' },
  human: true,
  refuses: ['reject.workunit_not_found', 'reject.not_scheduled', 'reject.held_back'],
  annotations: SETS,
}).run((context, { workUnitId, ...model }) => {
  const choice = choiceOf(context, model);
  return context.answer((change) => {
    unitOf(context.records, workUnitId);
    letGo(change, context.records, workUnitId, choice);
    supply(change, context.records, choice.credentialRef);
    return { workUnitId, status: 'resumed' as const };
  });
});

export const resumeAll = operation({
  summary: 'Resume all that was interrupted or stopped.',
  scope: 'operate',
  in: z.object({}),
  out: z.object({ resumedCount: z.number().describe('How many work units have their turn again.') }),
  rest: { route: 'POST /studio/scheduler/resume-all' },
  human: true,
  refuses: [],
  annotations: SETS,
}).run((context) =>
  context.answer((change) => {
    const resumed = interrupted(context.records).map(({ workUnitId }) => settle(change, context.records, workUnitId));
    return { resumedCount: resumed.filter((item) => item?.place === 'queued').length };
  }),
);

export const enqueue = operation({
  summary: 'Put a work unit at the end of the queue. One that is there keeps its turn, and takes over what is new.',
  scope: 'operate',
  in: z.object({
    workUnitId: WorkUnitId,
    profileId: ProfileId,
    taskId: TaskId.optional().describe('Task that it is for.'),
    ...modelFields,
    sessionId: SessionId.optional(),
  }),
  out: z.object({
    workUnitId: z.string().describe('Id of the work unit.'),
    profileId: z.string().describe('Profile of the agent that will work on it.'),
    taskId: z.string().nullable().describe('Task that it is for, or null.'),
    sessionId: z.string().nullable().describe('Session that it was enqueued in, or null.'),
    status: z.literal('enqueued').describe('It is in the queue.'),
  }),
  rest: { route: 'POST /studio/scheduler/enqueue' },
  tool: 'scheduler_enqueue',
  dispatch: true,
  granted: true,
  ofPeople: MODEL_FIELDS,
  refuses: [
    'reject.workunit_not_found',
    'reject.profile_not_found',
    'reject.task_not_found',
    'reject.session_not_found',
    'reject.wrong_state',
  ],
  annotations: ADDS,
}).run((context, { workUnitId, profileId, taskId, sessionId, ...model }) => {
  const choice = choiceOf(context, model);
  return context.answer((change) => {
    const { records } = context;
    unitOf(records, workUnitId);
    profileOf(records, profileId);
    if (taskId !== undefined && !records.tasks.get(taskId))
      throw refusal('reject.task_not_found', `no task is called ${taskId}`, { taskId });
    requireSession(change, records, sessionId, workUnitId);
    putInQueue(change, records, workUnitId, { profileId, taskId, sessionId, ...choice });
    supply(change, records, choice.credentialRef);
    return { workUnitId, profileId, taskId: taskId ?? null, sessionId: sessionId ?? null, status: 'enqueued' as const };
  });
});

function interrupted(records: Records): Held[] {
  return inPlace(records, 'parked').filter(({ parkedFor }) => parkedFor === 'Resume');
}

function inPlace({ scheduledItems }: Records, place: Held['place']): Held[] {
  return scheduledItems.where('place', place);
}
