import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workUnit } from '../record/aggregates/work-unit/work-unit.js';
import type { ChooseModel } from '../models/chosen-model.js';
import { type AgentsAtWork, agentsAtWork } from '../testing/work/agents-at-work.js';
import { gitRepository } from '../testing/git/git-repository.js';
import { type Script, scriptedModels } from '../testing/models/scripted-models.js';
import { tempFolder } from '../testing/temp-folder.js';

/** A worker writes its goal into the file, with its own name, and proposes it; a reviewer approves. */
const does =
  (name: string): Script =>
  ({ role, branchId, goal, turn, said }) => {
    if (role === 'reviewer') {
      const proposalId = /Proposal (MP-\S+):/.exec(said)?.[1];
      return { calls: [['merge_review', { proposalId, decision: 'Approved', verificationResults: 'read it' }]] };
    }
    if (turn > 0)
      return { calls: [['merge_propose', { sourceBranch: branchId, targetBranch: 'main', summary: goal }]] };
    return {
      calls: [
        ['workspace_read', { path: 'a.txt' }],
        ['workspace_write', { path: 'a.txt', content: `${name}: ${goal}\n` }],
      ],
    };
  };

/** Each profile has a model of its own. */
const models: ChooseModel = (choice, asker) =>
  scriptedModels(does(asker.profileId), { model: `model of ${asker.profileId}` })(choice, asker);

async function open() {
  const user = join(await tempFolder(), 'user');
  await gitRepository(user, { 'a.txt': '1\n' });
  const atWork = await agentsAtWork({ models, folder: await tempFolder() });
  await atWork.call('repository.register', { path: user });
  for (const agentProfileId of ['quick', 'careful']) {
    const profile = { agentProfileId, name: agentProfileId, stage: 'Execute', systemPrompt: 'Do it.' };
    await atWork.call('agent-profile.create', { ...profile, allowedTools: [], maxIterations: 5 });
  }
  return { atWork, file: () => readFile(join(user, 'a.txt'), 'utf8') };
}

interface Unit {
  readonly workUnitId: string;
}

interface Started {
  readonly parentWorkUnitId: string;
  readonly forkWorkUnitIds: readonly [string, string];
}

const newest = ({ records }: AgentsAtWork, workUnitId: string) =>
  records.proposals.where('workUnit', workUnitId).at(-1);

const agents = { taskReviewPolicy: 'AgentApproval', workspaceReviewPolicy: 'HumanRequired' };

async function compared(atWork: AgentsAtWork, forkType: string, forks: readonly object[]): Promise<Started> {
  const asked = { goal: 'be quick', owner: 'ann', forkType, forks, ...agents };
  const started = (await atWork.call('experiment.create', asked)) as Started;
  const isOffered = (id: string) => newest(atWork, id)?.status === 'ReadyForReview';
  await atWork.until(() => started.forkWorkUnitIds.every(isOffered));
  await atWork.settled();
  // Nobody reviews, and nothing lands, what is to be compared.
  expect(started.forkWorkUnitIds.every(isOffered)).toBe(true);
  return started;
}

describe('an experiment', () => {
  it.each([
    ['Model', [{ profileId: 'quick' }, { profileId: 'careful' }]],
    ['Architecture', [{ constraintText: 'in layers' }, { constraintText: 'in one piece' }]],
    ['Library', [{ constraintText: 'with zod' }, { constraintText: 'by hand' }]],
    ['Product', [{ constraintText: 'for experts' }, { constraintText: 'for beginners' }]],
  ])('%s: agents try each way at once, nothing lands until one has won, and that one does', async (forkType, forks) => {
    const { atWork, file } = await open();
    const { parentWorkUnitId, forkWorkUnitIds } = await compared(atWork, forkType, forks);
    const { records, call } = atWork;
    // What all of them write is one file, and none waits for another.
    expect(records.fileLeases.contentions).toEqual([]);
    expect(records.workUnits.get(parentWorkUnitId)?.status).toBe('Active');
    const [winnerId, loserId] = forkWorkUnitIds;
    await call('experiment.converge', { parentWorkUnitId, winnerId, rationale: 'clearer' });
    await atWork.until(() => newest(atWork, parentWorkUnitId)?.status === 'ReadyForReview');
    expect([newest(atWork, winnerId)?.status, newest(atWork, loserId)?.status]).toEqual(['Merged', 'Rejected']);
    expect(records.workUnits.get(loserId)?.status).toBe('Cancelled');
    expect(await file()).toBe('1\n');
    const { proposalId = '' } = newest(atWork, parentWorkUnitId) ?? {};
    await call('merge.review', { proposalId, decision: 'Approved' });
    await call('merge.apply', { proposalId });
    await atWork.until(({ goals }) => goals.get(parentWorkUnitId)?.status === 'Converged');
    expect(await file()).toContain(`be quick [${Object.values(forks[0]!)[0] as string}]`);
  });

  it('of models shows what each of them has done otherwise', async () => {
    const { atWork } = await open();
    const forks = [{ profileId: 'quick' }, { profileId: 'careful' }];
    const { forkWorkUnitIds, parentWorkUnitId } = await compared(atWork, 'Model', forks);
    const [proposalIdA, proposalIdB] = forkWorkUnitIds.map((id) => newest(atWork, id)?.proposalId);
    expect(await atWork.call('model.compare', { proposalIdA, proposalIdB })).toMatchObject({
      modelA: 'model of quick',
      modelB: 'model of careful',
      divergedFiles: [{ path: 'a.txt', overlappingLines: expect.arrayContaining([1]) as number[] }],
    });
    const [workUnitId] = forkWorkUnitIds;
    expect(await atWork.call('model.replay', { workUnitId, compareModel: 'model of careful' })).toMatchObject({
      model: 'model of quick',
      proposals: [{ provider: 'scripted' }, { model: 'model of careful' }],
    });
    expect(atWork.records.workUnits.get(parentWorkUnitId)?.status).toBe('Active');
  });

  it('whose winner has not ended goes on with it alone', async () => {
    const { atWork } = await open();
    const forks = [{ constraintText: 'a' }, { constraintText: 'b' }];
    const asked = { goal: 'find out', owner: 'ann', forkType: 'Product', forks, ...agents };
    const { parentWorkUnitId, forkWorkUnitIds } = (await atWork.call('experiment.create', asked)) as Started;
    const [winnerId, loserId] = forkWorkUnitIds;
    await atWork.call('experiment.converge', { parentWorkUnitId, winnerId });
    expect(atWork.records.workUnits.get(loserId)?.status).toBe('Cancelled');
    await atWork.until(() => newest(atWork, winnerId)?.status === 'Merged');
  });
});

