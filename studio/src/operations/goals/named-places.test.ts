/** What callers name beside new work is such as there can be, or the work does not begin. */
import { expect, it } from 'vitest';
import { studioWith } from '../../testing/studio-repository.js';

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
