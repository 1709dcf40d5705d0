/** Tasks over the real door: a goal that a call has begun is read, answered and ended under one id. */
import { describe, expect, it } from 'vitest';
import { post, toolData } from '../../testing/doors/calls.js';
import { type Connect, sessionClients } from '../../testing/doors/session-clients.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { type TestStudio, startTestStudio } from '../../testing/test-studio.js';

const REVISION = '2026-07-28';
const META = 'io.modelcontextprotocol/';
const TASKS = { extensions: { [`${META}tasks`]: {} } };
const FORMS = { ...TASKS, elicitation: { form: {} } };

interface Answer {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A request as a client of the newest revision sends it; no library of a client knows tasks yet. */
async function ask(
  studio: TestStudio,
  method: string,
  params: object,
  { capabilities = FORMS, as = 'operate' }: { capabilities?: object; as?: 'operate' | 'read' } = {},
): Promise<Answer> {
  const { name, taskId } = params as { name?: string; taskId?: string };
  const named = name ?? taskId;
  const _meta = {
    [`${META}protocolVersion`]: REVISION,
    [`${META}clientInfo`]: { name: 'test', version: '1' },
    [`${META}clientCapabilities`]: capabilities,
  };
  const { json } = await studio.call('POST', '/mcp', {
    as,
    body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': method,
      ...(named === undefined ? {} : { 'mcp-name': named }),
    },
  });
  return json as Answer;
}

async function begin(studio: TestStudio): Promise<{ taskId: string; result: Readonly<Record<string, unknown>> }> {
  await post(studio, '/repositories', { path: await tempFolder() });
  const { result = {} } = await ask(studio, 'tools/call', { name: 'svcs_v1_goal_run', arguments: { goal: 'better' } });
  return { taskId: String(result.taskId), result };
}

const read = async (studio: TestStudio, taskId: string, more: Parameters<typeof ask>[3] = {}) =>
  (await ask(studio, 'tasks/get', { taskId }, more)).result;

