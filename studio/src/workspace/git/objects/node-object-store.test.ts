import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { git, gitRepository, writeFiles } from '../../../testing/git/git-repository.js';
import { EMPTY_TREE, at, objectStoreBattery, treeWith } from '../../../testing/git/object-store-battery.js';
import { tempFolder } from '../../../testing/temp-folder.js';
import { nodeObjectStores } from './node-object-store.js';
import type { ObjectStore } from './object-store.js';
import { branchRef } from './ref-names.js';

async function emptyStore(): Promise<ObjectStore> {
  const store = await nodeObjectStores(await tempFolder()).of('repo-1');
  expect(await store.emptyTree()).toBe(EMPTY_TREE);
  return store;
}

objectStoreBattery(emptyStore);

describe('the object store of git', () => {
  it('takes over the commits of a repository, and keeps them when they are gone there', async () => {
    const folder = await tempFolder();
    const commit = await gitRepository(folder, { 'a/b': 'one', c: 'two' });
    const store = await emptyStore();
    await store.receive(folder, [`HEAD:${branchRef('main')}`]);
    await git(folder, 'checkout', '--quiet', '--orphan', 'other');
    await git(folder, 'branch', '-D', 'main');
    await git(folder, 'reflog', 'expire', '--expire=now', '--all');
    await git(folder, 'gc', '--quiet', '--prune=now');
    expect(await store.at(branchRef('main'))).toBe(commit);
    const files = await store.files(commit);
    expect(files.map(({ path, mode }) => [path, mode])).toEqual([
      ['a/b', '100644'],
      ['c', '100644'],
    ]);
    expect((await store.read((await store.entry(commit, 'a/b'))!.id)).toString()).toBe('one');
    expect(await store.entry(commit, 'nothing')).toBeUndefined();
  });

  it('stores line breaks as git does from a folder, by the attributes of a file and what it was', async () => {
    const ways = ['text', 'text=auto', '-text', 'eol=crlf', 'eol=lf', 'crlf', '-crlf', 'crlf=input', 'binary', 'diff'];
    const before = ['1\n2\n', '1\r\n2\r\n', undefined];
    const after = ['1\r\n3\r\n', '1\r\n\0', '1\r2\r\n', '\u0001\r\n', '\f\r\r\n', Buffer.from('\xe9\r\n4\n', 'latin1')];
    const [there, edits]: { path: string; content: string | Buffer }[][] = [[], []];
    for (const way of ways) {
      there!.push({ path: `${way}/.gitattributes`, content: `[0-9]* ${way}\n` });
      for (const [was, text] of before.entries())
        for (const [is, content] of after.entries()) {
          const path = `${way}/${was}-${is}`;
          if (text !== undefined) there!.push({ path, content: text });
          edits!.push({ path, content });
        }
    }
    const store = await emptyStore();
    const tree = await store.edit(EMPTY_TREE, there!);
    const folder = await tempFolder();
    await gitRepository(folder, {});
    await git(folder, 'fetch', '--quiet', store.folder, await store.commit({ tree, parents: [], message: 'x', at }));
    await git(folder, 'read-tree', '--reset', '-u', 'FETCH_HEAD');
    await writeFiles(folder, Object.fromEntries(edits!.map(({ path, content }) => [path, content])));
    await git(folder, '-c', 'core.safecrlf=false', 'add', '--all');
    const stored = await store.files(await store.edit(tree, edits!));
    const asGit = (await git(folder, 'ls-files', '--format=%(path) %(objectname)')).split('\n');
    expect(stored.map(({ path, id }) => `${path} ${id}`)).toEqual(asGit);
  });

  it('merges a file in the way that its attributes on our side say', async () => {
    const store = await emptyStore();
    const attributes = { '.gitattributes': 'log merge=union\n', 'dir/.gitattributes': 'lock -merge\n' };
    const base = await treeWith(store, { ...attributes, log: '1\n', 'dir/lock': '1\n2\n3\n4\n5\n' });
    const ours = await treeWith(store, { log: '1\nours\n', 'dir/lock': 'X\n2\n3\n4\n5\n' }, base);
    const theirs = await treeWith(store, { log: '1\ntheirs\n', 'dir/lock': '1\n2\n3\n4\nY\n' }, base);
    const merged = await store.merge(base, ours, theirs);
    expect(merged).toMatchObject({ clean: false, conflicts: [{ path: 'dir/lock' }] });
    const log = await store.entry(merged.tree, 'log');
    expect((await store.read(log!.id)).toString()).toBe('1\nours\ntheirs\n');
    const without = await store.edit(ours, [{ path: 'dir/.gitattributes', content: null }]);
    expect(await store.merge(base, without, theirs)).toMatchObject({ clean: true });
  });

  it('waits for a ref that another git holds, longer than git does, and says then which of the two was first', async () => {
    const store = await emptyStore();
    const tree = await treeWith(store, { a: '1' });
    const commitOf = (message: string): Promise<string> => store.commit({ tree, parents: [], message, at });
    const [one, other] = [await commitOf('one'), await commitOf('other')];
    const ref = branchRef('main');
    const lock = join(store.folder, `${ref}.lock`);
    const moved = async (leave: () => Promise<void>): Promise<boolean> => {
      await mkdir(dirname(lock), { recursive: true });
      await writeFile(lock, `${other}\n`);
      const [answer] = await Promise.all([store.move(ref, undefined, one), setTimeout(600).then(leave)]);
      return answer;
    };
    expect(await moved(() => rename(lock, join(store.folder, ref)))).toBe(false);
    expect(await store.move(ref, other, undefined)).toBe(true);
    expect(await moved(() => rm(lock))).toBe(true);
    expect(await store.at(ref)).toBe(one);
  });

  it('says of every ref what git says, in whatever form git keeps it', async () => {
    const store = await emptyStore();
    const tree = await treeWith(store, { a: '1' });
    const [one, other] = [
      await store.commit({ tree, parents: [], message: 'one', at }),
      await store.commit({ tree, parents: [], message: 'other', at }),
    ];
    const refs = ['refs/weft/loose', 'refs/weft/packed', 'refs/weft/both', 'refs/weft/gone', 'refs/weft/link'];
    const expectAsGit = async (expected: readonly (string | undefined)[]): Promise<void> => {
      const asked = refs.map((ref) =>
        git(store.folder, 'rev-parse', '--verify', '--quiet', ref).catch(() => undefined),
      );
      expect(await Promise.all(asked)).toEqual(expected);
      expect(await Promise.all(refs.map((ref) => store.at(ref)))).toEqual(expected);
    };
    const [loose, packed, both, gone, link] = refs as [string, string, string, string, string];
    await expectAsGit([undefined, undefined, undefined, undefined, undefined]);
    for (const ref of [packed, both, gone]) await store.move(ref, undefined, one);
    await expectAsGit([undefined, one, one, one, undefined]);
    await git(store.folder, 'pack-refs', '--all');
    await expectAsGit([undefined, one, one, one, undefined]);
    expect(await store.move(loose, undefined, other)).toBe(true);
    expect(await store.move(both, one, other)).toBe(true);
    expect(await store.move(gone, one, undefined)).toBe(true);
    await git(store.folder, 'symbolic-ref', link, packed);
    await expectAsGit([other, one, other, undefined, one]);
    expect(await store.at('refs/weft')).toBeUndefined();
    expect(await store.at(`${loose}/below`)).toBeUndefined();
  });

  it('does not take an answer for true when what it is about has gone, or has come', async () => {
    const store = await emptyStore();
    const elsewhere = await emptyStore();
    const tree = await treeWith(elsewhere, { a: '1' });
    const commit = await elsewhere.commit({ tree, parents: [], message: 'x', at });
    await expect(store.treeOf(commit)).rejects.toMatchObject({ reason: 'reject.git_failed' });
    await expect(store.merge(commit, commit, commit)).rejects.toMatchObject({ reason: 'reject.git_failed' });
    await elsewhere.move(branchRef('x'), undefined, commit);
    await store.receive(elsewhere.folder, [branchRef('x')]);
    for (let n = 0; n < 2; n++) {
      expect(await store.treeOf(commit)).toBe(tree);
      expect(await store.merge(commit, commit, commit)).toMatchObject({ tree, clean: true });
      expect((await store.files(commit)).map(({ path }) => path)).toEqual(['a']);
    }
    expect(await store.prune('now', true)).toBeGreaterThan(0);
    await expect(store.treeOf(commit)).rejects.toMatchObject({ reason: 'reject.git_failed' });
    await expect(store.files(commit)).rejects.toMatchObject({ reason: 'reject.git_failed' });
  });

  it('keeps nothing of merges that it tries', async () => {
    const store = await emptyStore();
    const base = await treeWith(store, { a: 'one\n', b: 'two\n' });
    const first = await store.commit({ tree: base, parents: [], message: 'x', at });
    const branch = async (files: Readonly<Record<string, string>>) =>
      store.commit({ tree: await treeWith(store, files, base), parents: [first], message: 'x', at });
    const [one, other, third] = [await branch({ a: '1\n' }), await branch({ b: '2\n' }), await branch({ a: '3\n' })];
    const before = await git(store.folder, 'count-objects');
    await store.tryPairs([
      [one, other],
      [one, third],
    ]);
    expect(await git(store.folder, 'count-objects')).toEqual(before);
  });

  it('has its settings from a file of its own, which every start writes anew and none includes twice', async () => {
    const folder = await tempFolder();
    const { folder: path } = await nodeObjectStores(folder).of('repo-1');
    const settings = async (): Promise<string> =>
      git(
        path,
        'config',
        '--get-regexp',
        '^(gc.auto|maintenance.auto|core.(protect.*|fsync|quotepath)|uploadpack..*)$',
      );
    const expected = [
      'gc.auto 0',
      'maintenance.auto false',
      'core.protecthfs true',
      'core.protectntfs true',
      'core.fsync committed',
      'core.quotepath false',
      'uploadpack.allowanysha1inwant true',
    ].join('\n');
    expect(await settings()).toBe(expected);
    await writeFile(join(path, 'weft.config'), '');
    await nodeObjectStores(folder).of('repo-1');
    expect(await settings()).toBe(expected);
    expect((await readFile(join(path, 'config'), 'utf8')).match(/weft\.config/g)).toHaveLength(1);
  });
});
