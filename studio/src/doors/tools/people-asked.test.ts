import { describe, expect, it, vi } from 'vitest';
import { makeUnit, post, read } from '../../testing/doors/calls.js';
import { type SessionClient, everyClient, sessionClients } from '../../testing/doors/session-clients.js';
import { type TestStudio, startTestStudio, testTokens } from '../../testing/test-studio.js';
import { tempFolder } from '../../testing/temp-folder.js';

const STATUS = 'svcs_v1_goal_status';

interface Open {
  readonly data: { readonly pendingClarifications: readonly { clarificationId: string }[] };
}

async function goalThatAsks(studio: TestStudio, question: object = {}) {
  const { workUnitId } = await makeUnit(studio);
  const ask = async (more: object = {}) =>
    (
      await post<{ requestId: string }>(studio, '/clarifications/request', {
        workUnitId,
        question: 'Which port?',
        ...question,
        ...more,
      })
    ).requestId;
  return { goalId: workUnitId, requestId: await ask(), ask };
}

async function openIn(client: SessionClient, goalId: string): Promise<string[]> {
  const { data } = (await client.call(STATUS, { goalId })) as unknown as Open;
  return data.pendingClarifications.map(({ clarificationId }) => clarificationId);
}

/** The answers that are recorded. */
async function answersOf(studio: TestStudio): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (let number = 1; number < 100; number++) {
    const { status, json } = await studio.call('GET', `/studio/events/ev-${number}`);
    if (status === 404) break;
    const { kind, payloadJson, by } = json as { kind: string; payloadJson: string; by: string };
    if (kind === 'ClarificationResponded') answers.push({ by, ...(JSON.parse(payloadJson) as object) });
  }
  return answers;
}

describe.each(everyClient)('a person at %s', (_name, connect) => {
  it('is asked what a goal waits for, and the answer is the answer', async () => {
    const studio = await startTestStudio();
    const { goalId, requestId } = await goalThatAsks(studio, {
      context: 'Of the server.',
      options: ['80', '443', '80'],
    });
    const forms: unknown[] = [];
    const client = await connect(studio, {
      says: ({ requestedSchema }) => {
        forms.push(requestedSchema);
        return { action: 'accept', content: { response: '443', note: 'as ever' } };
      },
    });
    expect(await openIn(client, goalId)).toEqual([]);
    expect(client.asked).toEqual(['Which port?\n\nOf the server.']);
    expect(forms).toMatchObject([
      { type: 'object', properties: { response: { type: 'string', enum: ['80', '443'] } }, required: ['response'] },
    ]);
    expect(await answersOf(studio)).toMatchObject([{ by: 'operate', requestId, response: '443', note: 'as ever' }]);
  });

  it.each(['decline', 'cancel'] as const)('leaves it open by %s, and is not asked again', async (action) => {
    const studio = await startTestStudio();
    const { goalId, requestId, ask } = await goalThatAsks(studio);
    const client = await connect(studio, { says: () => ({ action, content: { response: '80' } }) });
    expect(await openIn(client, goalId)).toEqual([requestId]);
    expect(await openIn(client, goalId)).toEqual([requestId]);
    expect(client.asked).toEqual(['Which port?']);
    const second = await ask({ question: 'Which name?' });
    expect(await openIn(client, goalId)).toEqual([requestId, second]);
    expect(client.asked).toEqual(['Which port?', 'Which name?']);
    await client.call('svcs_v1_clarification_respond', { clarificationId: requestId, response: '80' });
    expect(await openIn(client, goalId)).toEqual([second]);
  });

  it('is not asked where the client cannot ask, or the token may not answer', async () => {
    const studio = await startTestStudio();
    const { goalId, requestId } = await goalThatAsks(studio);
    expect(await openIn(await connect(studio), goalId)).toEqual([requestId]);
    const reader = await connect(studio, {
      token: testTokens.read,
      says: () => ({ action: 'accept', content: { response: '80' } }),
    });
    expect(await openIn(reader, goalId)).toEqual([requestId]);
    expect(reader.asked).toEqual([]);
  });

  it('is told when the answer comes too late', async () => {
    const studio = await startTestStudio();
    const { goalId, requestId } = await goalThatAsks(studio);
    const client = await connect(studio, {
      says: async () => {
        await studio.call('POST', `/studio/clarifications/${goalId}/respond`, { body: { requestId, response: '1' } });
        return { action: 'accept', content: { response: '2' } };
      },
    });
    await client.wantLevel('warning');
    await client.call(STATUS, { goalId });
    expect(await openIn(client, goalId)).toEqual([]);
    expect(await answersOf(studio)).toMatchObject([{ requestId, response: '1' }]);
    expect(client.told).toMatchObject([{ level: 'warning', data: { question: requestId } }]);
  });

  it('is told when a call was made before', async () => {
    const studio = await startTestStudio();
    await studio.call('POST', '/studio/repositories', { body: { path: await tempFolder() } });
    const client = await connect(studio);
    await client.wantLevel('info');
    const run = () => client.call('svcs_v1_goal_run', { goal: 'fly' }, 'run-1');
    const first = await run();
    expect(client.told).toEqual([]);
    expect(await run()).toEqual(first);
    await vi.waitFor(() => expect(client.told).toMatchObject([{ level: 'info', data: { tool: 'svcs_v1_goal_run' } }]));
  });

  it('is told of refusals of its own calls as far as it wants to hear of them', async () => {
    const studio = await startTestStudio();
    const client = await connect(studio);
    const other = await connect(studio);
    await client.wantLevel('warning');
    await other.wantLevel('warning');
    await client.call(STATUS, { goalId: 'none' });
    await vi.waitFor(() => expect(client.told).toHaveLength(1));
    expect(client.told).toMatchObject([
      { level: 'warning', data: { tool: STATUS, code: 'reject.goal_not_found', retryable: false } },
    ]);
    expect(other.told).toEqual([]);
    await client.wantLevel('error');
    await client.call(STATUS, { goalId: 'none' });
    expect(client.told).toHaveLength(1);
  });
});

it.each(sessionClients)(
  'a person at %s is asked again when the form was not seen to its end',
  async (_name, connect) => {
    const studio = await startTestStudio();
    const { goalId, requestId } = await goalThatAsks(studio);
    let times = 0;
    const client = await connect(studio, {
      says: () => {
        if (times++ === 0) throw new Error('the window was closed');
        return { action: 'accept', content: { response: '80' } };
      },
    });
    expect(await openIn(client, goalId)).toEqual([requestId]);
    expect(await openIn(client, goalId)).toEqual([]);
    expect(client.asked).toHaveLength(2);
  },
);

it('nobody is asked by an agent', async () => {
  const studio = await startTestStudio();
  const { goalId } = await goalThatAsks(studio);
  for (const [, connect] of everyClient) {
    const { secret } = studio.mintAgentToken('agent-1');
    const client = await connect(studio, {
      token: secret,
      says: () => ({ action: 'accept', content: { response: '80' } }),
    });
    expect(await client.call(STATUS, { goalId })).toMatchObject({ status: 'error' });
    expect(client.asked).toEqual([]);
  }
  expect(await read<unknown[]>(studio, '/clarifications')).toHaveLength(1);
});
