import { describe, expect, it } from 'vitest';
import { expectRefusal, makeUnit, post, read, toolData } from '../../testing/doors/calls.js';
import { startTestStudio } from '../../testing/test-studio.js';

interface Task {
  readonly taskId: string;
}

async function begun() {
  const studio = await startTestStudio();
  const { workUnitId } = await makeUnit(studio);
  const given = { workUnitId, title: 'do', description: 'it' };
  return { studio, workUnitId, given, task: await post<Task>(studio, '/tasks', given) };
}

describe('tasks', () => {
  it('are created, read and listed', async () => {
    const { studio, workUnitId, given, task } = await begun();
    expect(task).toEqual({ taskId: task.taskId, ...given, status: 'Open', priority: 0 });
    expect(await read(studio, `/tasks/${task.taskId}`)).toEqual(task);
    const other = await toolData<Task>(studio, 'svc_v1_task_create', { ...given, priority: 3 });
    expect(await read(studio, `/tasks?workUnitId=${workUnitId}`)).toEqual([task, { ...task, ...other, priority: 3 }]);
    expect(await read(studio, '/tasks?workUnitId=none')).toEqual([]);
  });

  it('are changed field by field, along their states', async () => {
    const { studio, task } = await begun();
    const put = async (body: object) => (await studio.call('PUT', `/studio/tasks/${task.taskId}`, { body })).json;
    expect(await put({ title: 'done' })).toEqual({ ...task, title: 'done' });
    expect(await put({ status: 'InProgress', priority: 2 })).toMatchObject({ status: 'InProgress', priority: 2 });
    await expectRefusal(studio, ['PUT', `/tasks/${task.taskId}`, { status: 'Open' }], 409, 'wrong_state');
    expect(await post(studio, `/tasks/${task.taskId}/assign`, { agentId: 'a1' })).toHaveProperty('assignee', 'a1');
  });

  it('are refused where something that they name is not there', async () => {
    const { studio, given } = await begun();
    await expectRefusal(studio, ['POST', '/tasks', { ...given, workUnitId: 'none' }], 404, 'workunit_not_found');
    await expectRefusal(studio, ['POST', '/tasks', { title: 'x' }], 400, 'invalid_input');
    await expectRefusal(studio, ['GET', '/tasks/none'], 404, 'task_not_found');
    await expectRefusal(studio, ['PUT', '/tasks/none', {}], 404, 'task_not_found');
    await expectRefusal(studio, ['POST', '/tasks/none/assign', { agentId: 'a' }], 404, 'task_not_found');
  });
});
