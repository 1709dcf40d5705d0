/** What reaches a branch of the user's repository, tried by every way there is, with the policy that a person decides. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Unit, makeUnit, post, read } from '../../testing/doors/calls.js';
import { git } from '../../testing/git/git-repository.js';
import { type StudioRepository, studioWith } from '../../testing/git/studio-repository.js';

const refused = (status: number, code: string) => ({ status, json: { code: `reject.${code}` } });

interface Offered {
  readonly proposalId: string;
}

/** Calls as an agent that works on a unit, and as one that reviews. */
async function agents({ studio }: StudioRepository, { workUnitId }: Unit) {
  const agent = async (): Promise<{ readonly token: string; readonly agentId: string }> => {
    const { agentId } = await post<{ agentId: string }>(studio, '/agents/spawn', {
      agentType: 'worker',
      workUnitId,
      profileId: 'worker',
    });
    return { agentId, token: studio.mintAgentToken(agentId).secret };
  };
  const [worker, reviewer] = [await agent(), await agent()];
  const as =
    ({ token }: { readonly token: string }) =>
    (path: string, body: object = {}) =>
      studio.call('POST', `/studio/${path}`, { body, token });
  return { worker: as(worker), review: as(reviewer) };
}

const YES = { decision: 'Approved', verificationResults: 'looked at' };

async function write({ studio }: StudioRepository, { branchId }: Unit, files: Readonly<Record<string, string>>) {
  const entries = Object.entries(files).map(([path, content]) => ({ path, content }));
  await post(studio, `/branches/${encodeURIComponent(branchId)}/resync-files`, { files: entries });
}

function offer({ studio }: StudioRepository, { workUnitId, branchId }: Unit): Promise<Offered> {
  const body = { sourceBranch: branchId, targetBranch: 'main', summary: 's', workUnitId };
  return post<Offered>(studio, '/merges', body);
}

