/** A real repository all the way: forked, worked on by three at once, in conflict, brought together, promoted, and taken back. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ChooseModel } from './models/chosen-model.js';
import { ProviderError } from './models/provider.js';
import { git, gitRepository } from './testing/git/git-repository.js';
import { studioWith, withRepository } from './testing/git/studio-repository.js';
import { tempFolder } from './testing/temp-folder.js';
import { startTestStudio } from './testing/test-studio.js';
import { toolClient } from './testing/doors/tool-client.js';

const FILES = { a: '1\n', b: '1\n', 'dir/c': '1\n' };

interface Unit {
  readonly workUnitId: string;
  readonly branchId: string;
  readonly goal: string;
  readonly status: string;
}

interface Offer {
  readonly proposalId: string;
  readonly reconciledFrom: readonly string[];
}

type Part = Unit & Offer;

/** A model that thinks for as long as it is let. */
const idle: ChooseModel = () => ({
  model: 'idle',
  provider: {
    name: 'idle',
    turn: (_request, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new ProviderError('stopped', 'stopped')));
      }),
  },
});

async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

it('goes all the way over REST alone', async () => {
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
    workUnitId: root,
    status: 'Reviewing',
    content: expect.stringContaining('  - a\n') as string,
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

it('goes all the way by tools alone', async () => {
  const user = join(await tempFolder(), 'user');
  // Goals are looked after; the work of agents is done here.
  const studio = await startTestStudio(undefined, { agents: { models: idle } });
  const { folder, repositoryId } = await withRepository(studio, user, await gitRepository(user, FILES));
  const { ask } = await toolClient(studio, '/mcp/internal');
  const fileOf = (path: string) => readFile(join(folder, path), 'utf8');
  const { stateId } = await ask<{ stateId: string }>('svc_v1_state_markKnownGood', {
    branchId: 'main',
    description: 'as it was',
  });
  const { workUnitId: root } = await ask<Unit>('svc_v1_hypothesis_fork', { goal: 'Make it better.', forkType: 'Code' });

  const propose = (offered: object) => ask<Offer>('svc_v1_merge_propose', { summary: 'do it', ...offered });
  const approve = async (proposalId: string): Promise<void> => {
    await ask('svc_v1_merge_validate', { proposalId });
    await ask('svc_v1_merge_review', { proposalId, decision: 'Approved' });
  };
  const offer = async (unit: Unit, path: string, content: string): Promise<Part> => {
    const { workUnitId } = unit;
    await ask('svc_v1_repository_blob_write', { repositoryId, workUnitId, path, content });
    return { ...unit, ...(await propose({ sourceBranch: '-', targetBranch: 'main', workUnitId })) };
  };
  const begin = async (path: string, content: string): Promise<Part> => {
    const unit = await ask<Unit>('svc_v1_workunit_create', { goal: `Write ${content}`, parentWorkUnitId: root });
    return offer(unit, path, content);
  };
  // All three are offered before one of them lands.
  const parts: Part[] = [];
  for (const [path, content] of [
    ['a', 'one\n'],
    ['a', 'two\n'],
    ['dir/c', 'three\n'],
  ] as const)
    parts.push(await begin(path, content));
  const [one, two, three] = parts as [Part, Part, Part];
  for (const { proposalId } of parts) await approve(proposalId);
  const statusOf = async ({ workUnitId }: Unit) => (await ask<Unit>('svc_v1_workunit_get', { workUnitId })).status;
  await until(async () => (await statusOf(one)) === 'Merged' && (await statusOf(three)) === 'Merged');
  expect(await statusOf(two)).toBe('Reviewing');

  // What is in conflict is brought together by work of its own.
  const bringing = await until(async () => {
    const units = await ask<Unit[]>('svc_v1_workunit_list');
    return units.find(({ goal }) => goal.startsWith('Bring together'));
  });
  expect(bringing).toMatchObject({ parentWorkUnitId: root, fileScope: ['a'] });
  const both = await offer(bringing, 'a', 'one and two\n');
  expect(both.reconciledFrom).toEqual([two.proposalId]);
  await approve(both.proposalId);
  await until(async () => (await statusOf(bringing)) === 'Merged');
  expect(await statusOf(two)).toBe('Merged');
  const target = `merge/${root}`;
  expect(await ask('svc_v1_branch_status', { branchId: target })).toMatchObject({ status: 'active' });
  const { proposalId: whole } = await propose({ sourceBranch: target, targetBranch: 'candidate', workUnitId: root });
  await approve(whole);
  expect(await ask('svc_v1_merge_apply', { proposalId: whole })).toMatchObject({ landedOnCandidateBranch: true });
  expect(await fileOf('a')).toBe('1\n');

  const { proposalId: promotion } = await propose({ sourceBranch: 'candidate', targetBranch: 'main' });
  await approve(promotion);
  expect(await ask('svc_v1_merge_apply', { proposalId: promotion })).toMatchObject({ promotedToDisk: true });
  expect([await fileOf('a'), await fileOf('dir/c'), await fileOf('b')]).toEqual(['one and two\n', 'three\n', '1\n']);
  await ask('svc_v1_replay_rollback', { branchId: 'main', knownGoodStateId: stateId });
  expect([await fileOf('a'), await fileOf('dir/c')]).toEqual(['1\n', '1\n']);
  expect(await git(folder, 'show', 'HEAD~1:a')).toBe('one and two');
});