describe('a counterfactual', () => {
  it('is worked on with another model after all has landed, and lands only when a person says so', async () => {
    const { atWork, file } = await open();
    const { call, records } = atWork;
    const all = { taskReviewPolicy: 'AgentApproval', workspaceReviewPolicy: 'AgentApproval' };
    const made = (await call('workunit.create', { goal: 'be quick', owner: 'ann', ...all })) as { workUnitId: string };
    await call('scheduler.enqueue', { workUnitId: made.workUnitId, profileId: 'quick' });
    await atWork.until(() => records.workUnits.get(made.workUnitId)?.status === 'Merged');
    const { proposalId = '' } = newest(atWork, made.workUnitId) ?? {};
    const asked = { proposalId, newProfileId: 'careful' };
    const { workUnitId } = (await call('counterfactual.create', asked)) as { workUnitId: string };
    await atWork.until(() => newest(atWork, workUnitId)?.status === 'ReadyForReview');
    await atWork.settled();
    const other = newest(atWork, workUnitId);
    expect(other).toMatchObject({ baseCommit: newest(atWork, made.workUnitId)?.baseCommit, status: 'ReadyForReview' });
    expect(await file()).toBe('quick: be quick\n');
    expect(
      await call('projection.get', { projectionType: 'CounterfactualComparison', workUnitId: made.workUnitId }),
    ).toMatchObject({
      data: {
        original: { model: 'model of quick' },
        counterfactuals: [{ model: 'model of careful', workUnitId }],
        whichWasBetter: made.workUnitId,
      },
    });
  });

  it('of a part holds up nothing', async () => {
    const { atWork } = await open();
    const { call, records } = atWork;
    const root = (await call('workunit.create', { goal: 'all', owner: 'ann' })) as { workUnitId: string };
    const part = { goal: 'a part', owner: 'ann', parentWorkUnitId: root.workUnitId };
    const { workUnitId } = (await call('workunit.create', part)) as { workUnitId: string };
    await atWork.change((change) => change.run(workUnit, root.workUnitId, 'move', { to: 'Active' }));
    await atWork.until(() => newest(atWork, workUnitId)?.status === 'ReadyForReview');
    const { proposalId = '' } = newest(atWork, workUnitId) ?? {};
    const other = (await call('counterfactual.create', { proposalId, newProfileId: 'careful' })) as typeof root;
    await atWork.until(() => newest(atWork, other.workUnitId)?.status === 'ReadyForReview');
    await call('merge.review', { proposalId, decision: 'Approved' });
    await atWork.until(() => newest(atWork, root.workUnitId)?.status === 'ReadyForReview');
    expect(records.proposals.where('landed', `merge/${root.workUnitId}`)).toMatchObject([{ proposalId }]);
    expect(records.workUnits.get(other.workUnitId)).toMatchObject({ parentWorkUnitId: root.workUnitId });
  });

  it('that has not begun ends with the work that it was made under', async () => {
    const { atWork } = await open();
    const { call, change, records } = atWork;
    const { workUnitId } = (await call('workunit.create', { goal: 'be quick', owner: 'ann' })) as Unit;
    const wanted = { goal: 'be quicker', forkType: 'Code', parentWorkUnitId: workUnitId };
    const fork = (await call('hypothesis.fork', wanted)) as Unit;
    await atWork.settled();
    expect(records.workUnits.get(fork.workUnitId)?.status).toBe('Created');
    await change((open) => open.run(workUnit, workUnitId, 'move', { to: 'Completed' }));
    await atWork.settled();
    expect(records.workUnits.get(fork.workUnitId)?.status).toBe('Cancelled');
    expect(records.orchestrationDecisions.where('workUnit', fork.workUnitId)).toMatchObject([
      { reason: 'the work that it is a part of is Completed' },
    ]);
    expect(await call('hypothesis.list', { parentWorkUnitId: workUnitId })).toMatchObject({
      hypotheses: [{ workUnitId: fork.workUnitId, status: 'Rejected' }],
    });
  });
});
