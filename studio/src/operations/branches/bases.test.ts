/** Bases of goals: which branches a result may be for, and what a goal keeps of the one that it is begun with. */
import { expect, it } from 'vitest';
import { git } from '../../testing/git/git-repository.js';
import { studioWith } from '../../testing/git/studio-repository.js';

async function withRemote() {
  const it = await studioWith({ a: '1\n' });
  const { folder, repositoryId, commit } = it;
  await git(folder, 'remote', 'add', 'origin', 'https://localhost/nowhere.git');
  for (const name of ['main', 'release/2', 'next'])
    await git(folder, 'update-ref', `refs/remotes/origin/${name}`, commit);
  await git(folder, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
  const begin = async (base?: string) =>
    it.post('goals/run', { goal: 'g', repositoryId, ...(base === undefined ? {} : { base }) });
  const baseOf = async (goalId: string) =>
    (await it.get(`repositories/${repositoryId}/publishing?goalId=${goalId}`)).json;
  return { ...it, begin, baseOf };
}

it('are the branch where work lands, and those of the remote as git knows them', async () => {
  const { get, repositoryId, folder } = await withRemote();
  const bases = async () => (await get(`repositories/${repositoryId}/bases`)).json;
  expect(await bases()).toEqual({ landing: 'main', remote: 'origin', there: ['next', 'release/2'] });
  await git(folder, 'remote', 'remove', 'origin');
  expect(await bases()).toEqual({ landing: 'main', remote: null, there: [] });
  expect((await get('repositories/repo-none/bases')).json).toMatchObject({ code: 'reject.repository_not_found' });
});

it('are said where a goal is begun: its result is for that one, and other goals stay as they were', async () => {
  const { begin, baseOf } = await withRemote();
  const begun = async (base?: string) => ((await begin(base)).json as { goalId: string }).goalId;
  expect(await baseOf(await begun('release/2'))).toEqual({ base: 'release/2' });
  // The user's own branch is what no base means.
  expect(await baseOf(await begun('main'))).toEqual({});
  expect(await baseOf(await begun())).toEqual({});
});

it('that are not there are refused with those that are, and nothing begins', async () => {
  const { begin, get, folder } = await withRemote();
  const refused = async (base: string) => {
    const { status, json } = await begin(base);
    expect([status, (json as { code: string }).code]).toEqual([400, 'reject.invalid_input']);
    return (json as { error: string }).error;
  };
  expect(await refused('releases')).toContain('main, next, release/2');
  expect(await refused('')).toContain('main, next, release/2');
  expect(await refused('--all')).toContain('main, next, release/2');
  await git(folder, 'remote', 'remove', 'origin');
  expect(await refused('next')).toContain('the repository has no remote');
  expect((await get('goals')).json).toMatchObject({ goals: [] });
});
