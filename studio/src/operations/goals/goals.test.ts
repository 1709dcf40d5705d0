import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aRepository } from '../../testing/work/a-repository.js';
import { openRecord } from '../../testing/record/open-record.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { expectRefusal, makeUnit, post, queue, read, statusOf, tool, toolData } from '../../testing/doors/calls.js';
import { startTestStudio } from '../../testing/test-studio.js';
import { toDeadLetter } from '../../rules/queue/dead-letters.js';
import { leaseNext } from '../../rules/queue/queue.js';

interface Goal {
  readonly goalId: string;
  readonly workUnitId: string;
}

describe('goals', () => {
  it('are set with a unit of their own, or for one that is there', async () => {
    const studio = await startTestStudio();
    const goal = await post<Goal>(studio, '/goals', { goal: 'better' });
    expect(goal).toMatchObject({ goal: 'better', status: 'Exploring', goalId: goal.workUnitId });
    const again = await toolData<Goal>(studio, 'svc_v1_goal_create', { goal: 'x', workUnitId: goal.workUnitId });
    expect(again).toEqual(goal);
    const part = await makeUnit(studio, { parentWorkUnitId: goal.workUnitId });
    const own = await post<Goal>(studio, '/goals', { goal: 'faster', workUnitId: part.workUnitId });
    const { goals } = await read<{ goals: object[] }>(studio, '/goals');
    expect(goals).toMatchObject([
      { goalId: goal.goalId, parentGoalId: null, pauseReason: null, hasParkedWork: false, defaultProfileId: 'worker' },
      { goalId: own.goalId, goal: 'faster', parentGoalId: goal.goalId, orchestratorStalled: false },
    ]);
    expect(await toolData(studio, 'svc_v1_goal_list')).toEqual({ goals, source: 'goal-store+work-units' });
    await expectRefusal(studio, ['POST', '/goals', { goal: 'x', workUnitId: 'none' }], 404, 'workunit_not_found');
    await expectRefusal(studio, ['POST', '/goals', { goal: 'x', repositoryId: 'no' }], 404, 'repository_not_found');
    await expectRefusal(studio, ['POST', '/goals', { goal: 'x', repositoryPath: '/no' }], 404, 'repository_not_found');
  });

  it('can be given a new repository', async () => {
    const studio = await startTestStudio();
    const newRepositoryPath = join(await tempFolder(), 'fresh');
    const goal = await post<Goal>(studio, '/goals', { goal: 'x', newRepositoryPath, newRepositoryLabel: 'Fresh' });
    const [repository] = await read<{ repositoryId: string }[]>(studio, '/repositories');
    expect(repository).toMatchObject({ path: newRepositoryPath, label: 'Fresh' });
    expect(await read(studio, `/workunits/${goal.workUnitId}`)).toMatchObject({
      repositoryId: repository!.repositoryId,
    });
  });

  it('stop all of their work when they are paused, and go on exactly with what that stopped', async () => {
    const studio = await startTestStudio();
    const root = await makeUnit(studio);
    const [part, asking, idle] = [
      await makeUnit(studio, { parentWorkUnitId: root.workUnitId }),
      await makeUnit(studio, { parentWorkUnitId: root.workUnitId }),
      await makeUnit(studio, { parentWorkUnitId: root.workUnitId }),
    ];
    await queue(studio, part);
    await queue(studio, asking);
    await post(studio, '/clarifications/request', { workUnitId: asking.workUnitId, question: 'which?' });
    const path = `/goals/${root.workUnitId}`;
    expect(await post(studio, `${path}/pause`, { reason: 'lunch' })).toMatchObject({
      goalId: root.workUnitId,
      status: 'Paused',
      pauseReason: 'lunch',
    });
    expect(await post(studio, `${path}/pause`, { reason: 'dinner' })).toMatchObject({ pauseReason: 'lunch' });
    const { goals } = await read<{ goals: object[] }>(studio, '/goals');
    expect(goals[0]).toMatchObject({
      hasParkedWork: true,
      parkedReason: 'Paused',
      parkedWorkUnitIds: [part, asking].map(idOf),
    });
    await post(studio, `/clarifications/${asking.workUnitId}/respond`, { response: 'this' });
    expect(await statusOf(studio, asking)).toBe('Waiting');
    expect(await post(studio, `${path}/resume`, { steering: 'in French' })).not.toHaveProperty('pauseReason');
    const statuses = [await statusOf(studio, part), await statusOf(studio, asking), await statusOf(studio, idle)];
    expect(statuses).toEqual(['Queued', 'Queued', 'Created']);
    expect(await read(studio, `/artifacts?workUnitId=${part.workUnitId}&type=Constraint`)).toMatchObject([
      { body: 'in French' },
    ]);
    await expectRefusal(studio, ['POST', `${path}/resume`], 409, 'wrong_state');
    await post(studio, `/workunits/${root.workUnitId}/cancel`);
    await expectRefusal(studio, ['POST', `${path}/pause`], 409, 'wrong_state');
    for (const step of ['pause', 'resume'])
      await expectRefusal(studio, ['POST', `/goals/none/${step}`], 404, 'goal_not_found');
  });

  it('hold nothing back any more when they have come to their end', async () => {
    const { call, records } = await openRecord();
    const { goalId } = (await call('goal.create', { goal: 'all' })) as Goal;
    const { workUnitId } = (await call('workunit.create', { goal: 'part', parentWorkUnitId: goalId })) as Goal;
    await call('scheduler.enqueue', { workUnitId, profileId: 'worker' });
    await call('workunit.update', { workUnitId: goalId, status: 'Active' });
    await call('goal.pause', { goalId });
    expect(records.scheduledItems.get(workUnitId)?.parkedFor).toBe('Paused');
    await call('workunit.update', { workUnitId: goalId, status: 'Completed' });
    expect(records.goals.get(goalId)?.status).toBe('Converged');
    expect(records.workUnits.get(workUnitId)?.status).toBe('Queued');
  });

  it('are resumed with another profile', async () => {
    const studio = await startTestStudio();
    const { goalId } = await post<Goal>(studio, '/goals', { goal: 'x' });
    await post(studio, `/goals/${goalId}/pause`);
    await expectRefusal(studio, ['POST', `/goals/${goalId}/resume`, { profileId: 'no' }], 404, 'profile_not_found');
    await post(studio, `/goals/${goalId}/resume`, { profileId: 'planner' });
    expect(await read(studio, '/scheduler/pending')).toMatchObject([{ workUnitId: goalId, profileId: 'planner' }]);
  });

  it('tell what they have cost, as long as they go on', async () => {
    const studio = await startTestStudio();
    const { goalId: workUnitId } = await post<Goal>(studio, '/goals', { goal: 'x' });
    const status = { workUnitId, totalTokens: 0, tokensExceeded: false, durationExceeded: false };
    expect(await read(studio, '/goals/guardrail-status')).toMatchObject([status]);
    expect(await read(studio, `/goals/${workUnitId}/guardrail-status`)).toMatchObject(status);
    const { goalId: next } = await post<Goal>(studio, '/goals', { goal: 'y' });
    expect(await read(studio, '/goals/guardrail-status?newest=1')).toMatchObject([{ workUnitId: next }]);
    expect(await read(studio, '/goals/guardrail-status?newest=2')).toMatchObject([status, { workUnitId: next }]);
    await expectRefusal(studio, ['GET', '/goals/guardrail-status?newest=0'], 400, 'invalid_input');
    await post(studio, `/workunits/${workUnitId}/cancel`);
    await post(studio, `/workunits/${next}/cancel`);
    expect(await read(studio, '/goals/guardrail-status')).toEqual([]);
    await expectRefusal(studio, ['GET', '/goals/none/guardrail-status'], 404, 'goal_not_found');
  });
});

