/** Where repositories may lie, and who may say so. */
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createAgentDoor } from '../../doors/tools/agent.js';
import { makeUnit, post, read } from '../../testing/doors/calls.js';
import { gitRepository } from '../../testing/git/git-repository.js';
import { withRepository } from '../../testing/git/studio-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { openTestLedger } from '../../testing/record/test-ledger.js';
import { testShared } from '../../testing/record/test-shared.js';
import { startTestStudio } from '../../testing/test-studio.js';
import { operationTable } from '../table.js';

const refused = (status: number, code: string) => ({ status, json: { code: `reject.${code}` } });

it('a folder is named below a root that the host was told, by whatever way, and in no hidden one', async () => {
  const [root, other] = [await tempFolder(), await tempFolder()];
  const studio = await startTestStudio(undefined, { roots: [root] });
  const user = join(root, 'user');
  const added = await withRepository(studio, user, await gitRepository(user, { a: '1\n' }));
  const { repositoryId, commit } = added;
  await symlink(other, join(root, 'link'));
  await mkdir(join(root, '.ssh'));
  await gitRepository(join(other, 'theirs'), { z: '' });
  const unit = await makeUnit(studio);
  const good = await post<{ stateId: string }>(studio, '/state/markKnownGood', {
    branchId: 'main',
    description: 'd',
  });
  const outside = [
    other,
    join(other, 'new'),
    join(root, 'link'),
    join(root, 'link', 'new'),
    join(root, '.ssh'),
    '/etc',
  ];
  for (const path of [...outside, join(studio.branches, 'git'), `${root}/../x`]) {
    const asked = [
      ['repositories', { path }],
      ['repositories/clone', { url: user, targetPath: path }],
      ['repositories/clone', { url: path, targetPath: join(root, 'copy') }],
      ['workspace/switch', { repositoryPath: path }],
      ['goals', { goal: 'g', newRepositoryPath: path }],
      [`repositories/${repositoryId}/git/import`, { gitRepoPath: path }],
      [`repositories/${repositoryId}/git/export`, { targetGitRepoPath: path, branchName: 'x' }],
      [`repositories/${repositoryId}/git/branch`, { gitRepoPath: path, branchName: 'x' }],
      [`projections/${unit.workUnitId}/materialize?targetPath=${encodeURIComponent(path)}`, {}],
      [`repository-snapshots/${commit}/materialize?targetPath=${encodeURIComponent(path)}`, {}],
      [`projections/known-good/${good.stateId}/materialize?targetPath=${encodeURIComponent(path)}`, {}],
    ] as const;
    for (const [how, body] of asked)
      expect(await added.post(how, body), `${how} ${path}`).toMatchObject(refused(400, 'repository_path_unusable'));
  }
  expect(await readdir(other)).toEqual(['theirs']);
  expect((await readdir(root)).toSorted()).toEqual(['.ssh', 'link', 'user']);
  expect(await added.post('repositories', { path: join(root, 'new') })).toMatchObject({ status: 200 });
});

it('a folder is not named by a link of the system, which leads each process elsewhere', async () => {
  const root = await tempFolder();
  // The folder that this process was started in is a root as well.
  const studio = await startTestStudio(undefined, { roots: [root, process.cwd()] });
  const user = join(root, 'user');
  const added = await withRepository(studio, user, await gitRepository(user, { a: '1\n' }));
  for (const path of ['/proc/self/cwd', `/proc/self/root${user}`, `/proc/${process.pid}/cwd`, '/dev/../proc/self/cwd'])
    for (const [how, body] of [
      ['repositories', { path }],
      ['repositories/clone', { url: path, targetPath: join(root, 'copy') }],
      ['repositories/clone', { url: `file://${path}`, targetPath: join(root, 'copy') }],
      [`repositories/${added.repositoryId}/git/import`, { gitRepoPath: path }],
      [`repositories/${added.repositoryId}/git/export`, { targetGitRepoPath: path, branchName: 'x' }],
    ] as const) {
      const answer = await added.post(how, body);
      expect(answer, `${how} ${path}`).toMatchObject(refused(400, 'repository_path_unusable'));
      expect(answer.text, `${how} ${path}`).toContain("which is the system's");
    }
  expect(await readdir(root)).toEqual(['user']);
});

it('an agent adds no repository, and that it tried is a finding', async () => {
  const studio = await startTestStudio();
  const unit = await makeUnit(studio);
  const given = { agentType: 'worker', workUnitId: unit.workUnitId, profileId: 'worker' };
  const { agentId } = await post<{ agentId: string }>(studio, '/agents/spawn', given);
  const { secret: token } = studio.mintAgentToken(agentId);
  const path = join(await tempFolder(), 'new');
  const asked = [
    ['repositories', { path }],
    ['repositories/clone', { url: path, targetPath: path }],
    ['workspace/switch', { repositoryPath: path }],
  ] as const;
  for (const [how, body] of asked)
    expect(await studio.call('POST', `/studio/${how}`, { body, token }), how).toMatchObject(refused(403, 'human_only'));
  const found = await read<{ title: string }[]>(studio, '/findings');
  for (const operation of ['repository.register', 'repository.clone', 'workspace.switchTo'])
    expect(found.map(({ title }) => title)).toContainEqual(expect.stringContaining(operation));
});

it('an agent adds a repository where a person has named the tool for it', async () => {
  const opened = await openTestLedger();
  const shared = await testShared(opened);
  const door = createAgentDoor(operationTable, shared);
  const path = await tempFolder();
  const call = (allowed: readonly string[]) =>
    door.call({ agentId: 'a', allowed, name: 'svc_v1_repository_register', input: { path } });
  expect((await call([])).text).toContain('reject.human_only');
  expect((await call(['repository_create'])).text).toContain('reject.tool_not_allowed');
  expect(JSON.parse((await call(['repository_register'])).text)).toMatchObject({ data: { path } });
});