describe('a goal that a call begins', () => {
  it('is a task for a client that takes tasks, and the same goal to everybody else', async () => {
    const studio = await startTestStudio();
    const { taskId, result } = await begin(studio);
    expect(result).toMatchObject({ resultType: 'task', status: 'working', ttlMs: null, pollIntervalMs: 2000 });
    for (const only of ['result', 'error', 'inputRequests', 'task']) expect(result).not.toHaveProperty(only);
    expect(await read(studio, taskId)).toMatchObject({
      resultType: 'complete',
      taskId,
      status: 'working',
      statusMessage: 'Agents are at work.',
      createdAt: result.createdAt,
    });
    expect(await toolData(studio, 'svcs_v1_goal_status', { goalId: taskId })).toMatchObject({ goal: 'better' });
    expect((await read(studio, taskId, { as: 'read' }))?.status).toBe('working');
  });

  it('is answered at once to a client that takes none', async () => {
    const studio = await startTestStudio();
    await post(studio, '/repositories', { path: await tempFolder() });
    const run = { name: 'svcs_v1_goal_run', arguments: { goal: 'better' } };
    const { result } = await ask(studio, 'tools/call', run, { capabilities: {} });
    expect(result).toMatchObject({ resultType: 'complete', structuredContent: { data: { status: 'running' } } });
  });

  it.each(sessionClients)(
    'is answered at once to %s, whose revision has no such tasks',
    async (_name, connect: Connect) => {
      const studio = await startTestStudio();
      await post(studio, '/repositories', { path: await tempFolder() });
      const client = await connect(studio);
      expect(await client.call('svcs_v1_goal_run', { goal: 'x' })).toMatchObject({ data: { status: 'running' } });
    },
  );

  it('asks its person, whose answer is the answer, and whose no leaves it open', async () => {
    const studio = await startTestStudio();
    const { taskId } = await begin(studio);
    const asked = { workUnitId: taskId, question: 'Which port?', options: ['80', '443'] };
    const { requestId } = await post<{ requestId: string }>(studio, '/clarifications/request', asked);
    const open = {
      status: 'input_required',
      statusMessage: 'It waits for an answer: Which port?',
      inputRequests: {
        [requestId]: {
          method: 'elicitation/create',
          params: { message: 'Which port?', requestedSchema: { properties: { response: { enum: ['80', '443'] } } } },
        },
      },
    };
    expect(await read(studio, taskId)).toMatchObject(open);
    // Who cannot be asked, or may not answer, is told that it waits.
    for (const more of [{ capabilities: TASKS }, { as: 'read' as const }]) {
      const shown = await read(studio, taskId, more);
      expect(shown).toMatchObject({ status: 'working', statusMessage: open.statusMessage });
      expect(shown).not.toHaveProperty('inputRequests');
    }
    const answer = (said: object, more: Parameters<typeof ask>[3] = {}) =>
      ask(studio, 'tasks/update', { taskId, inputResponses: said }, more);
    const accepted = { action: 'accept', content: { response: '443', note: 'as ever' } };
    for (const left of [{ [requestId]: { action: 'decline' } }, { none: accepted }])
      expect((await answer(left)).result).toMatchObject({ resultType: 'complete' });
    expect((await answer({ [requestId]: { action: 'accept' } })).error).toMatchObject({ code: -32_602 });
    expect((await ask(studio, 'tasks/update', { taskId })).error).toMatchObject({ code: -32_602 });
    expect((await answer({ [requestId]: accepted }, { as: 'read' })).error).toMatchObject({
      code: -32_602,
      data: { code: 'reject.scope_missing' },
    });
    expect(await read(studio, taskId)).toMatchObject(open);
    expect(await answer({ [requestId]: accepted })).toMatchObject({ result: { resultType: 'complete' } });
    expect(await read(studio, taskId)).toMatchObject({ status: 'working', statusMessage: 'Agents are at work.' });
    expect(await answer({ [requestId]: accepted })).toMatchObject({ result: { resultType: 'complete' } });
  });

  it('is cancelled, once and again, by who may', async () => {
    const studio = await startTestStudio();
    const { taskId } = await begin(studio);
    const cancel = (more: Parameters<typeof ask>[3] = {}) => ask(studio, 'tasks/cancel', { taskId }, more);
    expect((await cancel({ as: 'read' })).error).toMatchObject({ data: { code: 'reject.scope_missing' } });
    for (const _time of [1, 2]) {
      const { result } = await cancel();
      expect(result).toMatchObject({ resultType: 'complete' });
      expect(result).not.toHaveProperty('status');
    }
    expect(await read(studio, taskId)).toMatchObject({ status: 'cancelled', statusMessage: 'It was cancelled.' });
    expect(await toolData(studio, 'svcs_v1_goal_status', { goalId: taskId })).toMatchObject({ status: 'Abandoned' });
  });

  it('is completed with what the call would answer now', async () => {
    const studio = await startTestStudio();
    const { taskId } = await begin(studio);
    for (const status of ['Reviewing', 'Completed'])
      expect(await toolData(studio, 'svc_v1_workunit_update', { workUnitId: taskId, status })).toBeDefined();
    const task = await read(studio, taskId);
    const data = { goalId: taskId, workUnitId: taskId, status: 'done' };
    expect(task).toMatchObject({
      status: 'completed',
      result: { structuredContent: { contractVersion: 'v1', data }, content: [{}, { text: task?.statusMessage }] },
    });
    const { structuredContent, content } = task?.result as { structuredContent: object; content: { text: string }[] };
    expect(JSON.parse(content[0]?.text ?? '')).toEqual(structuredContent);
    // The end stands: cancelling comes too late.
    expect((await ask(studio, 'tasks/cancel', { taskId })).result).toMatchObject({ resultType: 'complete' });
    expect((await read(studio, taskId))?.status).toBe('completed');
  });

  it('is refused as every call is, and then is no task', async () => {
    const studio = await startTestStudio();
    const run = { name: 'svcs_v1_goal_run', arguments: { goal: 'better' } };
    expect((await ask(studio, 'tools/call', run)).result).toMatchObject({ resultType: 'complete', isError: true });
  });
});

describe('the methods of tasks', () => {
  it('need a client that says that it takes tasks', async () => {
    const studio = await startTestStudio();
    const { taskId } = await begin(studio);
    const missing = { code: -32_021, data: { requiredCapabilities: TASKS } };
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
      expect((await ask(studio, method, { taskId, inputResponses: {} }, { capabilities: {} })).error).toMatchObject(
        missing,
      );
    const listen = { notifications: { taskIds: [taskId] } };
    expect((await ask(studio, 'subscriptions/listen', listen, { capabilities: {} })).error).toMatchObject(missing);
  });

  it('know no task that no call has begun', async () => {
    const studio = await startTestStudio();
    const { goalId } = await post<{ goalId: string }>(studio, '/goals', { goal: 'set, and not run' });
    for (const taskId of ['none', goalId])
      for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
        expect((await ask(studio, method, { taskId, inputResponses: {} })).error).toMatchObject({
          code: -32_602,
          message: expect.stringContaining(taskId) as string,
        });
  });

  it('are not there for agents inside, or those that the newest revision took away', async () => {
    const studio = await startTestStudio();
    const discovered = (await ask(studio, 'server/discover', {})).result;
    expect(discovered).toMatchObject({ capabilities: TASKS });
    for (const method of ['tasks/list', 'tasks/result'])
      expect((await ask(studio, method, { taskId: 'x' })).error).toMatchObject({ code: -32_601 });
  });
});
