import { chmod, mkdir, readFile, readdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Notice } from '@weft/core';
import { describe, expect, it } from 'vitest';
import { git, gitRepository, shell, writeFiles } from '../../../testing/git/git-repository.js';
import { tempFolder } from '../../../testing/temp-folder.js';
import { nodeObjectStores } from '../objects/node-object-store.js';
import { NodeSpaces, type SpacesOptions } from './node-spaces.js';
import type { ObjectStore } from '../objects/object-store.js';
import { branchRef } from '../objects/ref-names.js';
import { type Space, statusOf } from './spaces.js';

const key = { repositoryId: 'repo-1', branchId: 'work/ü 1' };

interface Bench {
  readonly folder: string;
  readonly store: ObjectStore;
  readonly spaces: NodeSpaces;
  readonly commit: string;
}

async function bench(files: Readonly<Record<string, string>>, options?: SpacesOptions): Promise<Bench> {
  const folder = await tempFolder();
  const commit = await gitRepository(join(folder, 'user'), files);
  const store = await nodeObjectStores(join(folder, 'git')).of('repo-1');
  await store.receive(join(folder, 'user'), [`HEAD:${branchRef('main')}`]);
  const spaces = new NodeSpaces(folder, options);
  await spaces.recover();
  return { folder, store, spaces, commit };
}

const kinds = async ({ spaces, store }: Bench, space: Space): Promise<unknown> =>
  (await statusOf(spaces, store, space)).changes.map(({ path, changeKind }) => [path, changeKind]);

