import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow } from '../../testing/files-below.js';
import { git, gitRepository } from '../../testing/git/git-repository.js';
import { storeOf, withRepository } from '../../testing/git/studio-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { type TestStudio, startTestStudio } from '../../testing/test-studio.js';

const PATH = '/studio/branches';
const refused = (status: number, code: string) => ({ status, json: { code } });

async function studioWith(files: Readonly<Record<string, string>> = { a: '1\n', 'dir/b': '2\n' }) {
  const studio = await startTestStudio();
  const folder = await tempFolder();
  const commit = await gitRepository(folder, files);
  const answer = await studio.call('POST', '/studio/repositories', { body: { path: folder } });
  return { studio, folder, commit, repositoryId: (answer.json as { repositoryId: string }).repositoryId };
}

const at = (branchId: string, rest: string) => `${PATH}/${encodeURIComponent(branchId)}/${rest}`;

async function checkedOut(studio: TestStudio, branchId: string): Promise<string> {
  const { status, json } = await studio.call('POST', at(branchId, 'checkout'));
  expect(json).toMatchObject({ branchId, status: 'checked_out' });
  expect(status).toBe(200);
  return (json as { workingDirectory: string }).workingDirectory;
}

describe('branches', () => {
  it('begin with another one, or with main, and are listed', async () => {
    const { studio, commit } = await studioWith();
    const name = 'feature/ü 1';
    expect((await studio.call('POST', PATH, { body: { name } })).json).toEqual({
      branchId: name,
      name,
      fromBranchId: 'main',
    });
    await studio.call('POST', at(name, 'resync-files'), { body: { files: [{ path: 'c', content: '3' }] } });
    await studio.call('POST', PATH, { body: { name: 'two', fromBranchId: name } });
    expect((await studio.call('GET', PATH)).json).toEqual(['main', name, 'two']);
    const [main, one, two] = await Promise.all(
      ['main', name, 'two'].map(async (id) => (await studio.call('GET', at(id, 'status'), { as: 'read' })).json),
    );
    expect(main).toEqual({ branchId: 'main', status: 'active', pendingChangeCount: 0, headCheckpoint: commit });
    expect((one as { headCheckpoint: string }).headCheckpoint).toBe((two as { headCheckpoint: string }).headCheckpoint);
  });

  it('have a folder, whose changes are counted, and saved before others come in', async () => {
    const { studio } = await studioWith();
    await studio.call('POST', PATH, { body: { name: 'one' } });
    const folder = await checkedOut(studio, 'one');
    await writeFile(join(folder, 'a'), 'by hand\n');
    expect((await studio.call('GET', at('one', 'status'))).json).toMatchObject({ pendingChangeCount: 1 });
    expect(await checkedOut(studio, 'one')).toBe(folder);
    expect((await studio.call('POST', `${at('one', 'materialize-file')}?path=a`)).status).toBe(200);
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('by hand\n');
    await writeFile(join(folder, 'a'), 'by hand again\n');
    const body = {
      files: [
        { path: 'new/c', content: '3' },
        { path: '../x', content: '' },
      ],
      deletedPaths: ['dir/b'],
    };
    expect((await studio.call('POST', at('one', 'resync-files'), { body })).json).toEqual({
      branchId: 'one',
      written: ['new/c'],
      deleted: ['dir/b'],
      errors: [{ path: '../x', error: expect.stringContaining('leads out') as string }],
    });
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('by hand again\n');
    expect(await readFile(join(folder, 'new/c'), 'utf8')).toBe('3');
    await expect(readFile(join(folder, 'dir/b'))).rejects.toMatchObject({ code: 'ENOENT' });
    expect((await studio.call('GET', at('one', 'status'))).json).toMatchObject({ pendingChangeCount: 0 });
    expect(await checkedOut(studio, 'one')).toBe(folder);
  });

  it('of work units are made when they are first used, from that of the unit above', async () => {
    const { studio, commit } = await studioWith();
    const unit = async (body: object) =>
      (await studio.call('POST', '/studio/workunits', { body: { goal: 'g', ...body } })).json as {
        workUnitId: string;
        branchId: string;
      };
    const root = await unit({});
    const head = async (branchId: string) =>
      ((await studio.call('GET', at(branchId, 'status'))).json as { headCheckpoint: string }).headCheckpoint;
    expect((await studio.call('GET', at(root.branchId, 'status'))).json).toEqual({
      branchId: root.branchId,
      status: 'active',
      pendingChangeCount: 0,
    });
    expect((await studio.call('GET', PATH)).json).toEqual(['main']);
    await checkedOut(studio, root.branchId);
    expect(await head(root.branchId)).toBe(commit);
    await studio.call('POST', at(root.branchId, 'resync-files'), { body: { files: [{ path: 'a', content: 'x' }] } });
    const part = await unit({ parentWorkUnitId: root.workUnitId });
    for (const branchId of [part.branchId, `merge/${root.workUnitId}`]) await checkedOut(studio, branchId);
    expect(await head(part.branchId)).toBe(await head(root.branchId));
    expect(await head(`merge/${root.workUnitId}`)).toBe(await head(root.branchId));
    expect(await head(root.branchId)).not.toBe(commit);
  });

  it('fault 17: 32 that are made and checked out at once are all there, and nothing else is', async () => {
    const { studio, folder } = await studioWith();
    // They read alike at their beginning, and one folder was made ahead.
    const names = Array.from({ length: 32 }, (_, n) => `work/${'x'.repeat(40)}${n}`);
    await studio.call('POST', PATH, { body: { name: 'first' } });
    await checkedOut(studio, 'first');
    const made = await Promise.all(
      [...names, ...names.slice(0, 8)].map(async (name) => {
        const { status } = await studio.call('POST', PATH, { body: { name } });
        return status === 200 ? { name, at: await checkedOut(studio, name) } : status;
      }),
    );
    // Who asks for one that another has asked for is told so.
    expect(made.filter((one) => typeof one === 'number')).toEqual(Array(8).fill(409));
    const folders = made.flatMap((one) => (typeof one === 'number' ? [] : [one.at]));
    expect(new Set(folders).size).toBe(32);
    for (const at of folders) {
      expect((await readdir(at)).sort()).toEqual(['.git', 'a', 'dir']);
      expect([await readFile(join(at, 'a'), 'utf8'), await readdir(join(at, 'dir'))]).toEqual(['1\n', ['b']]);
    }
    expect((await studio.call('GET', PATH)).json).toEqual(expect.arrayContaining(['main', 'first', ...names]));
    const refs = (await git(await storeOf(studio), 'for-each-ref', '--format=%(refname)')).split('\n');
    expect(refs).toHaveLength(34);
    const left = await filesBelow(studio.branches);
    expect(left.filter((path) => path.endsWith('.lock') || path.includes('index-'))).toEqual([]);
    expect((await readdir(join(studio.branches, 'workspaces'))).length).toBe(33);
    expect((await readdir(join(studio.branches, 'workspace-notes'))).length).toBe(66);
    expect(await git(folder, 'worktree', 'list')).not.toContain('\n');
    expect(await git(folder, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
    // That of a unit is begun by whoever is first.
    const unit = (await studio.call('POST', '/studio/workunits', { body: { goal: 'g' } })).json as {
      branchId: string;
    };
    const begun = await Promise.all(Array.from({ length: 8 }, () => checkedOut(studio, unit.branchId)));
    expect(new Set(begun).size).toBe(1);
  });

  it('fault 25: of units that wait for their turn are there though the user deletes what they began with', async () => {
    const { studio, folder } = await studioWith();
    const post = (path: string, body: object = {}) => studio.call('POST', `/studio/${path}`, { as: 'admin', body });
    const { workUnitId, branchId } = (await post('workunits', { goal: 'g' })).json as Record<string, string>;
    await post('scheduler/enqueue', { workUnitId, profileId: 'worker' });
    const before = await checkedOut(studio, branchId!);
    await git(folder, 'checkout', '--quiet', '--orphan', 'other');
    await git(folder, 'commit', '--quiet', '-m', 'something else');
    await git(folder, 'branch', '-D', 'main');
    await git(folder, 'reflog', 'expire', '--expire=now', '--all');
    await git(folder, 'gc', '--quiet', '--prune=now');
    await rm(before, { recursive: true });
    expect((await post('cache/gc?mode=SweepHard')).status).toBe(200);
    expect(await readFile(join(await checkedOut(studio, branchId!), 'a'), 'utf8')).toBe('1\n');
    expect(
      (await post(`branches/${branchId}/resync-files`, { files: [{ path: 'a', content: 'x' }] })).json,
    ).toMatchObject({
      written: ['a'],
      errors: [],
    });
  });

  it('follow the user where main goes, also when it is thrown back', async () => {
    const { studio, folder } = await studioWith();
    const head = async () => (await studio.call('GET', at('main', 'status'))).json;
    await head();
    for (const how of [[], ['--amend']]) {
      await git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'next', ...how);
      expect(await head()).toMatchObject({ headCheckpoint: await git(folder, 'rev-parse', 'HEAD') });
    }
  });

  it('begin with what is checked out where that is a commit and no branch is there, as after a clone of a tag', async () => {
    const studio = await startTestStudio();
    const folder = await tempFolder();
    const commit = await gitRepository(folder, { a: '1\n' });
    await git(folder, 'checkout', '--quiet', '--detach');
    await git(folder, 'branch', '--quiet', '-D', 'main');
    const { branch, approved, post } = await withRepository(studio, folder, commit);
    await branch('work', { b: '2\n' });
    expect((await post(`merges/${await approved('work')}/apply`)).json).toMatchObject({ status: 'Merged' });
    expect(await git(folder, 'ls-tree', '--name-only', 'main')).toBe('a\nb');
    expect(await git(folder, 'merge-base', 'main', commit)).toBe(commit);
    expect(await git(folder, 'rev-parse', 'HEAD')).toBe(commit);
    await branch('more', { c: '3\n' });
    expect((await post(`merges/${await approved('more')}/apply`)).json).toMatchObject({ status: 'Merged' });
    expect(await git(folder, 'ls-tree', '--name-only', 'main')).toBe('a\nb\nc');
  });

  it('E1: are seen to collide while work on them goes on', async () => {
    const { studio } = await studioWith();
    const units: { workUnitId: string; branchId: string }[] = [];
    for (const content of ['one', 'two', '1\n']) {
      const { json } = await studio.call('POST', '/studio/workunits', { body: { goal: 'g' } });
      const unit = json as { workUnitId: string; branchId: string };
      units.push(unit);
      await studio.call('POST', at(unit.branchId, 'resync-files'), { body: { files: [{ path: 'a', content }] } });
    }
    const pair = units.slice(0, 2).sort((a, b) => (a.branchId < b.branchId ? -1 : 1));
    const look = async () => (await studio.call('GET', `${PATH}/collisions`, { as: 'read' })).json;
    expect(await look()).toEqual([
      {
        branchIds: pair.map(({ branchId }) => branchId),
        workUnitIds: pair.map(({ workUnitId }) => workUnitId),
        conflicts: [{ path: 'a', kind: 'contents' }],
      },
    ]);
    await studio.call('POST', `/studio/workunits/${units[0]!.workUnitId}/cancel`);
    expect(await look()).toEqual([]);
    // Those of people too, until they have landed.
    for (const name of ['own', 'other']) {
      await studio.call('POST', PATH, { body: { name } });
      await studio.call('POST', at(name, 'resync-files'), { body: { files: [{ path: 'dir/b', content: name }] } });
    }
    const conflicts = [{ path: 'dir/b', kind: 'contents' }];
    expect(await look()).toEqual([{ branchIds: ['other', 'own'], workUnitIds: [], conflicts }]);
    const offer = { sourceBranch: 'own', targetBranch: 'main', summary: 's' };
    const { proposalId } = (await studio.call('POST', '/studio/merges', { body: offer })).json as {
      proposalId: string;
    };
    await studio.call('POST', `/studio/merges/${proposalId}/review`, { body: { decision: 'Approved' } });
    expect((await studio.call('POST', `/studio/merges/${proposalId}/apply`)).status).toBe(200);
    expect(await look()).toEqual([{ branchIds: ['main', 'other'], workUnitIds: [], conflicts }]);
  });

  it('that are written without a folder land without a change in that of the user', async () => {
    const studio = await startTestStudio();
    const folder = await tempFolder();
    const commit = await gitRepository(folder, { '.gitattributes': '*.txt text\n', 'a.txt': '1\n2\n' });
    const { branch, approved, post } = await withRepository(studio, folder, commit);
    for (const last of ['3', '4']) {
      await branch(`line-${last}`, { 'a.txt': `1\r\n2\r\n${last}\r\n` });
      expect((await post(`merges/${await approved(`line-${last}`)}/apply`)).json).toMatchObject({ status: 'Merged' });
    }
    expect(await git(folder, 'show', 'main:a.txt')).toBe('1\n2\n4');
    expect(await git(folder, 'status', '--porcelain')).toBe('');
  });

  it('make one file sure', async () => {
    const { studio } = await studioWith();
    await studio.call('POST', PATH, { body: { name: 'one' } });
    expect((await studio.call('POST', `${at('one', 'materialize-file')}?path=dir/b`)).json).toEqual({
      branchId: 'one',
      path: 'dir/b',
      materialized: true,
    });
    expect(await studio.call('POST', `${at('one', 'materialize-file')}?path=none`)).toMatchObject({
      status: 404,
      json: { code: 'reject.file_not_found', details: { materialized: false } },
    });
  });

  it('are refused where they cannot be', async () => {
    const { studio } = await studioWith();
    for (const name of ['main', 'candidate', 'merge/x'])
      expect(await studio.call('POST', PATH, { body: { name } })).toMatchObject(refused(400, 'reject.branch_reserved'));
    expect(await studio.call('POST', PATH, { body: { name: 'x', fromBranchId: 'none' } })).toMatchObject(
      refused(404, 'reject.branch_not_found'),
    );
    for (const name of ['HEAD', '@', 'FETCH_HEAD', '-x', '--all', 'a\0b', 'a\nb', '\u009b']) {
      expect(await studio.call('POST', PATH, { body: { name } }), name).toMatchObject(
        refused(400, 'reject.invalid_input'),
      );
      const unit = await studio.call('POST', '/studio/workunits', { body: { goal: 'g', branchId: name } });
      expect(unit, name).toMatchObject(refused(400, 'reject.invalid_input'));
    }
    await studio.call('POST', PATH, { body: { name: 'x' } });
    expect(await studio.call('POST', PATH, { body: { name: 'x' } })).toMatchObject(
      refused(409, 'reject.branch_exists'),
    );
    for (const kept of ['main', 'candidate'])
      expect(await studio.call('POST', at(kept, 'resync-files'), { body: {} })).toMatchObject(
        refused(400, 'reject.branch_reserved'),
      );
    const folder = await checkedOut(studio, 'candidate');
    await writeFile(join(folder, 'a'), 'not reviewed');
    expect(await studio.call('POST', at('candidate', 'checkout'))).toMatchObject(
      refused(400, 'reject.branch_reserved'),
    );
    const other = await tempFolder();
    await gitRepository(other, { z: '' });
    await studio.call('POST', '/studio/repositories', { body: { path: other } });
    expect(await studio.call('GET', at('main', 'status'))).toMatchObject(
      refused(400, 'reject.branch_unknown_repository'),
    );
  });
});
