/** Depth of review: what is small and tested needs no agent's look where the whole is looked at, and what is dangerous needs two. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentsAtWork } from '../testing/work/agents-at-work.js';
import { gitRepository } from '../testing/git/git-repository.js';
import { npmProject } from '../testing/git/npm-project.js';
import { type Asked, scriptedModels } from '../testing/models/scripted-models.js';
import { tempFolder } from '../testing/temp-folder.js';

const agents = { taskReviewPolicy: 'AgentApproval', workspaceReviewPolicy: 'AgentApproval' };
const TESTED = {
  'package.json': npmProject({ test: 'node --test' }),
  'a.test.js': "require('node:test')('holds', () => {});\n",
  'a.txt': '1\n',
};

interface Work {
  readonly files: Readonly<Record<string, string>>;
  readonly slices?: readonly object[];
  readonly decision?: (asked: Asked, look: number) => 'Approved' | 'Rejected';
}

/** A goal that agents do, with what its reviewers were told. */
async function done({ files, slices, decision = () => 'Approved' }: Work, policy: object, option: object = {}) {
  const user = join(await tempFolder(), 'user');
  await gitRepository(user, TESTED);
  const looks: Asked[] = [];
  const models = scriptedModels(async (asked) => {
    const { role, branchId, goal, said } = asked;
    if (role === 'planner') return { calls: [['artifact_record_plan', { planContent: JSON.stringify({ slices }) }]] };
    if (role === 'reviewer') {
      const proposalId = /Proposal (MP-\S+):/.exec(said)?.[1];
      const verdict = { proposalId, decision: decision(asked, looks.push(asked)), verificationResults: 'read it' };
      return { calls: [['merge_review', verdict]] };
    }
    const written = Object.entries(files).map(([path, content]) => ({ path, content }));
    await atWork.call('branch.resyncFiles', { branchId, files: written, deletedPaths: [] });
    return { calls: [['merge_propose', { sourceBranch: branchId, targetBranch: 'main', summary: goal }]] };
  });
  const atWork = await agentsAtWork({ folder: await tempFolder(), models });
  const { call, records } = atWork;
  await call('repository.register', { path: user });
  await call('option.change', option);
  const wanted = { goal: 'g', owner: 'ann', ...policy };
  const { workUnitId } = (await call('workunit.create', wanted)) as { workUnitId: string };
  const profileId = slices ? 'orchestrator' : 'worker';
  await call('scheduler.enqueue', { workUnitId, profileId });
  const reasons = (id: string): string[] =>
    records.orchestrationDecisions.where('workUnit', id).flatMap(({ reason }) => reason ?? []);
  const statusOf = (id: string) => records.workUnits.get(id)?.status;
  return { ...atWork, workUnitId, looks, reasons, statusOf };
}

const edited = (n: number): string => Array.from({ length: n }, (_, i) => `${i}\n`).join('');

describe('a part', () => {
  const slices = [{ sliceId: 'a', goal: 'do a', fileScope: ['a.txt', 'package.json'] }];
  const tested = { requireTestBeforeProposal: true };

  it('that is small and whose tests have passed is let through by them, and the whole is looked at', async () => {
    const { until, statusOf, workUnitId, looks, reasons, records } = await done(
      { files: { 'a.txt': '2\n' }, slices },
      agents,
      tested,
    );
    await until(() => statusOf(workUnitId) === 'Merged');
    const [part] = records.workUnits.where('parent', workUnitId);
    const [offered] = records.proposals.where('workUnit', part!.workUnitId);
    expect(looks.map((look) => look.workUnitId)).toEqual([workUnitId]);
    const why = expect.stringMatching(
      /^no agent looks at it alone: it changes 2 lines in 1 file, its tests have passed \(/,
    );
    expect(reasons(part!.workUnitId)).toContainEqual(why);
    expect(offered).toMatchObject({
      linesChanged: 2,
      autoApplied: true,
      reviewedBy: 'goal-coordinator',
      verificationResults: why,
    });
  });

  it.each([
    ['tests that nobody has run', { 'a.txt': '2\n' }, {}, 'no test that the host has run'],
    ['many lines', { 'a.txt': edited(300) }, tested, 'it changes 299 lines in 1 file'],
    [
      'something dangerous',
      { 'package.json': npmProject({ test: 'node --test', x: 'true' }) },
      tested,
      'it changes dependencies (package.json)',
    ],
  ])('with %s is looked at by an agent, which is told why', async (_what, files, option, because) => {
    const { until, statusOf, workUnitId, looks, reasons, records } = await done(
      { files, slices },
      { taskReviewPolicy: 'AgentApproval' },
      option,
    );
    await until(({ proposals }) => proposals.where('workUnit', workUnitId).length > 0);
    const [part] = records.workUnits.where('parent', workUnitId);
    expect(statusOf(part!.workUnitId)).toBe('Merged');
    expect(looks.map((look) => look.workUnitId)).toEqual([part!.workUnitId]);
    expect(reasons(part!.workUnitId)).toContainEqual(expect.stringContaining(because));
    expect(looks[0]!.said.includes('Look hardest at this:')).toBe(because.includes('dependencies'));
  });
});

describe('what reaches the user', () => {
  const dangerous = { 'package.json': npmProject({ test: 'node --test', x: 'true' }) };

  it('is looked at by one agent where nothing is dangerous, and the record says so', async () => {
    const { until, statusOf, workUnitId, looks, reasons } = await done({ files: { 'a.txt': '2\n' } }, agents);
    await until(() => statusOf(workUnitId) === 'Merged');
    expect(looks).toHaveLength(1);
    expect(reasons(workUnitId)).toContain('one agent looks at it: it is no larger than one look takes in');
  });

  it('is looked at by two agents where something is, and lands when both approve', async () => {
    const { until, statusOf, workUnitId, looks, reasons, records } = await done({ files: dangerous }, agents);
    await until(() => statusOf(workUnitId) === 'Merged');
    const reviewers = records.agents.where('workUnit', workUnitId).filter(({ profileId }) => profileId === 'reviewer');
    expect([looks.length, reviewers.length]).toEqual([2, 2]);
    // The second has not heard what the first said.
    for (const { said } of looks)
      expect(said).toContain('Look hardest at this:\n- it changes dependencies (package.json)');
    expect(reasons(workUnitId).filter((reason) => reason.startsWith('two agents look at it'))).toHaveLength(2);
    expect(records.proposals.where('workUnit', workUnitId)).toMatchObject([{ approvals: 2 }]);
  });

  it('is done again when the second of them rejects it', async () => {
    const { until, statusOf, workUnitId, looks, records } = await done(
      { files: dangerous, decision: (_asked, look) => (look === 2 ? 'Rejected' : 'Approved') },
      agents,
    );
    await until(() => statusOf(workUnitId) === 'Merged');
    expect(records.proposals.where('workUnit', workUnitId).map(({ status }) => status)).toEqual(['Rejected', 'Merged']);
    expect(looks).toHaveLength(4);
  });

  it('waits for a person alone where a person decides', async () => {
    const { until, workUnitId, looks, statusOf, records } = await done(
      { files: dangerous },
      { workspaceReviewPolicy: 'HumanRequired' },
    );
    await until(
      () =>
        statusOf(workUnitId) === 'Proposed' &&
        records.proposals.where('workUnit', workUnitId).at(-1)?.status === 'ReadyForReview',
    );
    expect(looks).toEqual([]);
  });
});