describe('where a person decides', () => {
  it('what brings a conflict with a person together waits for a person, whatever the work allowed agents', async () => {
    const begun = await studioWith({ a: '1\n' });
    const { studio, folder } = begun;
    const unit = await makeUnit(studio, { workspaceReviewPolicy: 'AgentApproval' });
    const { worker, review } = await agents(begun, unit);
    await write(begun, unit, { a: 'of the agent\n' });
    const { proposalId } = await offer(begun, unit);
    await writeFile(join(folder, 'a'), 'of the person\n');
    await git(folder, 'commit', '--quiet', '--all', '--message=mine');
    const mine = await git(folder, 'rev-parse', 'main');
    expect(await review(`merges/${proposalId}/review`, YES)).toMatchObject({ status: 200 });
    const conflict = await worker(`merges/${proposalId}/apply`);
    expect(conflict).toMatchObject(refused(409, 'merge_conflict'));
    const { conflictId } = (conflict.json as { details: { conflictId: string } }).details;
    const made = await post<Unit>(studio, `/workunits/${unit.workUnitId}/task-conflicts/${conflictId}/reconcile`);
    expect(made).toMatchObject({ workspaceReviewPolicy: 'HumanRequired' });
    await write(begun, made, { a: 'of the agent, over the person\n' });
    const both = await offer(begun, made);
    expect(await review(`merges/${both.proposalId}/review`, YES)).toMatchObject({ status: 200 });
    expect(await worker(`merges/${both.proposalId}/apply`)).toMatchObject(refused(409, 'review_required'));
    expect(await git(folder, 'rev-parse', 'main')).toBe(mine);
    // It lands when a person has said so.
    await post(studio, `/merges/${both.proposalId}/review`, { decision: 'Approved' });
    await post(studio, `/merges/${both.proposalId}/apply`);
    expect(await git(folder, 'show', 'main:a')).toBe('of the agent, over the person');
  });

  it('the stricter side of a conflict between two works holds', async () => {
    const begun = await studioWith({ a: '1\n' });
    const { studio } = begun;
    const strict = await makeUnit(studio, { workspaceReviewPolicy: 'HumanRequired' });
    const lax = await makeUnit(studio, { workspaceReviewPolicy: 'AgentApproval' });
    const { review, worker } = await agents(begun, lax);
    await write(begun, strict, { a: 'strict\n' });
    await write(begun, lax, { a: 'lax\n' });
    const [first, second] = [await offer(begun, strict), await offer(begun, lax)];
    await post(studio, `/merges/${first.proposalId}/review`, { decision: 'Approved' });
    await post(studio, `/merges/${first.proposalId}/apply`);
    await review(`merges/${second.proposalId}/review`, YES);
    const { json } = await worker(`merges/${second.proposalId}/apply`);
    const { conflictId } = (json as { details: { conflictId: string } }).details;
    const path = `/workunits/${lax.workUnitId}/task-conflicts/${conflictId}/reconcile`;
    expect(await post<Unit>(studio, path)).toMatchObject({ workspaceReviewPolicy: 'HumanRequired' });
  });

  it('the strictest of the parts that were brought together holds, though each has joined them on the word of an agent', async () => {
    const begun = await studioWith({ a: '1\n' });
    const { studio, commit, folder } = begun;
    const agentsDecide = { taskReviewPolicy: 'AgentApproval', workspaceReviewPolicy: 'AgentApproval' };
    const whole = await makeUnit(studio, { ...agentsDecide, bypassPromotionBranch: true });
    const { worker, review } = await agents(begun, whole);
    const strict = { ...agentsDecide, workspaceReviewPolicy: 'HumanRequired', parentWorkUnitId: whole.workUnitId };
    const part = await makeUnit(studio, strict);
    await write(begun, part, { a: '2\n' });
    const { proposalId: ofPart } = await offer(begun, part);
    expect(await review(`merges/${ofPart}/review`, YES)).toMatchObject({ status: 200 });
    const brought = await post<{ outcome: string; proposalId: string }>(
      studio,
      `/workunits/${whole.workUnitId}/reconcile`,
    );
    expect(brought).toMatchObject({ outcome: 'Proposed' });
    // Asked again, it is proposed once.
    expect(await post(studio, `/workunits/${whole.workUnitId}/reconcile`)).toMatchObject({
      outcome: 'AlreadyProposed',
      proposalId: brought.proposalId,
    });
    expect(await review(`merges/${brought.proposalId}/review`, YES)).toMatchObject({ status: 200 });
    expect(await worker(`merges/${brought.proposalId}/apply`)).toMatchObject(refused(409, 'review_required'));
    expect(await git(folder, 'rev-parse', 'main')).toBe(commit);
  });

  it('an agent that rejects does not take the branch of the user back', async () => {
    const begun = await studioWith({ a: '1\n' });
    const { studio, folder } = begun;
    const unit = await makeUnit(studio);
    const { worker, review } = await agents(begun, unit);
    await post(studio, '/branches', { name: 'old', fromBranchId: 'main' });
    await writeFile(join(folder, 'a'), '2\n');
    await git(folder, 'commit', '--quiet', '--all', '--message=mine');
    const mine = await git(folder, 'rev-parse', 'main');
    const offered = await worker('merges', { sourceBranch: 'main', targetBranch: 'old', summary: 's' });
    const { proposalId } = offered.json as Offered;
    const no = { decision: 'Rejected', restartMode: 'Revert', verificationResults: 'no', notes: 'no' };
    expect(await review(`merges/${proposalId}/review`, no)).toMatchObject(refused(409, 'review_required'));
    expect(await git(folder, 'rev-parse', 'main')).toBe(mine);
    const attempts = await read<{ title: string }[]>(studio, '/findings');
    expect(attempts.map(({ title }) => title)).toContainEqual(expect.stringContaining('merge.review'));
  });

  it('nothing lands while people may still object', async () => {
    const begun = await studioWith({ a: '1\n' });
    const { studio, commit, folder } = begun;
    const policy = { workspaceReviewPolicy: 'Hybrid', workspaceReviewHybridTimeoutMinutes: 10 };
    const unit = await makeUnit(studio, policy);
    const { worker, review } = await agents(begun, unit);
    await write(begun, unit, { a: '2\n' });
    const { proposalId } = await offer(begun, unit);
    await review(`merges/${proposalId}/review`, YES);
    expect(await worker(`merges/${proposalId}/apply`)).toMatchObject(refused(409, 'review_required'));
    expect(await git(folder, 'rev-parse', 'main')).toBe(commit);
  });

  it('an agent makes no work that fewer people look at, and that it tried is a finding', async () => {
    const begun = await studioWith({ a: '1\n' });
    const { studio } = begun;
    const unit = await makeUnit(studio, { taskReviewPolicy: 'AgentApproval' });
    const { worker } = await agents(begun, unit);
    const laxer = [
      { workspaceReviewPolicy: 'AgentApproval' },
      { workspaceReviewPolicy: 'Hybrid' },
      { bypassPromotionBranch: true },
      { workspaceReviewPolicy: 'AgentApproval', parentWorkUnitId: unit.workUnitId },
    ];
    for (const more of laxer)
      expect(await worker('workunits', { goal: 'g', ...more }), JSON.stringify(more)).toMatchObject(
        refused(403, 'human_only'),
      );
    const found = await read<{ title: string }[]>(studio, '/findings');
    expect(found.map(({ title }) => title)).toContainEqual(expect.stringContaining('workunit.create'));
    const same = { goal: 'g', taskReviewPolicy: 'AgentApproval', parentWorkUnitId: unit.workUnitId };
    expect(await worker('workunits', same)).toMatchObject({
      status: 200,
      json: { taskReviewPolicy: 'AgentApproval', workspaceReviewPolicy: 'HumanRequired' },
    });
  });
});

it('what two agents are to look at does not land on the word of one', async () => {
  const begun = await studioWith({ a: '1\n', 'package.json': '{}\n' });
  const agentsDecide = { taskReviewPolicy: 'AgentApproval', workspaceReviewPolicy: 'AgentApproval' };
  const unit = await makeUnit(begun.studio, agentsDecide);
  const { worker, review } = await agents(begun, unit);
  await write(begun, unit, { 'package.json': '{ "private": true }\n' });
  const { proposalId } = await offer(begun, unit);
  expect(await review(`merges/${proposalId}/review`, YES)).toMatchObject({ status: 200 });
  const one = await worker(`merges/${proposalId}/apply`);
  expect(one).toMatchObject(refused(409, 'review_required'));
  expect(one.text).toContain('another agent must look at');
  // A person's word is enough.
  expect(await begun.post(`merges/${proposalId}/review`, { decision: 'Approved' })).toMatchObject({ status: 200 });
  expect(await worker(`merges/${proposalId}/apply`)).toMatchObject({ status: 200 });
});