describe('a workspace', () => {
  it('fault 24: is a plain folder that is written back as a tree, without what is ignored', async () => {
    const it = await bench({ 'a/b': '1', c: '2', '.gitignore': 'out/\n' });
    const space = await it.spaces.open(it.store, key, it.commit);
    expect((await readdir(space.folder)).sort()).toEqual(['.gitignore', 'a', 'c']);
    expect(await it.spaces.snapshot(it.store, space)).toBe(await it.store.treeOf(it.commit));
    await writeFiles(space.folder, { 'a/b': 'changed', 'new/d\ne': '3', '-x': '', 'out/built': 'x' });
    await rm(join(space.folder, 'c'));
    expect(await kinds(it, space)).toEqual([
      ['-x', 'Added'],
      ['a/b', 'Modified'],
      ['c', 'Deleted'],
      ['new/d\ne', 'Added'],
    ]);
    const tree = await it.spaces.snapshot(it.store, space);
    const saved = await it.store.commit({ tree, parents: [it.commit], message: 'x', at: '2026-01-01T00:00:00Z' });
    await it.spaces.settle(space, saved);
    const settled = (await it.spaces.find(key))!;
    expect([settled.commit, await kinds(it, settled)]).toEqual([saved, []]);
    expect(await it.spaces.bring(it.store, settled, tree, it.commit)).toBe(true);
    expect(await readFile(join(space.folder, 'a/b'), 'utf8')).toBe('1');
    expect(await it.spaces.snapshot(it.store, space)).toBe(await it.store.treeOf(it.commit));
  });

  it('fault 24: keeps modes, links, line ends and pointers as they are, and follows no link', async () => {
    const files = {
      'dir/a': '1',
      crlf: 'a\r\nb\r\n',
      Case: '1',
      case: '2',
      big: 'version https://git-lfs\n',
      sh: '#!',
    };
    const it = await bench({ ...files, '.gitattributes': 'big filter=lfs\n* filter=evil\n' });
    const space = await it.spaces.open(it.store, key, it.commit);
    expect(await readFile(join(space.folder, 'crlf'), 'utf8')).toBe('a\r\nb\r\n');
    expect(await kinds(it, space)).toEqual([]);
    await chmod(join(space.folder, 'sh'), 0o755);
    await symlink('/etc', join(space.folder, 'out'));
    await writeFiles(join(it.folder, 'elsewhere'), { a: 'secret' });
    await rename(join(space.folder, 'dir'), join(it.folder, 'old'));
    await symlink(join(it.folder, 'elsewhere'), join(space.folder, 'dir'));
    const tree = await it.spaces.snapshot(it.store, space);
    const found = new Map((await it.store.files(tree)).map(({ path, mode }) => [path, mode]));
    expect([found.get('sh'), found.get('out'), found.get('dir'), found.has('dir/a')]).toEqual([
      ...['100755', '120000', '120000', false],
    ]);
    expect((await it.store.read((await it.store.entry(tree, 'out'))!.id)).toString()).toBe('/etc');
  });

  it('fault 24: is saved with what was written, changed and removed under names that are no text', async () => {
    const it = await bench({ a: '1' });
    const space = await it.spaces.open(it.store, key, it.commit);
    const saved = async (script: string): Promise<string> => {
      await shell(space.folder, script);
      const tree = await it.spaces.snapshot(it.store, space);
      return shell(
        it.store.folder,
        `git ls-tree -r -z --format='%(path) %(objectsize)' ${tree} | od -An -c | tr -d ' \\n'`,
      );
    };
    const name = (octal: string) => `"$(printf 'd/caf\\${octal}')"`;
    expect(await saved(`mkdir d; echo 1 > ${name('351')}; echo 1 > ${name('352')}`)).toBe(
      'a1\\0d/caf3512\\0d/caf3522\\0',
    );
    expect(await saved(`echo changed > ${name('351')}; rm ${name('352')}`)).toBe('a1\\0d/caf3518\\0');
  });

  it('is written as one pack where much of it is new, and as what it would be otherwise', async () => {
    const it = await bench({ kept: '1', '.gitattributes': '*.txt text\n' });
    const files = Array.from({ length: 600 }, (_, n) => [`new/${n % 7}/${n}`, n === 0 ? '' : `${n}\r\n`] as const);
    const loose = async (): Promise<number> => {
      const folders = (await readdir(join(it.store.folder, 'objects'))).filter((name) => /^[0-9a-f]{2}$/.test(name));
      const inEach = folders.map((name) => readdir(join(it.store.folder, 'objects', name)));
      return (await Promise.all(inEach)).flat().length;
    };
    const space = await it.spaces.open(it.store, key, it.commit);
    await writeFiles(space.folder, { ...Object.fromEntries(files), 'ends.txt': 'a\r\n' });
    const before = await loose();
    const tree = await it.spaces.snapshot(it.store, space);
    // Trees, what is empty, and what is converted.
    expect((await loose()) - before).toBeLessThan(20);
    const read = async (path: string): Promise<string> =>
      (await it.store.read((await it.store.entry(tree, path))!.id)).toString();
    expect([await read('new/1/1'), await read('new/0/0'), await read('ends.txt')]).toEqual(['1\r\n', '', 'a\n']);
    const held = await it.store.files(tree);
    expect(held.map(({ path }) => path).sort()).toEqual(
      [...files.map(([path]) => path), 'ends.txt', 'kept', '.gitattributes'].sort(),
    );
    await git(it.store.folder, 'fsck', '--full', '--strict');
  });

  it('fault 24: refuses a repository inside it and a file that is too large, and says which', async () => {
    const it = await bench({ a: '1' });
    const space = await it.spaces.open(it.store, key, it.commit);
    await gitRepository(join(space.folder, 'inner'), { x: '1' });
    await expect(it.spaces.snapshot(it.store, space)).rejects.toMatchObject({
      reason: 'reject.nested_repository',
      data: { paths: ['inner/'] },
    });
    await rm(join(space.folder, 'inner'), { recursive: true });
    await writeFile(join(space.folder, 'huge'), '');
    await truncate(join(space.folder, 'huge'), (100 << 20) + 1);
    await expect(it.spaces.snapshot(it.store, space)).rejects.toMatchObject({
      reason: 'reject.file_too_large',
      data: { path: 'huge' },
    });
  });

  it('runs nothing that lies in it: hooks, file system monitors, filters, drivers', async () => {
    const it = await bench({ a: '1', sub: '1' });
    const space = await it.spaces.open(it.store, key, it.commit);
    const mark = join(it.folder, 'mark');
    await git(space.folder, 'init', '--quiet');
    for (const name of ['core.fsmonitor', 'filter.x.clean', 'filter.x.smudge', 'filter.x.process', 'diff.x.textconv'])
      await git(space.folder, 'config', name, `touch ${mark}`);
    await writeFiles(space.folder, { '.gitattributes': '* filter=x diff=x merge=x\n', a: '2' });
    for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction', 'pre-commit']) {
      await mkdir(join(space.folder, '.git/hooks'), { recursive: true });
      await writeFile(join(space.folder, '.git/hooks', hook), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    }
    const tree = await it.spaces.snapshot(it.store, space);
    await it.spaces.bring(it.store, space, tree, it.commit);
    expect((await it.store.files(tree)).map(({ path }) => path)).toEqual(['.gitattributes', 'a', 'sub']);
    await expect(readFile(mark)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is not brought elsewhere over what was written since it was looked at', async () => {
    const it = await bench({ a: '1', '.gitignore': 'out\n' });
    const space = await it.spaces.open(it.store, key, it.commit);
    const tree = await it.store.edit(it.commit, [
      { path: 'a', content: '2' },
      { path: 'out', content: 'tracked' },
    ]);
    const other = await it.store.commit({ tree, parents: [it.commit], message: 'x', at: '2026-01-01T00:00:00Z' });
    for (const path of ['a', 'out']) {
      const seen = await it.spaces.snapshot(it.store, space);
      await writeFile(join(space.folder, path), 'by hand');
      expect(await it.spaces.bring(it.store, space, seen, other), path).toBe(false);
      expect(await readFile(join(space.folder, path), 'utf8')).toBe('by hand');
      if (path === 'a') await writeFile(join(space.folder, 'a'), '1');
    }
    expect((await it.spaces.find(key))?.commit).toBe(it.commit);
  });

  it('fault 24: keeps what is ignored where a folder or a file of that name is to come', async () => {
    const it = await bench({ a: '1', tracked: '1', '.gitignore': 'out\ndist\n' });
    const space = await it.spaces.open(it.store, key, it.commit);
    await writeFiles(space.folder, { out: 'by hand', 'dist/x/y': 'by hand' });
    for (const path of ['out/new', 'dist', 'dist/x/y/z', 'dist/x']) {
      const tree = await it.store.edit(it.commit, [{ path, content: 'tracked' }]);
      const other = await it.store.commit({ tree, parents: [it.commit], message: 'x', at: '2026-01-01T00:00:00Z' });
      const seen = await it.spaces.snapshot(it.store, space);
      expect(await it.spaces.bring(it.store, space, seen, other), path).toBe(false);
      const left = ['out', 'dist/x/y'].map((name) => readFile(join(space.folder, name), 'utf8'));
      expect(await Promise.all(left)).toEqual(['by hand', 'by hand']);
    }
    // What is tracked makes room.
    const tree = await it.store.edit(it.commit, [
      { path: 'tracked/new', content: '2' },
      { path: 'tracked', content: null },
      { path: 'dist/free', content: '2' },
    ]);
    const other = await it.store.commit({ tree, parents: [it.commit], message: 'x', at: '2026-01-01T00:00:00Z' });
    expect(await it.spaces.bring(it.store, space, await it.spaces.snapshot(it.store, space), other)).toBe(true);
    expect(await readFile(join(space.folder, 'tracked/new'), 'utf8')).toBe('2');
    const back = (await it.spaces.find(key))!;
    expect(await it.spaces.bring(it.store, back, tree, it.commit)).toBe(true);
    expect(await readFile(join(space.folder, 'tracked'), 'utf8')).toBe('1');
  });

  it('is made from one that was made ahead, and is the same', async () => {
    const it = await bench({ a: '1', 'b/c': '2' });
    await it.spaces.open(it.store, key, it.commit);
    const other = await it.store.commit({
      tree: await it.store.edit(it.commit, [{ path: 'b/c', content: '3' }]),
      parents: [it.commit],
      message: 'x',
      at: '2026-01-01T00:00:00Z',
    });
    await it.spaces.idle();
    const space = await it.spaces.open(it.store, { ...key, branchId: 'two' }, other);
    expect(await readFile(join(space.folder, 'b/c'), 'utf8')).toBe('3');
    expect(await kinds(it, space)).toEqual([]);
    await it.spaces.idle();
  });

  it('fault 17: 32 at once, and none is lost or mixed up', async () => {
    const it = await bench(Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`d${n % 4}/f${n}`, `${n}`])));
    // All of them read alike at their beginning, and one folder is being made ahead.
    const branchId = `work/${'x'.repeat(40)}`;
    await it.spaces.open(it.store, key, it.commit);
    const all = await Promise.all(
      Array.from({ length: 32 }, async (_, n) => {
        const space = await it.spaces.open(it.store, { ...key, branchId: branchId + n }, it.commit);
        await writeFile(join(space.folder, 'mine'), `${n}`);
        return { space, tree: await it.spaces.snapshot(it.store, space) };
      }),
    );
    for (const [n, { tree }] of all.entries()) {
      expect((await it.store.read((await it.store.entry(tree, 'mine'))!.id)).toString()).toBe(`${n}`);
      expect(await it.store.files(tree)).toHaveLength(41);
    }
    expect(await it.spaces.all()).toHaveLength(33);
    await it.spaces.idle();
  });

  it('fault 17: is not mixed up with one that could not be made', async () => {
    const it = await bench({ a: '1', 'old/b': '2', z: '3' });
    const [z, tree] = [(await it.store.entry(it.commit, 'z'))!.id, await it.store.treeOf(it.commit)];
    const object = join(it.store.folder, 'objects', z.slice(0, 2), z.slice(2));
    await rename(object, `${object}.away`);
    await expect(it.spaces.open(it.store, key, it.commit)).rejects.toMatchObject({ reason: 'reject.git_failed' });
    // Some of it was written before that, and nobody has it.
    expect([await it.spaces.find(key), await it.spaces.isLost(key), await it.spaces.all()]).toEqual([
      ...[undefined, false, []],
    ]);
    const [name = ''] = await readdir(join(it.folder, 'workspaces'));
    expect(await readdir(join(it.folder, 'workspaces', name))).toContain('a');
    await rename(`${object}.away`, object);
    // What a git that is killed leaves, when it was writing.
    for (const left of ['', '.lock'])
      await writeFile(join(it.folder, 'workspace-notes', `${name}.index${left}`), 'torn');
    const without = await it.store.edit(tree, [{ path: 'old/b', content: null }]);
    const moved = await it.store.commit({
      tree: without,
      parents: [it.commit],
      message: 'x',
      at: '2026-01-01T00:00:00Z',
    });
    const space = await it.spaces.open(it.store, key, moved);
    expect((await readdir(space.folder)).sort()).toEqual(['a', 'z']);
    expect(await kinds(it, space)).toEqual([]);
    await it.spaces.idle();
  });

  it('is gone when it is removed; one that was not finished is made anew', async () => {
    const it = await bench({ a: '1' });
    const space = await it.spaces.open(it.store, key, it.commit);
    expect(await it.spaces.remove(it.store, space, { tree: await it.store.treeOf(it.commit), ignored: [] })).toBe(true);
    expect(await it.spaces.find(key)).toBeUndefined();
    await it.spaces.idle();
    await mkdir(join(it.folder, 'workspaces', 'half'));
    await writeFiles(join(it.folder, 'workspaces'), { '.half-a-file.tmp': 'x' });
    const again = new NodeSpaces(it.folder);
    await again.recover();
    expect(await readdir(join(it.folder, 'workspaces'))).toEqual([]);
    expect((await again.open(it.store, key, it.commit)).folder).toBe(space.folder);
    await again.idle();
  });

  it('fault 18: is saved though a git was killed while it wrote down what is in it', async () => {
    const it = await bench({ a: '1' });
    const space = await it.spaces.open(it.store, key, it.commit);
    const notes = join(it.folder, 'workspace-notes');
    const [index = ''] = (await readdir(notes)).filter((name) => name.endsWith('.index'));
    await writeFile(join(notes, `${index}.lock`), '');
    await writeFile(join(space.folder, 'a'), '2');
    await expect(it.spaces.snapshot(it.store, space)).rejects.toMatchObject({ reason: 'reject.git_failed' });
    await it.spaces.idle();
    const again = new NodeSpaces(it.folder);
    await again.recover();
    const tree = await again.snapshot(it.store, (await again.find(key))!);
    expect((await it.store.read((await it.store.entry(tree, 'a'))!.id)).toString()).toBe('2');
  });

  it('fault 18: goes on with what was written in it when its note was torn, and so do all others', async () => {
    const it = await bench({ a: '1', b: '1' });
    const commitOf = async (from: string, path: string, content: string) =>
      it.store.commit({
        tree: await it.store.edit(from, [{ path, content }]),
        parents: [from],
        message: 'x',
        at: '2026-01-01T00:00:00Z',
      });
    const names = ['empty', 'zeros', 'half', 'other', 'gone', 'whole'];
    const folders = new Map<string, string>();
    for (const branchId of names) {
      const { folder } = await it.spaces.open(it.store, { ...key, branchId }, it.commit);
      await writeFile(join(folder, 'a'), 'by hand');
      folders.set(branchId, folder);
    }
    await it.spaces.idle();
    const torn = (text: string): Record<string, string> => ({
      empty: '',
      zeros: '\0'.repeat(text.length),
      half: text.slice(0, 40),
      other: '{"v":2}',
      gone: text.slice(1),
    });
    for (const [branchId, folder] of folders) {
      const note = join(it.folder, 'workspace-notes', `${basename(folder)}.json`);
      const text = torn(await readFile(note, 'utf8'))[branchId];
      if (text !== undefined) await writeFile(note, text);
    }
    await rm(folders.get('gone')!, { recursive: true });
    const said: Notice[] = [];
    const again = new NodeSpaces(it.folder, { log: (entry) => said.push(entry) });
    await again.recover();
    expect(said.map(({ level, about }) => `${level} ${about?.['workspace'] as string}`).sort()).toEqual(
      names
        .slice(0, 5)
        .map((name) => `error ${basename(folders.get(name)!)}`)
        .sort(),
    );
    expect((await again.all()).map(({ branchId }) => branchId)).toEqual(['whole']);
    // Its branch has moved on meanwhile, which the folder had not seen.
    const head = await commitOf(it.commit, 'b', '2');
    for (const [branchId, folder] of folders) {
      const space = await again.open(it.store, { ...key, branchId }, head);
      const isMade = branchId === 'gone';
      expect([branchId, space]).toEqual([branchId, { ...key, branchId, folder, commit: isMade ? head : it.commit }]);
      expect(await readFile(join(folder, 'a'), 'utf8')).toBe(isMade ? '1' : 'by hand');
      expect((await statusOf(again, it.store, space)).changes.map(({ path }) => path)).toEqual(isMade ? [] : ['a']);
    }
    await again.idle();
    const third = new NodeSpaces(it.folder, { log: (entry) => said.push(entry) });
    await third.recover();
    expect([said.length, (await third.all()).length]).toEqual([5, 6]);
    const left = await readdir(join(it.folder, 'workspace-notes'));
    expect(left.filter((name) => !/\.(json|index)$/.test(name))).toEqual([]);
  });

  it('fault 26: is not removed with what was written since it was looked at, also when that was broken off', async () => {
    const it = await bench({ a: '1', '.gitignore': 'env\n' });
    const space = await it.spaces.open(it.store, key, it.commit);
    const held = { tree: await it.spaces.snapshot(it.store, space), ignored: [] };
    await writeFile(join(space.folder, 'env'), 'kept');
    expect(await it.spaces.remove(it.store, space, held)).toBe(false);
    await rm(join(space.folder, 'env'));
    await writeFile(join(space.folder, 'by-hand'), 'kept');
    expect(await it.spaces.remove(it.store, space, held)).toBe(false);
    await gitRepository(join(space.folder, 'inner'), { x: '1' });
    expect(await it.spaces.remove(it.store, space, held)).toBe(false);
    expect(await readFile(join(space.folder, 'by-hand'), 'utf8')).toBe('kept');
    await it.spaces.idle();
    // Spare folder that a host left when it ended before it had looked.
    const [name = ''] = await readdir(join(it.folder, 'workspaces'));
    await rename(space.folder, join(it.folder, 'workspace-spares', `gone-7-${name}`));
    const again = new NodeSpaces(it.folder);
    await again.recover();
    // What is left of one that went, and was made again since, is nobody's.
    await mkdir(join(it.folder, 'workspace-spares', `gone-8-${name}`));
    await again.recover();
    expect(await readFile(join((await again.find(key))!.folder, 'by-hand'), 'utf8')).toBe('kept');
    expect(await readdir(join(it.folder, 'workspace-spares'))).toEqual([]);
  });

  it('takes no more disk than it may', async () => {
    const it = await bench({ a: 'x'.repeat(600) }, { mostBytes: 1000 });
    const space = await it.spaces.open(it.store, key, it.commit);
    const other = { ...key, branchId: 'two' };
    await expect(it.spaces.open(it.store, other, it.commit)).rejects.toMatchObject({ reason: 'reject.disk_quota' });
    await it.spaces.remove(it.store, space, { tree: await it.store.treeOf(it.commit), ignored: [] });
    await it.spaces.open(it.store, other, it.commit);
    await it.spaces.idle();
  });
});
