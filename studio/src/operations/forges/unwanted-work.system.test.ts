/** Work that is over, or has failed, at a forge: what is offered there follows from whether it may still land. */
import { describe, expect, it, vi } from 'vitest';
import { type ForgeAtWork, forgeAtWork } from '../../testing/git/forge-at-work.js';
import { goalsOf } from '../../testing/git/forge-flow.js';
import { scriptedModels } from '../../testing/models/scripted-models.js';

interface Result {
  readonly workUnitId: string;
  readonly proposalId: string;
  readonly status: string;
}

/** Waits for the result of the one goal, without looking at the forge. */
async function resultOf({ get }: ForgeAtWork): Promise<Result> {
  return vi.waitFor(
    async () => {
      const found = (await get<Result[]>('merges')).find(({ status }) => status !== 'Draft');
      expect(found).toBeDefined();
      return found!;
    },
    { timeout: 60_000, interval: 50 },
  );
}

/** A goal whose result waits for a person, and is not offered anywhere. */
async function done(at: ForgeAtWork, more: object = {}): Promise<Result> {
  await at.post('goals/run', { goal: 'Greet anew', shape: 'single', ...more });
  return resultOf(at);
}

const offer = ({ post }: ForgeAtWork, goalId: string) => post('contributions', { goalId });
const refused = (status: string, why: string) => ({
  status: 409,
  json: { code: 'reject.wrong_state', details: { status } },
  text: expect.stringContaining(why) as unknown,
});

describe('the result of work that is cancelled', () => {
  it('is offered by nobody: not on a word, and not by itself; once it is queued again it is', async () => {
    const at = await forgeAtWork('github', {}, { publishes: false });
    const { model } = at.server;
    const { workUnitId: goalId } = await done(at);
    await at.post(`goals/${goalId}/cancel`);
    expect(await offer(at, goalId)).toMatchObject(refused('Cancelled', 'queue it again'));
    const place = `/studio/repositories/${at.repositoryId}/forge`;
    const connected = { kind: 'github', api: at.server.api, hookRef: 'hook', publishes: true };
    expect(await at.studio.call('PUT', place, { body: connected })).toMatchObject({ status: 200 });
    expect(await at.look()).toMatchObject({ status: 200, json: { troubles: [] } });
    expect([model.requests, await at.get('contributions')]).toEqual([[], []]);
    expect(await at.post(`workunits/${goalId}/requeue`)).toMatchObject({ status: 200 });
    await at.until(() => model.requests.length === 1);
    expect(await offer(at, goalId)).toMatchObject({ status: 200, json: { goalId, number: 1 } });
  });

  it('of which an issue is told is pushed no more, and the issue is told that it was stopped', async () => {
    const at = await forgeAtWork('github');
    const { model } = at.server;
    const issue = model.openIssue(model.user('ada'), 'Greet anew', '', ['weft']);
    await at.look();
    const { workUnitId: goalId } = await resultOf(at);
    await at.post(`goals/${goalId}/cancel`);
    await at.until(() => issue.comments[0]?.body.includes('was stopped'));
    expect(model.requests).toEqual([]);
  });
});

it('the result of work that has failed is offered: a person may land it all the same', async () => {
  const models = scriptedModels(({ role, turn, branchId }) => {
    if (role === 'reviewer') return { text: 'I would not know.' };
    const proposed = { sourceBranch: branchId, targetBranch: 'main', summary: 'A new greeting' };
    if (turn > 0) return { calls: [['merge_propose', proposed]] };
    return { calls: [['workspace_write', { path: 'new.txt', content: 'hello\n' }]] };
  });
  const at = await forgeAtWork('github', { agents: { models } }, { publishes: false });
  await at.post('options', { maxFailureAttempts: 1 });
  const { workUnitId: goalId, proposalId } = await done(at, { reviewPolicy: 'AgentApproval' });
  await vi.waitFor(async () => expect(await at.get(`workunits/${goalId}`)).toMatchObject({ status: 'DeadLettered' }), {
    timeout: 60_000,
    interval: 50,
  });
  expect(await offer(at, goalId)).toMatchObject({ status: 200, json: { number: 1 } });
  expect(await at.post(`merges/${proposalId}/land`)).toMatchObject({ status: 200 });
});

it('the result of work that has landed is not offered any more', async () => {
  const at = await forgeAtWork('github', {}, { publishes: false });
  const { workUnitId: goalId, proposalId } = await done(at);
  expect(await at.post(`merges/${proposalId}/land`)).toMatchObject({ status: 200 });
  await vi.waitFor(async () => expect((await goalsOf(at))[0]?.status).toBe('Converged'));
  expect(await offer(at, goalId)).toMatchObject(refused('Merged', 'is over'));
  expect(await at.get('contributions')).toEqual([]);
});
