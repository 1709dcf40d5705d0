import { describe, expect, it } from 'vitest';
import { callTool } from '../../testing/doors/call-tool.js';
import { makeUnit, post } from '../../testing/doors/calls.js';
import { studioWith } from '../../testing/git/studio-repository.js';
import { type TestStudio, startTestStudio } from '../../testing/test-studio.js';

const refused = (status: number, code: string) => ({ status, json: { code } });

async function unit(studio: TestStudio, body: object = {}): Promise<{ workUnitId: string; branchId: string }> {
  const { json } = await studio.call('POST', '/studio/workunits', { body: { goal: 'build it', ...body } });
  return json as { workUnitId: string; branchId: string };
}

describe('what is recorded of proposals', () => {
  it('is refused where there is no such proposal', async () => {
    const studio = await startTestStudio();
    const { workUnitId } = await unit(studio);
    const proposalId = 'MP-none';
    const asked = [
      ['POST', '/studio/decisions', { proposalId, outcome: 'Accepted' }],
      ['POST', '/studio/counterfactuals', { proposalId, newProfileId: 'p' }],
      ['POST', '/studio/hypotheses/fork', { goal: 'g', forkType: 'Code', branchedFromProposalId: proposalId }],
      ['GET', '/studio/models/compare?proposalIdA=MP-none&proposalIdB=MP-x', undefined],
    ] as const;
    for (const [method, path, body] of asked)
      expect(await studio.call(method, path, { body })).toMatchObject(refused(404, 'reject.proposal_not_found'));
    expect((await studio.call('GET', '/studio/decisions')).json).toEqual({ decisions: [], source: 'proposals' });
    const replay = await studio.call('GET', `/studio/models/replay/${workUnitId}?compareModel=m`);
    expect(replay.json).toEqual({ workUnitId, goal: 'build it', proposals: [], replayMode: 'ModelComparison' });
  });
});

it('are listed from the newest back, as many as are wanted', async () => {
  const it = await studioWith();
  for (const [path, outcome] of [
    ['a', 'Accepted'],
    ['b', 'Rejected'],
  ] as const) {
    await it.branch(path, { [path]: 'x' });
    const proposalId = await it.propose(path);
    expect((await it.post('decisions', { proposalId, outcome })).status).toBe(200);
  }
  const outcomes = async (query: string) =>
    ((await it.get(`decisions${query}`)).json as { decisions: { outcome: string }[] }).decisions.map(
      (one) => one.outcome,
    );
  expect(await outcomes('')).toEqual(['Accepted', 'Rejected']);
  expect(await outcomes('?newest=1')).toEqual(['Rejected']);
  expect(await outcomes('?newest=5')).toEqual(['Accepted', 'Rejected']);
  expect((await it.get('decisions?newest=0')).json).toMatchObject({ code: 'reject.invalid_input' });
});

it('sends work back whose result is superseded by a word alone: nobody would look at it again', async () => {
  const it = await studioWith({ a: '1\n' });
  const { workUnitId, branchId } = await makeUnit(it.studio);
  const files = [{ path: 'a', content: '2\n' }];
  await post(it.studio, `/branches/${encodeURIComponent(branchId)}/resync-files`, { files });
  const offered = { sourceBranch: branchId, targetBranch: 'main', summary: 's', workUnitId };
  const { proposalId } = await post<{ proposalId: string }>(it.studio, '/merges', offered);
  const said = { proposalId, outcome: 'Superseded', rationale: 'the other one is better' };
  expect(await it.post('decisions', said)).toMatchObject({ status: 200, json: { outcome: 'Superseded' } });
  expect((await it.get(`merges/${proposalId}`)).json).toMatchObject({ status: 'Superseded' });
  expect((await it.get(`workunits/${workUnitId}`)).json).toMatchObject({
    status: 'Queued',
    executionInfo: { humanReviewRejectionCount: 1 },
  });
  const notes = JSON.stringify((await it.get('artifacts?type=RevisionContext')).json);
  expect(notes).toContain('the other one is better');
});

describe('evidence', () => {
  it('is attached when something ran', async () => {
    const studio = await startTestStudio();
    const { workUnitId, branchId } = await unit(studio);
    const attached = await studio.call('POST', `/studio/evidence/attach?workUnitId=${workUnitId}`);
    expect(attached.json).toEqual({ evidence: [], message: `nothing was built or tested on ${branchId} yet` });
    expect((await studio.call('GET', `/studio/evidence?workUnitId=${workUnitId}`)).json).toEqual({ evidence: [] });
    expect((await studio.call('GET', '/studio/evidence')).json).toEqual({ evidence: [] });
    for (const [method, path] of [
      ['POST', '/studio/evidence/attach?workUnitId=none'],
      ['GET', '/studio/evidence?workUnitId=none'],
    ] as const)
      expect(await studio.call(method, path)).toMatchObject(refused(404, 'reject.workunit_not_found'));
  });
});

