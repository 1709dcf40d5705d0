/** Priority of tasks: who has the next turn when fewer may work than would. */
import { expect, it } from 'vitest';
import { makeUnit, post, queue, read, toolData } from '../../testing/doors/calls.js';
import { scriptedModels } from '../../testing/models/scripted-models.js';
import { type TestStudio, startTestStudio } from '../../testing/test-studio.js';

interface Task {
  readonly taskId: string;
}

/** Studio with one place to work, whose agents ask a person at once; the first is held until `release`. */
async function crowded() {
  const begun: string[] = [];
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const models = scriptedModels(async ({ workUnitId }) => {
    begun.push(workUnitId);
    if (begun.length === 1) await released;
    return { calls: [['clarification_request', { question: 'Which?' }]] };
  });
  const studio = await startTestStudio(undefined, { agents: { models } });
  await studio.call('POST', '/studio/options', { as: 'admin', body: { maxConcurrentWorkers: 1 } });
  const make = async (body: object = {}): Promise<string> => (await makeUnit(studio, body)).workUnitId;
  const first = await make();
  await queue(studio, { workUnitId: first });
  await expect.poll(() => begun).toEqual([first]);
  return { studio, begun, release, make, rank: (id: string, priority: number) => rank(studio, id, priority) };
}

const rank = (studio: TestStudio, workUnitId: string, priority: number) =>
  post<Task>(studio, '/tasks', { workUnitId, title: 'do', description: 'it', priority });

it('decides who is next; among equals that is who has waited longest', async () => {
  const { studio, begun, release, make, rank } = await crowded();
  const [low, usual, above, high] = [await make(), await make(), await make(), await make()];
  const below = await make({ parentWorkUnitId: above });
  const over = await make();
  await rank(low, -1);
  await rank(low, -2);
  await rank(above, 5);
  const raised = await rank(high, 1);
  const done = await rank(over, 100);
  await studio.call('PUT', `/studio/tasks/${done.taskId}`, { body: { status: 'Cancelled' } });
  for (const workUnitId of [low, usual, over, below, high]) await queue(studio, { workUnitId });
  await studio.call('PUT', `/studio/tasks/${raised.taskId}`, { body: { priority: 7 } });
  const waiting = (await read<{ workUnitId: string; priority: number }[]>(studio, '/scheduler/pending')).slice(0, 5);
  expect(waiting.map(({ workUnitId, priority }) => [workUnitId, priority])).toEqual([
    [high, 7],
    [below, 5],
    [usual, 0],
    [over, 0],
    [low, -1],
  ]);
  release();
  await expect.poll(() => begun.slice(1), { timeout: 20_000 }).toEqual([high, below, usual, over, low]);
});

it('is not raised by agents: none puts its own work before that of others', async () => {
  const answers: string[] = [];
  let taskId = '';
  const models = scriptedModels(({ workUnitId, turn, request }) => {
    for (const message of request.messages) if (message.role === 'tool') answers.push(message.text);
    if (turn > 0) return { calls: [['clarification_request', { question: 'Which?' }]] };
    const create = (priority: number) =>
      ['task_create', { workUnitId, title: 'do', description: 'it', priority }] as const;
    return { calls: [create(4), create(3), create(-1), ['task_update', { taskId, priority: 4 }]] };
  });
  const studio = await startTestStudio(undefined, { agents: { models } });
  const allowedTools = ['svc_v1_task_create', 'svc_v1_task_update', 'svc_v1_clarification_request'];
  await studio.call('PUT', '/studio/agent-profiles/worker', { body: { allowedTools } });
  const { workUnitId } = await makeUnit(studio);
  ({ taskId } = await rank(studio, workUnitId, 3));
  await queue(studio, { workUnitId });
  await expect.poll(() => answers.length, { timeout: 20_000 }).toBe(4);
  const refused = answers.map((answer) => answer.includes('reject.priority_too_high'));
  expect(refused).toEqual([true, false, false, true]);
  const tasks = await toolData<{ priority: number }[]>(studio, 'svc_v1_task_list', { workUnitId });
  expect(tasks.map(({ priority }) => priority)).toEqual([3, 3, -1]);
});

it('is refused where it is no whole number', async () => {
  const studio = await startTestStudio();
  const { workUnitId } = await makeUnit(studio);
  const body = { workUnitId, title: 'do', description: 'it', priority: 0.5 };
  expect((await studio.call('POST', '/studio/tasks', { body })).json).toMatchObject({ code: 'reject.invalid_input' });
});
