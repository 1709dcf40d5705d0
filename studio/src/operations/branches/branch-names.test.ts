/** Names that are none of a branch, tried at every door that takes one: refused with what to do, and nothing is there after it. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { git, gitRepository } from '../../testing/git/git-repository.js';
import { studioWith } from '../../testing/git/studio-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { toolClient } from '../../testing/doors/tool-client.js';
import { operationTable } from '../table.js';

const WRONG: readonly (readonly [name: string, todo: RegExp])[] = [
  ['HEAD', /choose another/],
  ['@', /choose another/],
  ['FETCH_HEAD', /choose another/],
  ['-x', /leave out the dash/],
  ['refs/heads/x', /leave out refs\/heads/],
  ['x.lock', /end it otherwise/],
  ['x.lock/y', /end it otherwise/],
  ['a..b', /use -/],
  ['a@{1}', /use -/],
  ['a//b', /name something on both sides/],
  ['/a', /name something on both sides/],
  ['.a', /leave the dot out/],
  ['a.', /leave the dot out/],
  ['a\0b', /leave it out/],
];
/** Names that the studio's own branches may have, and those of git not. */
const OF_GIT: typeof WRONG = [...WRONG, ['a b', /use -/], ['a~1', /use -/], ['a:b', /use -/], ['a\\b', /use -/]];
/** Names of a branch that has to be there: whatever is none is not. */
const OF_THERE: typeof WRONG = WRONG.map(([name]) => [name, /where work lands/]);
/** Inputs that name a branch to be, or one at a remote: the field, and the operations that take it. Others name one that is there. */
const FIELDS = ['branch', 'branchName', 'base', 'candidateBranchId'];

it('a name that cannot be one of a branch is refused over REST and by tools, whatever takes it', async () => {
  const { studio, post, repositoryId, folder } = await studioWith();
  const other = join(await tempFolder(), 'other');
  await gitRepository(other, { z: '1' });
  const copy = join(await tempFolder(), 'copy');
  const of = `/studio/repositories/${repositoryId}`;
  const doors: readonly (readonly [how: string, path: string, body: object, field: string, wrong: typeof WRONG])[] = [
    ['POST', '/studio/branches', {}, 'name', WRONG],
    ['POST', '/studio/workunits', { goal: 'g' }, 'branchId', WRONG],
    ['POST', '/studio/options', {}, 'candidateBranchId', WRONG],
    ['POST', '/studio/repositories/clone', { url: other, targetPath: copy }, 'branch', OF_GIT],
    ['POST', `${of}/git/export`, { targetGitRepoPath: other }, 'branchName', OF_GIT],
    ['POST', `${of}/git/branch`, { gitRepoPath: other }, 'branchName', OF_GIT],
    ['POST', `${of}/push`, { branchId: 'main' }, 'branch', OF_GIT],
    ['POST', `${of}/push`, { branchId: 'main' }, 'base', OF_GIT],
    ['PUT', `${of}/forge`, { kind: 'github' }, 'base', OF_GIT],
    ['PUT', `${of}/publishing`, {}, 'branch', OF_GIT],
    ['PUT', `${of}/publishing`, {}, 'base', OF_GIT],
    ['POST', '/studio/goals/run', { goal: 'g', repositoryId }, 'base', OF_THERE],
  ];
  for (const [how, path, body, field, wrong] of doors)
    for (const [name, todo] of wrong) {
      const answer = await studio.call(how, path, { body: { ...body, [field]: name } });
      expect(answer, `${path} ${field} ${name}`).toMatchObject({ status: 400, json: { code: 'reject.invalid_input' } });
      expect(answer.text, `${path} ${field} ${name}`).toMatch(todo);
    }
  const tools = await toolClient(studio, '/mcp/internal');
  for (const [tool, body, field] of [
    ['svc_v1_branch_create', {}, 'name'],
    ['svc_v1_repository_git_export', { repositoryId, targetGitRepoPath: other }, 'branchName'],
    ['svc_v1_repository_git_branch_create', { gitRepoPath: other }, 'branchName'],
    ['svc_v1_repository_clone', { url: other, targetPath: copy }, 'branch'],
    ['svc_v1_remote_push', { repositoryId, branchId: 'main' }, 'branch'],
    ['svc_v1_publishing_set', { repositoryId }, 'branch'],
  ] as const)
    for (const [name] of WRONG)
      expect(await tools.refused(tool, { ...body, [field]: name }), `${tool} ${name}`).toBe('reject.invalid_input');
  expect((await studio.call('GET', '/studio/branches')).json).toEqual(['main']);
  for (const one of [folder, other])
    expect((await git(one, 'for-each-ref', '--format=%(refname)')).split('\n')).toEqual(['refs/heads/main']);
  // A template is judged by the name that it makes.
  expect(await studio.call('PUT', `${of}/publishing`, { body: { branch: 'weft/{goal}' } })).toMatchObject({
    status: 200,
  });
  expect(await studio.call('PUT', `${of}/publishing`, { body: { branch: '{goal}.lock' } })).toMatchObject({
    status: 400,
  });
  expect(await post('branches', { name: 'feature/ü 1' })).toMatchObject({ status: 200 });
});

it('every input that names a branch to be is tried above', () => {
  const taking = operationTable
    .filter(({ in: input }) => FIELDS.some((field) => field in (input as { shape: object }).shape))
    .map(({ id }) => id);
  expect(taking.toSorted()).toEqual([
    'external-goal.run',
    'forge.connect',
    'option.change',
    'publishing.set',
    'remote.push',
    'repository.clone',
    'repository.gitBranch',
    'repository.gitExport',
  ]);
});
