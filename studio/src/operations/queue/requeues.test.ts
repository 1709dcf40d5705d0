import { describe, expect, it } from 'vitest';
import { orchestrationDecision } from '../../record/aggregates/orchestration-decision/orchestration-decision.js';
import { conversationEntry } from '../../record/aggregates/conversation-entry/conversation-entry.js';
import { aRepository } from '../../testing/work/a-repository.js';
import { openRecord } from '../../testing/record/open-record.js';
import { type Unit, expectRefusal, makeUnit, post, queue, read, statusOf } from '../../testing/doors/calls.js';
import { startTestStudio } from '../../testing/test-studio.js';

describe('requeueing', () => {
  it('begins a cancelled tree again: parts have their turn, or wait for others, and read what was noted', async () => {
    const studio = await startTestStudio();
    const root = await makeUnit(studio);
    const first = await makeUnit(studio, { parentWorkUnitId: root.workUnitId });
    const second = await makeUnit(studio, { parentWorkUnitId: root.workUnitId, dependsOn: [first.workUnitId] });
    const task = await post<{ taskId: string }>(studio, '/tasks', textOf(first));
    await queue(studio, first, { model: 'm1' });
    await post(studio, `/workunits/${root.workUnitId}/cancel`);
    expect(await read(studio, `/tasks/${task.taskId}`)).toMatchObject({ status: 'Cancelled' });
    const requeued = await post(studio, `/workunits/${root.workUnitId}/requeue`, { notes: 'in French' });
    expect(requeued).toEqual({ requeuedWorkUnitIds: [root, first, second].map(({ workUnitId }) => workUnitId) });
    const statuses = [await statusOf(studio, root), await statusOf(studio, first), await statusOf(studio, second)];
    expect(statuses).toEqual(['Active', 'Queued', 'Created']);
    expect(await read(studio, '/scheduler/pending')).toMatchObject([{ profileId: 'worker', model: 'm1' }]);
    expect(await read(studio, `/tasks/${task.taskId}`)).toMatchObject({ status: 'Open' });
    expect(await read(studio, `/artifacts?workUnitId=${second.workUnitId}&type=Constraint`)).toMatchObject([
      { body: 'in French', ownedByWorkUnitId: root.workUnitId },
    ]);
    expect(await read(studio, '/goals')).toMatchObject({ goals: [{ status: 'Exploring' }] });
  });

  it('begins what needs work that is done, whether that has landed or found something out', async () => {
    const { call, records } = await openRecord();
    const made = async (more: object) => ((await call('workunit.create', { goal: 'all', ...more })) as Unit).workUnitId;
    const needed = await made({ expectedOutputKind: 'KnowledgeArtifact' });
    const workUnitId = await made({ dependsOn: [needed] });
    const again = async () => {
      await call('workunit.cancel', { workUnitId });
      await call('requeue.requeue', { workUnitId });
      return records.workUnits.get(workUnitId)?.status;
    };
    expect(await again()).toBe('Created');
    for (const status of ['Active', 'Completed']) await call('workunit.update', { workUnitId: needed, status });
    expect(await again()).toBe('Queued');
  });

  it('takes only what is cancelled, under a parent that goes on', async () => {
    const studio = await startTestStudio();
    const root = await makeUnit(studio);
    const part = await makeUnit(studio, { parentWorkUnitId: root.workUnitId });
    await expectRefusal(studio, ['POST', `/workunits/${root.workUnitId}/requeue`], 409, 'wrong_state');
    await post(studio, `/workunits/${root.workUnitId}/cancel`);
    await expectRefusal(studio, ['POST', `/workunits/${part.workUnitId}/requeue`], 409, 'wrong_state');
    await expectRefusal(studio, ['POST', '/workunits/none/requeue'], 404, 'workunit_not_found');
    const strange = { overrideProfileId: 'nobody', overrideApiKey: 'sk-1' };
    await expectRefusal(studio, ['POST', `/workunits/${root.workUnitId}/requeue`, strange], 404, 'profile_not_found');
    expect(await read(studio, '/credentials')).toEqual([]);
  });

  it('has an orchestrator look again, which is written down', async () => {
    const studio = await startTestStudio();
    const root = await makeUnit(studio);
    const path = `/workunits/${root.workUnitId}/reinvoke-orchestrator`;
    const reinvoked = { workUnitId: root.workUnitId, status: 'reinvoked' };
    expect(await post(studio, path, { overrideModel: 'm2' })).toEqual(reinvoked);
    expect(await post(studio, path)).toEqual(reinvoked);
    expect(await read(studio, '/scheduler/pending')).toMatchObject([{ profileId: 'orchestrator', model: 'm2' }]);
    expect(await read(studio, `/workunits/${root.workUnitId}/orchestration-events`)).toMatchObject([
      { action: 'Enqueue', orchestratorAgentId: 'goal-coordinator', reason: 'asked for by operate' },
      { action: 'NoOp' },
    ]);
    await post(studio, `/workunits/${root.workUnitId}/cancel`);
    await expectRefusal(studio, ['POST', path], 409, 'wrong_state');
    await expectRefusal(studio, ['POST', '/workunits/none/reinvoke-orchestrator'], 404, 'workunit_not_found');
  });
});

describe('logs of a work unit', () => {
  it('tell what was decided and said for it', async () => {
    const { call, change } = await openRecord();
    await aRepository({ change });
    const { workUnitId, sessionId } = (await call('external-goal.run', { goal: 'x' })) as Record<string, string>;
    const decided = {
      eventId: 'od-1',
      workUnitId: workUnitId!,
      orchestratorAgentId: 'a',
      inputStage: 'Plan',
      spawnedIds: ['b'],
      action: 'SpawnPlanner' as const,
    };
    await change((open) => open.run(orchestrationDecision, 'od-1', 'record', decided));
    expect(await call('workunit-log.orchestrationEvents', { workUnitId })).toMatchObject([{ ...decided, sessionId }]);
    const cycle = {
      logId: 'log-1',
      workUnitId: workUnitId!,
      agentId: 'a',
      agentRole: 'worker',
      cycleNumber: 1,
      toolCalls: [{ toolUseId: 't', name: 'task_list', inputJson: '{}' }],
      toolResults: [{ toolUseId: 't', result: '[]', truncated: false }],
      inputTokens: 10,
      outputTokens: 5,
    };
    await change((open) => open.run(conversationEntry, 'log-1', 'record', cycle));
    expect(await call('workunit-log.conversationLog', { workUnitId })).toMatchObject([cycle]);
    expect(await call('goal.guardrail', { workUnitId })).toMatchObject({ totalTokens: 15, tokensExceeded: false });
  });

  it('are read over HTTP, and refused where there is no unit', async () => {
    const studio = await startTestStudio();
    const { workUnitId } = await makeUnit(studio);
    expect(await read(studio, `/workunits/${workUnitId}/conversation-log`)).toEqual([]);
    expect(await read(studio, `/workunits/${workUnitId}/materialization`)).toEqual({
      workUnitId,
      baseSnapshotId: null,
      producedSnapshotId: null,
      goalId: workUnitId,
      goalBaseSnapshotId: null,
      goalFinalSnapshotId: null,
    });
    for (const log of ['conversation-log', 'orchestration-events', 'materialization', 'intents'])
      await expectRefusal(studio, ['GET', `/workunits/none/${log}`], 404, 'workunit_not_found');
  });
});

function textOf({ workUnitId }: Unit) {
  return { workUnitId, title: 'do', description: 'it' };
}
