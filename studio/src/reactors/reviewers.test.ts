import { join } from 'node:path';
import { expect, it } from 'vitest';
import { agentsAtWork } from '../testing/agents-at-work.js';
import { gitRepository } from '../testing/git-repository.js';
import { scriptedModels } from '../testing/scripted-models.js';
import { tempFolder } from '../testing/temp-folder.js';

it('what an agent has proposed is reviewed by the profile that was named for it', async () => {
  const user = join(await tempFolder(), 'user');
  await gitRepository(user, { 'a.txt': '1\n' });
  const atWork = await agentsAtWork({
    folder: await tempFolder(),
    models: scriptedModels(({ role, branchId, said }) => {
      const proposalId = /Proposal (MP-\S+):/.exec(said)?.[1];
      return role === 'reviewer'
        ? { calls: [['merge_review', { proposalId, decision: 'Approved', verificationResults: 'read it' }]] }
        : { calls: [['merge_propose', { sourceBranch: branchId, targetBranch: 'main', summary: 'nothing' }]] };
    }),
  });
  const { call, records } = atWork;
  await call('repository.register', { path: user });
  const strict = {
    agentProfileId: 'strict',
    name: 'Strict',
    stage: 'Review',
    systemPrompt: 'Check the proposal twice.',
  };
  await call('agent-profile.create', { ...strict, allowedTools: ['merge_review'], maxIterations: 3 });
  const wanted = { goal: 'g', owner: 'ann', workspaceReviewPolicy: 'AgentApproval' };
  const { workUnitId } = (await call('workunit.create', wanted)) as { workUnitId: string };
  await call('agent.spawn', { agentType: 'worker', workUnitId, autoReviewProfileId: 'strict' });
  await atWork.until(({ workUnits }) => workUnits.get(workUnitId)?.status === 'Merged');
  expect(records.agents.where('workUnit', workUnitId).map(({ profileId }) => profileId)).toEqual(['worker', 'strict']);
});