describe('outside tools', () => {
  it('run a goal, see how it stands, pause and resume it, cancel and requeue it', async () => {
    const studio = await startTestStudio();
    await post(studio, '/repositories', { path: await tempFolder() });
    const run = await toolData<Goal & { sessionId: string }>(studio, 'svcs_v1_goal_run', {
      goal: 'better',
      reviewPolicy: 'AgentApproval',
    });
    const { goalId, workUnitId, sessionId } = run;
    expect(run).toMatchObject({ status: 'running', goalId: workUnitId });
    expect(await read(studio, `/workunits/${workUnitId}`)).toMatchObject({
      owner: 'mcp-external',
      taskReviewPolicy: 'AgentApproval',
      workspaceReviewPolicy: 'AgentApproval',
    });
    expect(await read(studio, `/sessions/${sessionId}`)).toMatchObject({ profileIdSet: ['orchestrator', 'worker'] });
    expect(await read(studio, '/scheduler/pending')).toMatchObject([{ profileId: 'orchestrator', sessionId }]);
    const status = () => toolData(studio, 'svcs_v1_goal_status', { goalId });
    expect(await status()).toMatchObject({
      goalId,
      status: 'Exploring',
      pauseReason: null,
      sessionId,
      sessionStatus: 'Active',
      pendingClarifications: [],
      deadLetter: null,
    });
    expect(await toolData(studio, 'svcs_v1_goal_pause', { goalId, reason: 'wait' })).toMatchObject({
      status: 'Paused',
    });
    expect(await toolData(studio, 'svcs_v1_goal_list')).toMatchObject({ goals: [{ goalId, pauseReason: 'wait' }] });
    expect(await toolData(studio, 'svcs_v1_goal_resume', { goalId })).toMatchObject({ status: 'Exploring' });
    const clarification = { workUnitId, question: 'which?' };
    const { requestId } = await post<{ requestId: string }>(studio, '/clarifications/request', clarification);
    expect(await status()).toMatchObject({
      status: 'Blocked',
      pendingClarifications: [{ clarificationId: requestId, context: null, timeoutAt: null }],
    });
    expect(await toolData(studio, 'svcs_v1_workspace_status')).toEqual({
      goals: { total: 1, byStatus: { Blocked: 1 } },
      activeAgentCount: 0,
      pendingClarificationCount: 1,
      goalsNeedingInput: [{ goalId, goal: 'better', clarificationCount: 1 }],
    });
    expect(await toolData(studio, 'svcs_v1_goal_cancel', { goalId })).toEqual({
      goalId,
      workUnitId,
      cancelledWorkUnits: 1,
      status: 'cancelled',
    });
    expect(await toolData(studio, 'svcs_v1_goal_requeue', { goalId, notes: 'again' })).toEqual({
      goalId,
      workUnitId,
      requeuedWorkUnits: 1,
      status: 'requeued',
    });
    for (const name of ['goal_status', 'goal_cancel', 'goal_requeue', 'goal_pause', 'goal_resume'])
      expect(await tool(studio, `svcs_v1_${name}`, { goalId: 'no' }), name).toMatchObject({
        code: 'reject.goal_not_found',
      });
  });

  it('see what waits for cancelled work, and have that planned anew', async () => {
    const { call, records } = await openRecord();
    const { workUnitId: goalId } = (await call('workunit.create', { goal: 'all' })) as Goal;
    await call('workunit.update', { workUnitId: goalId, status: 'Active' });
    const part = async (goal: string, dependsOn: string[] = []) =>
      ((await call('workunit.create', { goal, parentWorkUnitId: goalId, dependsOn })) as Goal).workUnitId;
    const first = await part('first');
    const second = await part('second', [first]);
    const heldUp = async () =>
      ((await call('external-goal.status', { goalId })) as { heldUp: { waitsFor: string[] }[] }).heldUp;
    const recover = (action: string) => call('external-goal.recover', { goalId, action });
    const isStalled = async () =>
      ((await call('goal.list', {})) as { goals: { orchestratorStalled: boolean }[] }).goals[0]?.orchestratorStalled;
    expect([await heldUp(), await isStalled()]).toEqual([[], false]);
    await expect(recover('replan')).rejects.toMatchObject({ reason: 'reject.dead_letter_not_found' });
    await call('workunit.cancel', { workUnitId: first });
    const waits = { workUnitId: second, goal: 'second', recoverableActions: ['replan', 'cancel'] };
    expect([await heldUp(), await isStalled()]).toEqual([[{ ...waits, waitsFor: [first] }], true]);
    await expect(recover('retry')).rejects.toMatchObject({ reason: 'reject.recovery_not_applicable' });
    const { newWorkUnitIds } = (await recover('replan')) as { newWorkUnitIds: string[] };
    const [anew = ''] = newWorkUnitIds;
    expect(newWorkUnitIds).toHaveLength(1);
    expect(records.workUnits.get(anew)).toMatchObject({ goal: 'first', replacesWorkUnitId: first, status: 'Queued' });
    expect(records.workUnits.get(second)?.dependsOn).toEqual([anew]);
    expect(records.workUnits.get(first)?.status).toBe('Cancelled');
    expect(await heldUp()).toEqual([]);
    // What was divided and has nothing left is held up too; what was planned anew before is not planned anew again.
    await call('workunit.cancel', { workUnitId: anew });
    await call('workunit.cancel', { workUnitId: second });
    expect(await heldUp()).toMatchObject([{ workUnitId: goalId, waitsFor: [second, anew] }]);
    // What was cancelled meanwhile needs what has taken a place as well.
    const third = await part('third', [anew]);
    await call('workunit.cancel', { workUnitId: third });
    const fourth = await part('fourth', [anew]);
    const again = ((await recover('replan')) as { newWorkUnitIds: string[] }).newWorkUnitIds;
    await call('requeue.requeue', { workUnitId: third });
    expect([third, fourth].map((id) => records.workUnits.get(id)?.dependsOn)).toEqual([again, again]);
    await call('external-goal.cancel', { goalId });
    expect(await heldUp()).toEqual([]);
  });

  it('recover the newest failure wherever in the goal it is', async () => {
    const { call, change, records } = await openRecord();
    await aRepository({ change });
    const { goalId } = (await call('external-goal.run', { goal: 'all' })) as Goal;
    const { workUnitId } = (await call('workunit.create', { goal: 'part', parentWorkUnitId: goalId })) as Goal;
    const take = () => change((open) => leaseNext(open, records, { agentId: 'a', most: 9, hasKey: () => true }));
    await take();
    await call('workunit.update', { workUnitId: goalId, status: 'Active' });
    const fails = async (kind: 'Exception' | 'MaxIterationsExceeded') => {
      await call('scheduler.enqueue', { workUnitId, profileId: 'worker' });
      await take();
      return change((open) => toDeadLetter(open, records, { workUnitId, kind, reason: 'no luck' }));
    };
    const recover = (action: string, more: object = {}) => call('external-goal.recover', { goalId, action, ...more });
    await expect(recover('retry')).rejects.toMatchObject({ reason: 'reject.dead_letter_not_found' });
    const { entryId } = await fails('Exception');
    expect(await call('external-goal.status', { goalId })).toMatchObject({
      deadLetter: { entryId, workUnitId, recoverableActions: ['retry', 'retry_with_context', 'replan'] },
    });
    expect(await call('goal.list', {})).toMatchObject({ goals: [{ orchestratorStalled: true }] });
    await expect(recover('continue')).rejects.toMatchObject({ reason: 'reject.recovery_not_applicable' });
    await expect(recover('retry_with_context')).rejects.toMatchObject({ reason: 'reject.invalid_input' });
    expect(await recover('retry')).toEqual({ goalId, action: 'retry', outcome: 'Retried' });
    await fails('MaxIterationsExceeded');
    expect(await recover('continue')).toMatchObject({ outcome: 'Continued' });
    await fails('MaxIterationsExceeded');
    await expect(recover('retry')).rejects.toMatchObject({ reason: 'reject.attempts_exhausted' });
    expect(await call('external-goal.status', { goalId })).toMatchObject({
      deadLetter: { maxAttemptsReached: true, recoverableActions: ['retry_with_context', 'continue', 'replan'] },
    });
    expect(await recover('retry_with_context', { steeringContext: 'so' })).toMatchObject({ outcome: 'Retried' });
    await fails('Exception');
    const { newWorkUnitIds } = (await recover('replan')) as { newWorkUnitIds: string[] };
    expect(records.workUnits.get(newWorkUnitIds[0]!)).toMatchObject({ parentWorkUnitId: goalId, status: 'Queued' });
  });
});

function idOf({ workUnitId }: { readonly workUnitId: string }): string {
  return workUnitId;
}
