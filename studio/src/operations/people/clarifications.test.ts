import { createHost } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expectRefusal, makeUnit, post, queue, read, statusOf, tool, toolData } from '../../testing/doors/calls.js';
import { openRecord } from '../../testing/record/open-record.js';
import { startTestStudio } from '../../testing/test-studio.js';

interface Asked {
  readonly workUnitId: string;
  readonly requestId: string;
}

async function begun() {
  const studio = await startTestStudio();
  const unit = await makeUnit(studio);
  await queue(studio, unit);
  const { workUnitId } = unit;
  const ask = (more: object = {}) =>
    post<Asked>(studio, '/clarifications/request', { workUnitId, question: 'which?', ...more });
  return { studio, unit, workUnitId, ask, path: `/clarifications/${workUnitId}/respond` };
}

describe('clarifications', () => {
  it('take the work out of the queue until they are answered, without a session', async () => {
    const { studio, unit, workUnitId, ask, path } = await begun();
    const asked = await ask({ options: ['a', 'b'], context: 'two ways' });
    expect(asked).toMatchObject({ workUnitId, parkedAwaitingResponse: true, status: 'awaiting_clarification' });
    expect(await statusOf(studio, unit)).toBe('Waiting');
    expect(await read(studio, '/clarifications')).toMatchObject([
      { requestId: asked.requestId, goal: 'build it', status: 'awaiting_response', options: ['a', 'b'] },
    ]);
    const parked = { workUnitId, parkedReason: 'Clarification', awaitingResume: true };
    expect(await read(studio, '/clarifications/awaiting')).toMatchObject([parked]);
    expect(await post(studio, path, { response: 'a', note: 'simpler' })).toEqual({
      requestId: asked.requestId,
      workUnitId,
      resumed: true,
      status: 'resumed',
    });
    expect(await statusOf(studio, unit)).toBe('Queued');
    expect(await read(studio, '/clarifications')).toEqual([]);
  });

  it('fault 33: are answered once, also by two at once, and not after their unit was cancelled', async () => {
    const { studio, ask, path, workUnitId } = await begun();
    const { requestId } = await ask();
    const both = await Promise.all(
      ['a', 'b'].map((response) => studio.call('POST', `/studio${path}`, { body: { requestId, response } })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    await expectRefusal(studio, ['POST', path, { requestId, response: 'c' }], 409, 'clarification_closed');
    await expectRefusal(studio, ['POST', path, { response: 'c' }], 404, 'clarification_not_found');
    const late = await ask();
    await post(studio, `/workunits/${workUnitId}/cancel`);
    const tooLate = ['POST', path, { requestId: late.requestId, response: 'c' }] as const;
    await expectRefusal(studio, tooLate, 409, 'clarification_closed');
    expect(await read(studio, '/clarifications/metrics')).toMatchObject({
      requests: 2,
      answered: 1,
      abandoned: 1,
      perGoal: [{ workUnitId, requests: 2 }],
    });
  });

  it('fault 33: are answered once after the host has ended and begun again, and what was over stays so', async () => {
    const host = createHost({ store: memoryStore() });
    onTestFinished(() => host.close());
    const first = await startTestStudio(host);
    const asked: Asked[] = [];
    for (const _ of ['open', 'answered', 'cancelled']) {
      const unit = await makeUnit(first);
      await queue(first, unit);
      asked.push(await post(first, '/clarifications/request', { workUnitId: unit.workUnitId, question: 'which?' }));
    }
    const [open, answered, cancelled] = asked as [Asked, Asked, Asked];
    const respond = (studio: typeof first, { workUnitId, requestId }: Asked, response: string) =>
      studio.call('POST', `/studio/clarifications/${workUnitId}/respond`, { body: { requestId, response } });
    expect((await respond(first, answered, 'before')).status).toBe(200);
    await post(first, `/workunits/${cancelled.workUnitId}/cancel`);
    await first.close();
    const second = await startTestStudio(host);
    expect(await statusOf(second, open)).toBe('Waiting');
    const both = await Promise.all(['a', 'b'].map((response) => respond(second, open, response)));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const winner = both.findIndex(({ status }) => status === 200);
    for (const one of asked) expect((await respond(second, one, 'late')).status).toBe(409);
    expect(await statusOf(second, open)).toBe('Queued');
    expect(await statusOf(second, cancelled)).toBe('Cancelled');
    const inside = await openRecord(host);
    expect(asked.map(({ requestId }) => inside.records.clarifications.get(requestId)?.response)).toEqual([
      ['a', 'b'][winner],
      'before',
      undefined,
    ]);
    inside.close();
  });

  it('hold the work until the last of them is answered', async () => {
    const { studio, unit, ask, path } = await begun();
    const first = await ask();
    await ask();
    expect(await post(studio, path, { response: 'newest' })).toMatchObject({ status: 'response_recorded' });
    expect(await statusOf(studio, unit)).toBe('Waiting');
    expect(await post(studio, path, { response: 'oldest' })).toMatchObject({
      requestId: first.requestId,
      status: 'resumed',
    });
  });

  it('can be answered without letting the work go on', async () => {
    const { studio, unit, ask, path } = await begun();
    await ask();
    expect(await post(studio, path, { response: 'a', resume: false })).toMatchObject({ resumed: false });
    expect(await read(studio, '/scheduler/awaiting-resume')).toMatchObject([{ parkedReason: 'Resume' }]);
    await post(studio, '/scheduler/resume-all');
    expect(await statusOf(studio, unit)).toBe('Queued');
  });

  it('hold nothing back when the work can go on without an answer, or a person lets it', async () => {
    const { studio, unit, ask } = await begun();
    expect(await ask({ blocking: false })).toMatchObject({ parkedAwaitingResponse: false, status: 'recorded' });
    expect(await statusOf(studio, unit)).toBe('Queued');
    await ask();
    await post(studio, `/scheduler/${unit.workUnitId}/resume`);
    expect(await statusOf(studio, unit)).toBe('Queued');
    const open = await read<{ status: string }[]>(studio, '/clarifications');
    expect(open.map(({ status }) => status)).toEqual(['open', 'open']);
  });

  it('asked by a tool are answered by an outside tool', async () => {
    const { studio, workUnitId } = await begun();
    const { requestId } = await toolData<Asked>(studio, 'svc_v1_clarification_request', { workUnitId, question: 'x?' });
    const given = { clarificationId: requestId, response: 'y' };
    expect(await toolData(studio, 'svcs_v1_clarification_respond', given)).toEqual({
      clarificationId: requestId,
      workUnitId,
      resumed: true,
      status: 'resumed',
    });
    expect(await tool(studio, 'svcs_v1_clarification_respond', given)).toMatchObject({
      code: 'reject.clarification_closed',
    });
  });

  it('are refused where something that they name is not there', async () => {
    const { studio, path, unit, ask } = await begun();
    const { requestId } = await ask();
    const other = await makeUnit(studio);
    const none = { workUnitId: 'none', question: 'x' };
    await expectRefusal(studio, ['POST', '/clarifications/request', none], 404, 'workunit_not_found');
    await expectRefusal(studio, ['POST', '/clarifications/request', {}], 400, 'invalid_input');
    const answer = { response: 'x' };
    await expectRefusal(studio, ['POST', '/clarifications/none/respond', answer], 404, 'workunit_not_found');
    const wrong = { ...answer, requestId: 'none' };
    await expectRefusal(studio, ['POST', path, wrong], 404, 'clarification_not_found');
    const foreign = ['POST', `/clarifications/${other.workUnitId}/respond`, { ...answer, requestId }] as const;
    await expectRefusal(studio, foreign, 404, 'clarification_not_found');
    await post(studio, `/workunits/${unit.workUnitId}/cancel`);
    const over = { workUnitId: unit.workUnitId, question: 'x' };
    await expectRefusal(studio, ['POST', '/clarifications/request', over], 409, 'wrong_state');
  });
});
