/** A real repository all the way: forked, worked on by three at once, in conflict, brought together, promoted, and taken back. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { git } from './testing/git-repository.js';
import { studioWith } from './testing/studio-repository.js';
import { toolClient } from './testing/tool-client.js';

const FILES = { a: '1\n', b: '1\n', 'dir/c': '1\n' };

interface Unit {
  readonly workUnitId: string;
  readonly branchId: string;
}

it('goes all the way over REST alone', { timeout: 60_000 }, async () => {
  const { post, get, folder, commit } = await studioWith(FILES);
  const ask = async <Result>(path: string, body: object = {}): Promise<Result> => {
    const { json, status } = await post(path, body);
    expect(json, path).not.toHaveProperty('code');
    expect(status).toBe(200);
    return json as Result;
  };
  const fileOf = (path: string) => readFile(join(folder, path), 'utf8');
  await ask('options', { usePromotionBranch: true });
  const { stateId } = await ask<{ stateId: string }>('state/markKnownGood', {
    branchId: 'main',
    description: 'as it was',
  });
  const { workUnitId: root } = await ask<Unit>(`state/${stateId}/fork`, { goal: 'Make it better.' });

  const offer = async (unit: Unit, files: object): Promise<string> => {
    await ask(`branches/${encodeURIComponent(unit.branchId)}/resync-files`, { files });
    const offered = {
      sourceBranch: unit.branchId,
      targetBranch: 'main',
      workUnitId: unit.workUnitId,
      summary: 'do it',
    };
    const { proposalId } = await ask<{ proposalId: string }>('merges', offered);
    await ask(`merges/${proposalId}/review`, { decision: 'Approved' });
    return proposalId;
  };
  const write = (path: string, content: string) => [{ path, content }];
  const parts = [write('a', 'one\n'), write('a', 'two\n'), write('dir/c', 'three\n')];
  const ids: string[] = [];
  for (const [n, files] of parts.entries()) {
    const part = await ask<Unit>('workunits', { goal: `Part ${n + 1}.`, parentWorkUnitId: root });
    ids.push(await offer(part, files));
  }
  const conflicted = await ask(`workunits/${root}/reconcile`);
  expect(conflicted).toMatchObject({ workUnitId: root, outcome: 'Conflict', proposalId: ids[1] });
  expect((await get(`workunits/${root}/conflict-report`)).json).toMatchObject({
    ...{ workUnitId: root, status: 'Reviewing', content: expect.stringContaining('  - a\n') as string },
  });
  const [open] = (await get(`workunits/${root}/task-conflicts`)).json as { conflictId: string }[];
  const bringing = await ask<Unit>(`workunits/${root}/task-conflicts/${open?.conflictId}/reconcile`);
  const both = await offer(bringing, write('a', 'one and two\n'));
  await ask(`merges/${both}/apply`);
  expect((await get(`merges/${ids[1]}`)).json).toMatchObject({ status: 'Superseded', supersededBy: both });
  expect((await get(`workunits/${root}/conflict-report`)).status).toBe(404);

  // The part that was in conflict has ended with what brought it in.
  const whole = await ask<{ proposalId: string }>(`workunits/${root}/reconcile`);
  expect(whole).toMatchObject({ outcome: 'Proposed' });
  const { proposalId } = whole;
  expect(await ask(`workunits/${root}/reconcile`)).toMatchObject({ outcome: 'AlreadyProposed', proposalId });
  expect((await get(`merges/${proposalId}`)).json).toMatchObject({
    filesTouched: ['a', 'dir/c'],
    targetBranch: 'main',
  });
  await ask(`merges/${proposalId}/review`, { decision: 'Approved' });
  expect(await ask(`merges/${proposalId}/apply`)).toMatchObject({ landedOnCandidateBranch: true });
  expect((await get(`workunits/${root}`)).json).toMatchObject({ status: 'Merged' });
  expect(await fileOf('a')).toBe('1\n');
  expect((await get('branches/candidate/pending')).json).toMatchObject([{ proposalId }]);
  expect(await ask('branches/candidate/promote')).toMatchObject({ proposalIds: [proposalId] });
  expect([await fileOf('a'), await fileOf('dir/c'), await fileOf('b')]).toEqual(['one and two\n', 'three\n', '1\n']);

  const back = await ask<{ headCheckpoint: string }>('replay/rollback/main', { knownGoodStateId: stateId });
  expect([await fileOf('a'), await fileOf('dir/c')]).toEqual(['1\n', '1\n']);
  expect(await git(folder, 'rev-parse', 'HEAD')).toBe(back.headCheckpoint);
  // Nothing is lost by going back.
  expect(await git(folder, 'merge-base', '--is-ancestor', commit, 'HEAD')).toBe('');
  expect(await git(folder, 'show', 'HEAD~1:a')).toBe('one and two');
});

it('goes all the way by tools alone', { timeout: 60_000 }, async () => {
  const { studio, folder, repositoryId } = await studioWith(FILES);
  const { ask, refused } = await toolClient(studio, '/mcp/internal');
  const fileOf = (path: string) => readFile(join(folder, path), 'utf8');
  const { stateId } = await ask<{ stateId: string }>('svc_v1_state_markKnownGood', {
    ...{ branchId: 'main', description: 'as it was' },
  });
  const { workUnitId: root } = await ask<Unit>('svc_v1_hypothesis_fork', { goal: 'Make it better.', forkType: 'Code' });

  const approve = async (offered: object): Promise<string> => {
    const { proposalId } = await ask<{ proposalId: string }>('svc_v1_merge_propose', { summary: 'do it', ...offered });
    await ask('svc_v1_merge_validate', { proposalId });
    await ask('svc_v1_merge_review', { proposalId, decision: 'Approved' });
    return proposalId;
  };
  const offer = async (given: object, path: string, content: string): Promise<string> => {
    const { workUnitId } = await ask<Unit>('svc_v1_workunit_create', {
      goal: 'A part.',
      parentWorkUnitId: root,
      ...given,
    });
    await ask('svc_v1_repository_blob_write', { repositoryId, workUnitId, path, content });
    return approve({ sourceBranch: '-', targetBranch: 'main', workUnitId });
  };
  const [one, two, three] = [
    await offer({}, 'a', 'one\n'),
    await offer({}, 'a', 'two\n'),
    await offer({}, 'dir/c', 'three\n'),
  ];
  await ask('svc_v1_merge_apply', { proposalId: one });
  expect(await refused('svc_v1_merge_apply', { proposalId: two })).toBe('reject.merge_conflict');
  await ask('svc_v1_merge_apply', { proposalId: three });

  // It is done again, on top of what has landed.
  await ask('svc_v1_merge_review', { proposalId: two, decision: 'Rejected', notes: 'it is in the way of the first' });
  const target = `merge/${root}`;
  expect(await ask('svc_v1_branch_status', { branchId: target })).toMatchObject({ status: 'active' });
  const both = await offer({ seedFromBranchId: target }, 'a', 'one and two\n');
  await ask('svc_v1_merge_apply', { proposalId: both });
  const whole = await approve({ sourceBranch: target, targetBranch: 'candidate', workUnitId: root });
  expect(await ask('svc_v1_merge_apply', { proposalId: whole })).toMatchObject({ landedOnCandidateBranch: true });
  expect(await fileOf('a')).toBe('1\n');

  const promotion = await approve({ sourceBranch: 'candidate', targetBranch: 'main' });
  expect(await ask('svc_v1_merge_apply', { proposalId: promotion })).toMatchObject({ promotedToDisk: true });
  expect([await fileOf('a'), await fileOf('dir/c'), await fileOf('b')]).toEqual(['one and two\n', 'three\n', '1\n']);
  await ask('svc_v1_replay_rollback', { branchId: 'main', knownGoodStateId: stateId });
  expect([await fileOf('a'), await fileOf('dir/c')]).toEqual(['1\n', '1\n']);
  expect(await git(folder, 'show', 'HEAD~1:a')).toBe('one and two');
});
