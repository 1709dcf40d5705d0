/** Roles of repositories: a profile may say something else to agents that work on one of them, which it shows. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentProfile } from '../record/aggregates/agent-profile/state.js';
import { agentsAtWork } from '../testing/work/agents-at-work.js';
import { gitRepository } from '../testing/git/git-repository.js';
import { scriptedModels } from '../testing/models/scripted-models.js';
import { tempFolder } from '../testing/temp-folder.js';

const THERE = 'You work on the shop. Every price is in cents.';

async function open() {
  const told = new Map<string, string>();
  const models = scriptedModels(({ goal, request }) => {
    told.set(goal, request.system);
    return { calls: [['artifact_record', { type: 'Research', title: 'Found', body: 'it' }]] };
  });
  const atWork = await agentsAtWork({ folder: await tempFolder(), models });
  const { call } = atWork;
  const register = async (name: string): Promise<string> => {
    const path = join(await tempFolder(), name);
    await gitRepository(path, { 'a.txt': `${name}\n` });
    return ((await call('repository.register', { path })) as { repositoryId: string }).repositoryId;
  };
  const role = (profileId: string, roles: object) =>
    call('agent-profile.update', { profileId, roles }) as Promise<AgentProfile>;
  const work = async (goal: string, repositoryId?: string): Promise<string | undefined> => {
    const wanted = { goal, repositoryId, expectedOutputKind: 'KnowledgeArtifact' };
    const { workUnitId } = (await call('workunit.create', wanted)) as { workUnitId: string };
    await call('scheduler.enqueue', { workUnitId, profileId: 'worker' });
    await atWork.until(({ workUnits }) => workUnits.get(workUnitId)?.status === 'Completed');
    return told.get(goal);
  };
  return { ...atWork, register, role, work };
}

describe('a role of a repository', () => {
  it('is what agents are told who work on that one, and nobody else', async () => {
    const { register, role, work, call } = await open();
    const shop = await register('shop');
    await role('worker', [{ repositoryId: shop, systemPrompt: THERE }]);
    // It is the only one there is.
    expect(await work('nowhere said')).toMatch(/^You work on the shop\. Every price is in cents\.\n\n/);
    const other = await register('other');
    expect(await work('here', shop)).toContain(THERE);
    const elsewhere = await work('elsewhere', other);
    expect(elsewhere).not.toContain(THERE);
    expect(elsewhere).toMatch(/^You carry out one piece of work/);
    expect(await call('agent-profile.get', { profileId: 'worker' })).toMatchObject({
      roles: [{ repositoryId: shop, systemPrompt: THERE }],
    });
    await role('worker', []);
    expect(await work('again', shop)).toBe(elsewhere);
  });

  it('is of a repository that is there, which has one; whatever way it is said', async () => {
    const { register, call } = await open();
    const repositoryId = await register('shop');
    const profile = { name: 'Own', stage: 'Execute', systemPrompt: 'Do it.', allowedTools: [], maxIterations: 3 };
    const ways: readonly ((roles: object) => Promise<unknown>)[] = [
      (roles) => call('agent-profile.create', { agentProfileId: 'one', ...profile, roles }),
      (roles) => call('agent-profile.write', { profileId: 'two', ...profile, roles }),
      (roles) => call('agent-profile.update', { profileId: 'reviewer', roles }),
    ];
    const roles = [{ repositoryId, systemPrompt: THERE }];
    for (const say of ways) {
      const nowhere = [{ repositoryId: 'repo-none', systemPrompt: THERE }];
      await expect(say(nowhere)).rejects.toMatchObject({ reason: 'reject.repository_not_found' });
      await expect(say([...roles, ...roles])).rejects.toMatchObject({ reason: 'reject.invalid_input' });
      expect(await say(roles)).toMatchObject({ roles });
    }
    for (const profileId of ['one', 'two', 'reviewer'])
      expect(await call('agent-profile.get', { profileId })).toMatchObject({ roles });
    expect(await call('agent-profile.get', { profileId: 'planner' })).not.toHaveProperty('roles');
  });
});
