import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git } from '../../testing/git/git-repository.js';
import { storeOf, studioWith } from '../../testing/git/studio-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { branchRef } from '../../workspace/git/objects/ref-names.js';

const refused = (status: number, code: string) => ({ status, json: { code } });

async function marked() {
  const it = await studioWith();
  await it.branch('one', { a: 'good\n' });
  const mark = async (description: string) =>
    (await it.post('state/markKnownGood', { branchId: 'one', description })).json as { stateId: string };
  const good = await mark('works');
  await it.post('branches/one/resync-files', {
    files: [
      { path: 'a', content: 'bad\n' },
      { path: 'c', content: '' },
    ],
  });
  return { ...it, mark, good };
}

describe('known-good states', () => {
  it('belong to an event that there is', async () => {
    const { post, good } = await marked();
    const mark = (nodeId: string) => post('state/markKnownGood', { branchId: 'one', description: 'x', nodeId });
    expect(await mark('ev-1')).toMatchObject({ status: 200, json: { nodeId: 'ev-1' } });
    for (const none of ['ev-9999', good.stateId, ''])
      expect(await mark(none)).toMatchObject(refused(404, 'reject.event_not_found'));
  });

  it('are marked, found, and gone back to with the folder of the branch', async () => {
    const { studio, post, get, good } = await marked();
    expect(good).toMatchObject({
      stateId: expect.stringMatching(/^KGS-/) as string,
      branchId: 'one',
      description: 'works',
      createdBy: 'user',
    });
    expect((await get('state/knownGood/one')).json).toEqual([good]);
    const { workingDirectory } = (await post('branches/one/checkout')).json as { workingDirectory: string };
    await writeFile(join(workingDirectory, 'by-hand'), 'x');
    expect((await post('state/checkoutKnownGood', { stateId: good.stateId })).json).toEqual(good);
    expect(await readFile(join(workingDirectory, 'a'), 'utf8')).toBe('good\n');
    await expect(readFile(join(workingDirectory, 'by-hand'))).rejects.toMatchObject({ code: 'ENOENT' });
    // What was there is one step back in the branch's history, not lost, and neither is what was written by hand.
    const before = `${branchRef('one')}~1`;
    expect(await git(await storeOf(studio), 'show', `${before}:a`)).toBe('bad');
    expect(await git(await storeOf(studio), 'show', `${before}:by-hand`)).toBe('x');
    await post('branches', { name: 'two', fromBranchId: 'one' });
    expect((await get('branches/two/status')).json).toMatchObject({ status: 'active' });
  });

  it('fault 25: are kept whatever is thrown away in the repository of the user', async () => {
    const { post, good, folder, studio } = await marked();
    await git(folder, 'commit', '--quiet', '--amend', '--allow-empty', '-m', 'other');
    await git(folder, 'reflog', 'expire', '--expire=now', '--all');
    await git(folder, 'gc', '--quiet', '--prune=now');
    // Nor does it need its branch.
    const store = await storeOf(studio);
    await git(store, 'update-ref', '-d', branchRef('one'));
    await git(store, 'gc', '--quiet', '--prune=now');
    expect(await post('replay/rollback/one', { knownGoodStateId: good.stateId })).toMatchObject({
      status: 200,
      json: { branchId: 'one', knownGoodStateId: good.stateId },
    });
    expect(await post('replay/rollback/main', { knownGoodStateId: good.stateId })).toMatchObject(
      refused(404, 'reject.state_not_found'),
    );
  });

  it("of main take the user's folder back, on top of its history, and not underneath a person", async () => {
    const { post, folder, commit } = await marked();
    const { json } = await post('state/markKnownGood', { branchId: 'main', description: 'first' });
    const { stateId } = json as { stateId: string };
    await writeFile(join(folder, 'a'), 'worse');
    expect(await post('state/checkoutKnownGood', { stateId })).toMatchObject({ status: 200 });
    await git(folder, 'commit', '--quiet', '--all', '-m', 'worse');
    await writeFile(join(folder, 'a'), 'not saved');
    expect(await post('state/checkoutKnownGood', { stateId })).toMatchObject(refused(409, 'reject.folder_dirty'));
    await git(folder, 'checkout', '--quiet', 'a');
    expect(await post('state/checkoutKnownGood', { stateId })).toMatchObject({ status: 200 });
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('1\n');
    expect(await git(folder, 'log', '--format=%s')).toBe(`Go back to ${stateId}\nworse\nfirst`);
    expect(await git(folder, 'merge-base', 'main', commit)).toBe(commit);
  });

  it('begin a goal of their own', async () => {
    const { post, get, good } = await marked();
    const { json } = await post(`state/${good.stateId}/fork`, { goal: 'again' });
    const unit = (await get(`workunits/${(json as { workUnitId: string }).workUnitId}`)).json as { branchId: string };
    await post(`branches/${unit.branchId}/checkout`);
    const { headCheckpoint } = (await get(`branches/${unit.branchId}/status`)).json as { headCheckpoint: string };
    expect(good).toMatchObject({ snapshotId: headCheckpoint });
  });

  it('are compared, and written to a folder that is empty', async () => {
    const { post, get, good, mark, folder } = await marked();
    const bad = await mark('not so good');
    expect((await get(`projections/known-good/${good.stateId}/diff/${bad.stateId}`)).json).toEqual({
      stateIdA: good.stateId,
      stateIdB: bad.stateId,
      addedCount: 1,
      removedCount: 0,
      modifiedCount: 1,
      differences: [
        { relativePath: 'a', status: 'Modified' },
        { relativePath: 'c', status: 'Added' },
      ],
    });
    expect((await get(`projections/known-good/${bad.stateId}/diff/${good.stateId}`)).json).toMatchObject({
      addedCount: 0,
      removedCount: 1,
      modifiedCount: 1,
      differences: [
        { relativePath: 'a', status: 'Modified' },
        { relativePath: 'c', status: 'Removed' },
      ],
    });
    const path = `projections/known-good/${good.stateId}/materialize`;
    const target = join(await tempFolder(), 'new');
    for (const where of [`?targetPath=${target}`, '']) {
      const { json, status } = await post(path + where);
      expect(status).toBe(200);
      expect(json).toMatchObject({ fileCount: 2, succeeded: true, targetKind: 'LocalFilesystem' });
      const { targetPath } = json as { targetPath: string };
      if (where !== '') expect(targetPath).toBe(target);
      expect(await readFile(join(targetPath, 'a'), 'utf8')).toBe('good\n');
    }
    for (const where of [folder, 'relative', target])
      expect(await post(`${path}?targetPath=${where}`)).toMatchObject(refused(400, 'reject.repository_path_unusable'));
    for (const missing of ['state/checkoutKnownGood', 'state/none/fork', 'projections/known-good/none/materialize'])
      expect(
        await post(
          missing,
          missing.endsWith('Good') ? { stateId: 'none' } : missing.endsWith('fork') ? { goal: 'g' } : {},
        ),
      ).toMatchObject(refused(404, 'reject.state_not_found'));
  });
});
