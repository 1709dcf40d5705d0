/** Private repositories as the user of the host would find them where nothing is mounted; confined ones are in the system suite. */
import { access, mkdir, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git, gitRepository, shell, writeFiles } from '../../testing/git/git-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { nodeObjectStores } from '../git/objects/node-object-store.js';
import { NodeSpaces } from '../git/spaces/node-spaces.js';
import type { ObjectStore } from '../git/objects/object-store.js';
import { branchRef } from '../git/objects/ref-names.js';
import { privateGitOf } from './private-gits.js';

const key = { repositoryId: 'repo-1', branchId: 'work' };

async function begun(more = '') {
  const base = await tempFolder();
  const user = join(base, 'user');
  await gitRepository(user, { a: '1\n', 'dir/b': '2\n' });
  await shell(user, `git tag -a -m one v1.0 && git tag plain && git commit -q --allow-empty -m second; ${more}`);
  const own = join(base, 'studio');
  const store = await nodeObjectStores(join(own, 'git')).of('repo-1');
  await store.receive(user, [`HEAD:${branchRef('main')}`]);
  const commit = (await store.at(branchRef('main')))!;
  const begin = async (): Promise<NodeSpaces> => {
    const spaces = new NodeSpaces(own, { privateGit: 'in place', folderOf: () => user });
    await spaces.recover();
    return spaces;
  };
  return { base, user, own, store, commit, begin, spaces: await begin() };
}

async function next(store: ObjectStore, from: string, path: string, content: string): Promise<string> {
  const tree = await store.edit(from, [{ path, content }]);
  return store.commit({ tree, parents: [from], message: 'more', at: '2026-01-01T00:00:00Z' });
}