describe('hypotheses', () => {
  it('are work units with a reason', async () => {
    const studio = await startTestStudio();
    const given = { goal: 'try it', forkType: 'Research', rationale: 'a hunch' };
    const made = await studio.call('POST', '/studio/hypotheses/fork', { body: given });
    expect(made.json).toMatchObject({
      ...given,
      status: 'Active',
      hypothesisId: expect.stringMatching(/^wu-/) as string,
    });
    expect((await studio.call('GET', '/studio/hypotheses')).json).toEqual({ hypotheses: [made.json] });
    expect(await callTool(studio, 'svc_v1_hypothesis_list')).toMatchObject({ data: { hypotheses: [made.json] } });
  });
});

describe('trajectories', () => {
  it('are stored phase by phase', async () => {
    const studio = await startTestStudio();
    const { workUnitId, branchId } = await unit(studio);
    const enter = async (body: object) =>
      (await studio.call('POST', '/studio/trajectory', { body: { workUnitId, ...body } })).json;
    const first = await enter({ phase: 'GoalDefined' });
    expect(first).toMatchObject({
      trajectoryId: workUnitId,
      workUnitId,
      branchId,
      goal: 'build it',
      phase: 'GoalDefined',
    });
    expect(await enter({ phase: 'GoalDefined' })).toEqual(first);
    const second = await enter({ phase: 'Executing', agentId: 'a-1', model: 'm' });
    expect(second).toMatchObject({
      phase: 'Executing',
      agentId: 'a-1',
      phases: [{ phase: 'GoalDefined' }, { phase: 'Executing', model: 'm' }],
      startedAt: (first as { startedAt: string }).startedAt,
    });
  });

  it('are replayed in order, by branch, and beside what else was tried', async () => {
    const studio = await startTestStudio();
    const root = await unit(studio);
    const [one, two] = [
      await unit(studio, { parentWorkUnitId: root.workUnitId }),
      await unit(studio, { parentWorkUnitId: root.workUnitId }),
    ];
    const replay = async (query: string) => (await studio.call('GET', `/studio/trajectory/replay?${query}`)).json;
    expect(await replay(`workUnitId=${one.workUnitId}`)).toMatchObject({
      mode: 'Linear',
      nodes: [{ kind: 'WorkUnitCreated', entityId: one.workUnitId, by: 'operate', payload: { goal: 'build it' } }],
    });
    const all = (await replay('mode=LINEAR')) as { nodes: { eventId: string; causedByEventId?: string }[] };
    expect(all.nodes.map(({ eventId }) => eventId)).toEqual(['ev-1', 'ev-2', 'ev-3', 'ev-4']);
    expect(all.nodes[1]).toMatchObject({ kind: 'GoalCreated', causedByEventId: 'ev-1' });
    expect(await replay(`branchId=${two.branchId}`)).toMatchObject({ nodes: [{ entityId: two.workUnitId }] });
    expect(await replay('sessionId=s-none')).toEqual({ mode: 'Linear', nodes: [] });
    expect(await replay('mode=branchexplorer')).toMatchObject({
      mode: 'BranchExplorer',
      branches: [root, one, two].map(({ branchId }) => ({ branchId, workUnitCount: 1, goals: ['build it'] })),
    });
    expect(await replay(`mode=counterfactual&workUnitId=${one.workUnitId}`)).toMatchObject({
      mode: 'Counterfactual',
      targetWorkUnitId: one.workUnitId,
      targetGoal: 'build it',
      alternatives: [{ workUnitId: two.workUnitId, relationship: 'sibling', status: 'Created' }],
    });
    for (const query of ['mode=counterfactual', 'mode=sideways'])
      expect(await studio.call('GET', `/studio/trajectory/replay?${query}`)).toMatchObject(
        refused(400, 'reject.invalid_input'),
      );
  });
});

describe('reasoning', () => {
  it('is recorded step by step', async () => {
    const studio = await startTestStudio();
    const { workUnitId } = await unit(studio);
    const given = { workUnitId, agentId: 'a-1', inputStage: 'Execute', action: 'SpawnWorker', reasoning: 'ready' };
    const first = await studio.call('POST', '/studio/reasoning', { body: given });
    expect(first.json).toMatchObject({ ...given, commitId: expect.stringMatching(/^commit-/) as string });
    expect(await callTool(studio, 'svc_v1_reasoning_record', given)).toMatchObject({ data: given });
    const none = await studio.call('POST', '/studio/reasoning', { body: { ...given, workUnitId: 'none' } });
    expect(none).toMatchObject(refused(404, 'reject.workunit_not_found'));
  });
});
