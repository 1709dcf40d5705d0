import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ProviderError } from '../models/provider.js';
import { agentsAtWork } from '../testing/work/agents-at-work.js';
import { gitRepository } from '../testing/git/git-repository.js';
import { scriptedModels } from '../testing/models/scripted-models.js';
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
        : {
            calls: [
              [
                'merge_propose',
                {
                  sourceBranch: branchId,
                  targetBranch: 'main',
                  summary: 'nothing',
                  noFileChangesJustification: 'all is well',
                },
              ],
            ],
          };
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

it('a reviewer whose first question was lost with its host is shown what it reviews', async () => {
  const [user, folder] = [join(await tempFolder(), 'user'), await tempFolder()];
  await gitRepository(user, { 'a.txt': '1\n' });
  const shown: string[] = [];
  const options = {
    folder,
    models: scriptedModels(({ role, branchId, said }, signal) => {
      if (role !== 'reviewer')
        return {
          calls: [
            [
              'merge_propose',
              {
                sourceBranch: branchId,
                targetBranch: 'main',
                summary: 'nothing',
                noFileChangesJustification: 'all is well',
              },
            ],
          ],
        };
      shown.push(said);
      if (shown.length > 1) return { calls: [['merge_review', { decision: 'Approved', verificationResults: 'read' }]] };
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(new ProviderError('stopped', 'stopped'))),
      );
    }),
  };
  const first = await agentsAtWork(options);
  await first.call('repository.register', { path: user });
  const wanted = { goal: 'g', owner: 'ann', workspaceReviewPolicy: 'AgentApproval' };
  const { workUnitId } = (await first.call('workunit.create', wanted)) as { workUnitId: string };
  await first.call('scheduler.enqueue', { workUnitId, profileId: 'worker' });
  while (shown.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await first.stop();
  const again = await agentsAtWork({ ...options, host: first.host });
  await again.until(({ workUnits }) => workUnits.get(workUnitId)?.status === 'Merged');
  expect(shown.map((said) => said.includes('To be reviewed:\nProposal MP-'))).toEqual([true, true]);
});
