import { describe, expect, it } from 'vitest';
import { expectRefusal, makeUnit, post, read, toolData } from '../../testing/doors/calls.js';
import { studioWith } from '../../testing/git/studio-repository.js';
import { startTestStudio } from '../../testing/test-studio.js';
import { FIXED_OPTIONS } from './fixed-options.js';

describe('options', () => {
  it('are changed one by one, and what is left out stays', async () => {
    const studio = await startTestStudio();
    const first = await read<object>(studio, '/options');
    expect(first).toMatchObject({ maxConcurrentWorkers: 3, snapshots: { snapshotOnSync: true, opsPerSnapshot: null } });
    const second = await post(studio, '/options', {
      maxConcurrentWorkers: 5,
      maxFailureAttempts: 9,
      enabledDomainAgents: ['UXAgent'],
    });
    const changed = { maxConcurrentWorkers: 5, maxFailureAttempts: 9 };
    expect(second).toEqual({ ...first, ...changed, enabledDomainAgents: ['UXAgent'] });
    expect(await post(studio, '/options', { enabledDomainAgents: null, useLlmProfileSelection: false })).toEqual(
      second,
    );
    expect(await read(studio, '/options')).toEqual(second);
  });

  it('name observers that there are, also where an agent is taken on', async () => {
    const studio = await startTestStudio();
    const enabledDomainAgents = ['UXAgent', 'uxagent'];
    const { workUnitId } = await makeUnit(studio);
    for (const [path, body] of [
      ['/options', { enabledDomainAgents }],
      ['/agents/spawn', { agentType: 'reviewer', workUnitId, enabledDomainAgents }],
    ] as const) {
      const { status, json } = await studio.call('POST', `/studio${path}`, { body, as: 'admin' });
      expect([status, json]).toMatchObject([
        400,
        {
          code: 'reject.invalid_input',
          details: [
            { field: 'enabledDomainAgents', message: expect.stringContaining('uxagent; there are Sec') as string },
          ],
        },
      ]);
    }
    expect(await read(studio, '/options')).toMatchObject({ enabledDomainAgents: [] });
  });

  it('wait for an answer for ever when the time for it is none', async () => {
    const studio = await startTestStudio();
    const set = (defaultClarificationTimeoutSeconds: number | null) =>
      post(studio, '/options', { defaultClarificationTimeoutSeconds });
    expect(await set(60)).toMatchObject({ defaultClarificationTimeoutSeconds: 60 });
    for (const none of [0, -1, null])
      expect(await set(none)).toMatchObject({ defaultClarificationTimeoutSeconds: null });
  });

  it('are refused when they make no sense', async () => {
    const studio = await startTestStudio();
    for (const wrong of [
      { maxConcurrentWorkers: 0 },
      { schedulerPollIntervalMs: 99 },
      { candidateBranchId: '' },
      { maxFailureAttempts: 0 },
      { surprise: 1 },
    ])
      await expectRefusal(studio, ['POST', '/options', wrong], 400, 'invalid_input');
  });

  it.each([
    { schedulerPollIntervalMs: 1000 },
    { blockConflictingOps: true },
    { materializerConcurrency: 5 },
    { snapshotOnSync: false },
    { opsPerSnapshot: 9 },
    { allowAgentGitCommits: true },
    { allowAgentGitPush: true },
  ])('are refused where they would have no effect, with what there is instead: %j', async (wanted) => {
    const studio = await startTestStudio();
    const before = await read<Record<string, unknown>>(studio, '/options');
    const { status, json } = await studio.call('POST', '/studio/options', { as: 'admin', body: wanted });
    const [name = ''] = Object.keys(wanted);
    expect(status).toBe(422);
    expect(json).toMatchObject({
      code: 'reject.option_fixed',
      error: expect.stringContaining(FIXED_OPTIONS[name as keyof typeof FIXED_OPTIONS]) as string,
      retryable: false,
    });
    expect(await read(studio, '/options')).toEqual(before);
    // Who reads all options and sends them back as they are changes nothing.
    const { snapshots, ...others } = before;
    expect(await post(studio, '/options', { ...others, ...(snapshots as object) })).toEqual(before);
  });

  it('say what can be done here', async () => {
    const studio = await startTestStudio();
    await post(studio, '/options', { docFetchTools: true, enabledDomainAgents: ['TestAgent'] });
    const expected = { build: true, git: true, docFetch: true, enabledDomainAgents: ['TestAgent'] };
    expect(await read(studio, '/workspace/capabilities')).toMatchObject(expected);
    expect(await toolData(studio, 'svc_v1_workspace_capabilities')).toMatchObject(expected);
    expect(await read(studio, '/policies')).toEqual({ ruleIds: ['review-policy'] });
    await post(studio, '/options', { usePromotionBranch: true, maxGoalTokens: 9 });
    expect(await read(studio, '/policies')).toEqual({ ruleIds: ['review-policy', 'candidate-first', 'goal-tokens'] });
    expect(await read(studio, '/startup-config')).toMatchObject({
      restartRequired: true,
      effectiveValues: { casRootPath: studio.branches, blobStorageProvider: 'File' },
    });
  });

  it('give the candidate branch another name, by which it can be asked for', async () => {
    const { post, get, branch, approved } = await studioWith({ a: '1\n' });
    await branch('fix', { a: '2\n' });
    for (const candidateBranchId of ['main', 'merge/x', 'fix'])
      expect(await post('options', { candidateBranchId })).toMatchObject({
        status: 409,
        json: { code: 'reject.branch_exists' },
      });
    const named = { candidateBranchId: 'staging', usePromotionBranch: true };
    expect((await post('options', named)).json).toMatchObject(named);
    expect((await post('options', named)).status).toBe(200);
    const proposalId = await approved('fix', 'staging');
    expect((await get(`merges/${proposalId}`)).json).toMatchObject({ targetBranch: 'candidate' });
    expect((await post(`merges/${proposalId}/apply`)).status).toBe(200);
    expect((await get('branches/candidate/pending')).json).toMatchObject([{ proposalId }]);
    const [one, other] = [await get('branches/staging/status'), await get('branches/candidate/status')];
    expect(one.json).toEqual(other.json);
    expect(await post('branches', { name: 'staging' })).toMatchObject({ json: { code: 'reject.branch_reserved' } });
    expect((await post('branches/candidate/promote')).json).toMatchObject({ proposalIds: [proposalId] });
  });
});
