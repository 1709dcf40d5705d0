/** What callers name beside new work is such as there can be, or the work does not begin. */
import { describe, expect, it } from 'vitest';
import { gitRepository } from '../../testing/git/git-repository.js';
import { studioWith, withRepository } from '../../testing/git/studio-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';

it('work begins with a goal, a branch and files that there can be', async () => {
  const { post, get, branch, repositoryId } = await studioWith({ a: '1\n' });
  await branch('own', {});
  const { json } = await post('workunits', { goal: 'g' });
  const { branchId } = json as { branchId: string };
  for (const seedFromBranchId of ['own', 'main', branchId])
    expect(await post('workunits', { goal: 'g', seedFromBranchId })).toMatchObject({ status: 200 });
  const before = (await get('workunits')).text;
  const file = { repositoryId, path: 'a' };
  const wrong: readonly (readonly [object, string])[] = [
    [{ goal: ' \n' }, 'reject.invalid_input'],
    [{ goal: 'g', referenceFiles: [file, { ...file, path: '../../etc/passwd' }] }, 'reject.path_outside_repository'],
    [{ goal: 'g', referenceFiles: [{ ...file, repositoryId: 'repo-none' }] }, 'reject.repository_not_found'],
  ];
  for (const path of ['workunits', 'goals'])
    for (const [body, code] of wrong) expect(await post(path, body), path).toMatchObject({ json: { code } });
  expect(await post('goals/run', { goal: ' ' })).toMatchObject({ json: { code: 'reject.invalid_input' } });
  expect(await post('workunits', { goal: 'g', seedFromBranchId: 'none' })).toMatchObject({
    status: 404,
    json: { code: 'reject.branch_not_found' },
  });
  expect((await get('workunits')).text).toBe(before);
});

describe('a repository that is named by its folder and by its id', () => {
  const ways = { forkType: 'Library', forks: [{ constraintText: 'a' }, { constraintText: 'b' }] };
  const routes: readonly (readonly [string, object])[] = [
    ['goals', { goal: 'g' }],
    ['workunits', { goal: 'g' }],
    ['experiments', { goal: 'g', owner: 'me', ...ways }],
    ['workspace/switch', {}],
  ];

  it('is one, or nothing begins', async () => {
    const { post, get, repositoryId } = await studioWith({ a: '1\n' });
    const repositoryPath = await pathIn(get);
    const before = await told(get);
    for (const [route, rest] of routes) {
      const elsewhere = { ...rest, repositoryId, repositoryPath: `${repositoryPath}-of-others` };
      const nowhere = await post(route, elsewhere);
      expect([route, nowhere]).toMatchObject([route, { status: 404, json: { code: 'reject.repository_not_found' } }]);
      const two = await post(route, { ...rest, repositoryId: 'repo-none', repositoryPath });
      const json = { code: 'reject.invalid_input', details: [{ field: 'repositoryPath' }] };
      expect([route, two]).toMatchObject([route, { status: 400, json }]);
    }
    expect(await told(get)).toEqual(before);
    for (const [route, rest] of routes) {
      const { status } = await post(route, { ...rest, repositoryId, repositoryPath });
      expect([route, status]).toEqual([route, 200]);
    }
  });
});

it('a part is in the repository of its whole, and work in that of its branches, or it does not begin', async () => {
  const { studio, post, get, branch, repositoryId } = await studioWith({ a: '1\n' });
  const whole = (await post('workunits', { goal: 'g', repositoryId })).json as { workUnitId: string; branchId: string };
  await branch('own', {});
  const folder = await tempFolder();
  const other = await withRepository(studio, folder, await gitRepository(folder, { b: '1\n' }));
  const before = await told(get);
  const parentWorkUnitId = whole.workUnitId;
  const wrong: readonly (readonly [string, object])[] = [
    ['repositoryId', { parentWorkUnitId, repositoryId: other.repositoryId }],
    ['repositoryId', { parentWorkUnitId, repositoryPath: folder }],
    ['branchId', { branchId: 'own', repositoryId: other.repositoryId }],
    ['branchId', { branchId: whole.branchId, repositoryId: other.repositoryId }],
    ['seedFromBranchId', { seedFromBranchId: 'own', repositoryId: other.repositoryId }],
    ['seedFromBranchId', { seedFromBranchId: `merge/${parentWorkUnitId}`, repositoryId: other.repositoryId }],
  ];
  for (const [field, given] of wrong)
    expect([given, await post('workunits', { goal: 'g', ...given })]).toMatchObject([
      given,
      { status: 400, json: { code: 'reject.invalid_input', details: [{ field }] } },
    ]);
  expect(await told(get)).toEqual(before);
  for (const given of [
    { parentWorkUnitId },
    { parentWorkUnitId, repositoryId, seedFromBranchId: 'own' },
    { repositoryId: other.repositoryId, seedFromBranchId: 'main' },
  ])
    expect([given, await post('workunits', { goal: 'g', ...given })]).toMatchObject([given, { status: 200 }]);
});

describe('a goal for a unit that is there', () => {
  it('says nothing of the unit that would not come about', async () => {
    const { post, get, repositoryId } = await studioWith({ a: '1\n' });
    const unit = (await post('workunits', { goal: 'g', repositoryId })).json as { workUnitId: string };
    const goal = { goal: 'more', workUnitId: unit.workUnitId };
    const repositoryPath = await pathIn(get);
    const before = await told(get);
    const wrong: readonly (readonly [string, object])[] = [
      ['referenceFiles', { referenceFiles: [{ repositoryId, path: 'a' }] }],
      ['newRepositoryPath', { newRepositoryPath: `${repositoryPath}-new` }],
      ['repositoryId', { repositoryId: 'repo-none' }],
    ];
    for (const [field, given] of wrong)
      expect(await post('goals', { ...goal, ...given })).toMatchObject({
        status: 400,
        json: { code: 'reject.invalid_input', details: [{ field }] },
      });
    expect(await told(get)).toEqual(before);
    for (const same of [{ repositoryId }, { repositoryPath }, { referenceFiles: [] }])
      expect(await post('goals', { ...goal, ...same })).toMatchObject({ status: 200 });
  });

  it('and a name for no new repository, are refused', async () => {
    const { post, repositoryId } = await studioWith({ a: '1\n' });
    expect(await post('goals', { goal: 'g', repositoryId, newRepositoryLabel: 'Fresh' })).toMatchObject({
      status: 400,
      json: { details: [{ field: 'newRepositoryLabel' }] },
    });
  });
});

async function pathIn(get: (path: string) => Promise<{ json: unknown }>): Promise<string> {
  const [repository] = (await get('repositories')).json as { path: string }[];
  return repository!.path;
}

/** All that a refused request could have begun. */
async function told(get: (path: string) => Promise<{ text: string }>): Promise<string[]> {
  const all: string[] = [];
  for (const path of ['workunits', 'goals', 'repositories', 'experiments']) all.push((await get(path)).text);
  return all;
}