describe('the private repository of a folder', () => {
  it('stands at the commit of the folder, with tags, and without remotes, hooks or branches of others', async () => {
    const { store, spaces, commit, user } = await begun('git tag -a -m two v2.0 && git branch other');
    const { folder } = await spaces.open(store, key, commit);
    expect(await git(folder, 'status', '--porcelain=v2', '--branch')).toBe(
      `# branch.oid ${commit}\n# branch.head work`,
    );
    expect(await git(folder, 'describe')).toBe('v2.0');
    expect(await git(folder, 'describe', '--tags', 'HEAD~1')).toBe('v1.0');
    expect(await git(folder, 'for-each-ref', '--format=%(refname)')).toBe(
      ['refs/heads/work', 'refs/tags/plain', 'refs/tags/v1.0', 'refs/tags/v2.0'].join('\n'),
    );
    expect(await git(folder, 'remote')).toBe('');
    await git(folder, 'fsck', '--strict');
    expect(await git(user, 'for-each-ref', '--format=%(refname)')).not.toContain('work');
  });

  it('finds tags that come later, and those of other histories are left out', async () => {
    const { store, spaces, commit, user } = await begun(
      'git checkout -q --orphan else && git commit -q -m x && git tag -am far far && git checkout -q main',
    );
    await spaces.open(store, key, commit);
    await git(user, 'tag', '-a', '-m', 'late', 'late', commit);
    const { folder } = await spaces.open(store, { ...key, branchId: 'second' }, commit);
    expect(await git(folder, 'describe')).toBe('late');
    expect(await git(folder, 'tag')).not.toContain('far');
  });

  it('is no part of what is collected, and what is committed there reaches no ref of the store', async () => {
    const { store, spaces, commit } = await begun();
    const space = await spaces.open(store, key, commit);
    const before = await store.refs('refs/');
    await writeFiles(space.folder, { a: 'changed\n' });
    await shell(
      space.folder,
      'git commit -qam mine && git branch of-mine && git tag mine && git update-ref refs/weft/branches/main HEAD && echo 3 > c',
    );
    const tree = await spaces.snapshot(store, space);
    expect((await store.changes(commit, tree)).map(({ path }) => path)).toEqual(['a', 'c']);
    expect(await spaces.files(store, space)).toEqual(['a', 'c', 'dir/b']);
    expect(await spaces.ignored(store, space)).toEqual([]);
    expect(await store.refs('refs/')).toEqual(before);
    // What it has committed is not in the store either, but for the tree that was collected.
    expect(await store.has(await git(space.folder, 'rev-parse', 'of-mine'))).toBe(false);
  });

  it('follows the folder, until a program has committed there', async () => {
    const { store, spaces, commit } = await begun();
    const space = await spaces.open(store, key, commit);
    const second = await next(store, commit, 'a', 'two\n');
    expect(await spaces.bring(store, space, await store.treeOf(commit), second)).toBe(true);
    expect(await git(space.folder, 'status', '--porcelain=v2', '--branch')).toContain(`# branch.oid ${second}`);
    await shell(space.folder, 'git config user.name Mine && git commit -q --allow-empty -m mine');
    const mine = await git(space.folder, 'rev-parse', 'HEAD');
    const third = await next(store, second, 'a', 'three\n');
    expect(await spaces.bring(store, { ...space, commit: second }, await store.treeOf(second), third)).toBe(true);
    expect(await git(space.folder, 'rev-parse', 'HEAD')).toBe(mine);
    expect(await git(space.folder, 'status', '--porcelain')).toBe('M a');
    expect(await git(space.folder, 'config', 'user.name')).toBe('Mine');
  });

  it('is written to by the host at its first level alone: links that a program has put below lead nowhere', async () => {
    const { base, store, spaces, commit } = await begun();
    const space = await spaces.open(store, key, commit);
    const { repository } = (await privateGitOf(space.folder))!;
    await writeFiles(join(base, 'elsewhere'), { index: 'mine', 'packed-refs': 'mine' });
    for (const name of ['index', 'refs']) await rm(join(repository, name), { recursive: true });
    await symlink(join(base, 'elsewhere', 'index'), join(repository, 'index'));
    await symlink(join(base, 'elsewhere'), join(repository, 'refs'));
    const second = await next(store, commit, 'a', 'two\n');
    expect(await spaces.bring(store, space, await store.treeOf(commit), second)).toBe(true);
    expect(await readFile(join(base, 'elsewhere', 'index'), 'utf8')).toBe('mine');
    expect((await readdir(join(base, 'elsewhere'))).toSorted()).toEqual(['index', 'packed-refs']);
  });

  it('is there again when the file that leads to it was removed, and stays what it was', async () => {
    const { store, spaces, commit } = await begun();
    const { folder } = await spaces.open(store, key, commit);
    await shell(folder, 'git commit -q --allow-empty -m mine');
    const mine = await git(folder, 'rev-parse', 'HEAD');
    await rm(join(folder, '.git'));
    await spaces.open(store, key, commit);
    expect(await git(folder, 'rev-parse', 'HEAD')).toBe(mine);
    // A repository that a program has made in its stead is left alone.
    await rm(join(folder, '.git'));
    await mkdir(join(folder, '.git'));
    await writeFile(join(folder, '.git', 'mine'), '');
    await spaces.open(store, key, commit);
    expect(await readdir(join(folder, '.git'))).toEqual(['mine']);
  });

  it('is made anew with its folder after a start, and goes with it', async () => {
    const { own, store, spaces, commit, begin } = await begun();
    const { folder } = await spaces.open(store, key, commit);
    const place = join(own, 'workspace-git', 'workspaces', basename(folder));
    await spaces.idle();
    await rm(folder, { recursive: true });
    await mkdir(join(own, 'workspace-git', 'spare-7'), { recursive: true });
    const again = await begin();
    await expect(access(place)).rejects.toThrow();
    await expect(access(join(own, 'workspace-git', 'spare-7'))).rejects.toThrow();
    const space = await again.open(store, key, commit);
    expect(await git(folder, 'describe')).toMatch(/^v1.0-1-g/);
    await again.idle();
    // A host that died while it made one: the next opening gives it.
    await rm(place, { recursive: true });
    const third = await begin();
    await third.open(store, key, commit);
    expect(await git(folder, 'rev-parse', 'HEAD')).toBe(commit);
    expect(await third.remove(store, space, { tree: await store.treeOf(commit), ignored: [] })).toBe(true);
    await expect(access(place)).rejects.toThrow();
  });

  it('is given to a folder that is made to run something, and not to one that a caller has named', async () => {
    const { base, store, spaces, commit } = await begun();
    const folder = await spaces.export(store, commit, 'gate');
    expect(await git(folder, 'describe')).toMatch(/^v1.0-1-g/);
    await spaces.discard(folder);
    expect(await privateGitOf(folder)).toBeUndefined();
    const named = await spaces.export(store, commit, 'x', join(base, 'named'));
    expect((await readdir(named)).toSorted()).toEqual(['a', 'dir']);
  });
});
