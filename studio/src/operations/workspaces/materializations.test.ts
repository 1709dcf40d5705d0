import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git } from '../../testing/git/git-repository.js';
import { studioWith } from '../../testing/git/studio-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';

const refused = (status: number, code: string) => ({ status, json: { code } });

describe('files written elsewhere', () => {
  it('are those of a unit, with what nobody has saved, or those of a commit', async () => {
    const { post, folder, commit, repositoryId } = await studioWith({ a: '1\n' });
    const unit = (await post('workunits', { goal: 'g' })).json as { workUnitId: string; branchId: string };
    await post(`branches/${unit.branchId}/resync-files`, { files: [{ path: 'a', content: '2\n' }] });
    const base = await tempFolder();
    const written = await post(`projections/${unit.workUnitId}/materialize?targetPath=${join(base, 'one')}`);
    expect(written.json).toMatchObject({
      workUnitId: unit.workUnitId,
      targetKind: 'LocalFilesystem',
      fileCount: 1,
      targetPath: join(base, 'one'),
    });
    expect(await readFile(join(base, 'one', 'a'), 'utf8')).toBe('2\n');
    // Nothing is ever written over.
    const into = (path: string) => post(`projections/${unit.workUnitId}/materialize?targetPath=${path}`);
    for (const path of [folder, join(base, 'one')])
      expect(await into(path)).toMatchObject(refused(400, 'reject.repository_path_unusable'));

    await git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'second');
    await post(`repositories/${repositoryId}/prefetch`);
    const second = await git(folder, 'rev-parse', 'HEAD');
    const target = join(base, 'two');
    const made = await post(`repository-snapshots/${second}/materialize?targetPath=${target}`);
    expect(made.json).toMatchObject({
      snapshotId: second,
      repositoryId,
      generation: 2,
      targetPath: target,
      fileCount: 1,
    });
    expect(await readFile(join(target, 'a'), 'utf8')).toBe('1\n');
    const none = await post(`repository-snapshots/${'0'.repeat(40)}/materialize?targetPath=${join(base, 'no')}`);
    expect(none).toMatchObject(refused(404, 'reject.commit_not_found'));

    for (const generationId of ['1', commit]) {
      const found = await post('references/resolve', { repoId: repositoryId, generationId, path: 'a' });
      expect(found.json).toMatchObject({ path: 'a', sizeBytes: 2, contentBase64: 'MQo=' });
    }
    for (const [given, status, code] of [
      [{ generationId: '3', path: 'a' }, 404, 'reject.commit_not_found'],
      [{ generationId: '1', path: 'b' }, 404, 'reject.file_not_found'],
      [{ generationId: '1', path: '../b' }, 400, 'reject.path_outside_repository'],
      [{ generationId: 'HEAD', path: 'a' }, 400, 'reject.invalid_input'],
    ] as const)
      expect(await post('references/resolve', { repoId: repositoryId, ...given })).toMatchObject(
        code === 'reject.invalid_input'
          ? refused(status, code)
          : { status, json: { code, details: { repoId: repositoryId, ...given } } },
      );
  });

  it('are named by where a unit and its goal began, and with what they landed', async () => {
    const { post, get, approved, commit } = await studioWith({ a: '1\n' });
    const unit = (await post('workunits', { goal: 'g' })).json as { workUnitId: string; branchId: string };
    const { workUnitId: goalId } = unit;
    await post(`branches/${unit.branchId}/resync-files`, { files: [{ path: 'a', content: '2\n' }] });
    const began = { workUnitId: goalId, goalId, baseSnapshotId: commit, goalBaseSnapshotId: commit };
    const read = async (workUnitId: string) => (await get(`workunits/${workUnitId}/materialization`)).json;
    expect(await read(goalId)).toEqual({ ...began, producedSnapshotId: null, goalFinalSnapshotId: null });
    const part = (await post('workunits', { goal: 'p', parentWorkUnitId: goalId })).json as { workUnitId: string };
    const landed = await post(`merges/${await approved('-', 'main', { workUnitId: goalId })}/apply`);
    const { resultCommit } = landed.json as { resultCommit: string };
    expect(await read(goalId)).toEqual({
      ...began,
      producedSnapshotId: resultCommit,
      goalFinalSnapshotId: resultCommit,
    });
    expect(await read(part.workUnitId)).toMatchObject({
      goalId,
      producedSnapshotId: null,
      goalBaseSnapshotId: commit,
      goalFinalSnapshotId: resultCommit,
    });
  });

  it('need no other store, which is not there: those that the record names are looked for here, and counted', async () => {
    const { post, get, branch, approved, studio, repositoryId } = await studioWith({ a: '1\n' });
    const found = (checked: number) => ({ checked, remote: null, pushed: 0, failed: 0 });
    expect((await post('cas/reconcile')).json).toEqual(found(0));
    await branch('fix', { a: '2\n' });
    const proposalId = await approved('fix');
    // What it began with, and what it proposes.
    expect((await post('cas/reconcile')).json).toEqual(found(2));
    // What the record names, and no ref holds any more, is gone.
    const [store = ''] = await readdir(join(studio.branches, 'git'));
    const inStore = (...args: string[]) => git(join(studio.branches, 'git', store), ...args);
    for (const ref of (await inStore('for-each-ref', '--format=%(refname)')).split('\n'))
      await inStore('update-ref', '-d', ref);
    await inStore('prune', '--expire=now');
    expect(await post('cas/reconcile')).toMatchObject(refused(409, 'reject.live_set_incomplete'));
    const { headCommit: snapshotId } = (await get(`merges/${proposalId}`)).json as { headCommit: string };
    const target = join(await tempFolder(), 'gone');
    expect(await post(`repository-snapshots/${snapshotId}/materialize?targetPath=${target}`)).toMatchObject({
      ...refused(410, 'reject.snapshot_gone'),
      json: { details: { snapshotId, repositoryId, agedOut: true } },
    });
  });

  it('are built and tested, and what is known then is kept', async () => {
    const { post, get } = await studioWith({ a: '1\n' });
    const unit = (await post('workunits', { goal: 'g' })).json as { workUnitId: string };
    const { workUnitId } = unit;
    const known = (await post('artifacts', { workUnitId, type: 'Research', title: 't', body: 'b' })).json;
    const { artifactId } = known as { artifactId: string };
    const how = { workUnitId, buildCommand: 'true', testCommand: 'false' };
    const { json } = await post('projections/materialize', how);
    expect(json).toMatchObject({
      execution: { allSucceeded: false },
      snapshot: { workUnitId, artifacts: [{ artifactId }] },
    });
    const { snapshotId } = (json as { snapshot: { snapshotId: string } }).snapshot;
    expect((await get(`projections/snapshots/${snapshotId}/stale`)).json).toMatchObject({ isStale: false });
    expect(await post('projections/materialize', { workUnitId: 'none' })).toMatchObject(
      refused(404, 'reject.workunit_not_found'),
    );
  });
});
