import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git, gitRepository, writeFiles } from '../../../testing/git/git-repository.js';
import { tempFolder } from '../../../testing/temp-folder.js';
import { nodeObjectStores } from '../objects/node-object-store.js';
import { nodeUserBranches } from './node-user-branches.js';

const at = '2026-01-02T03:04:05.000Z';

async function bench(files: Readonly<Record<string, string>> = { a: '1' }) {
  const base = await tempFolder();
  const folder = join(base, 'user');
  const from = await gitRepository(folder, files);
  const store = await nodeObjectStores(join(base, 'git')).of('repo-1');
  await store.receive(folder, ['HEAD:refs/weft/branches/main']);
  const tree = await store.edit(from, [{ path: 'b', content: '2' }]);
  const to = await store.commit({ tree, parents: [from], message: 'b', at });
  const advance = (branch = 'main') => nodeUserBranches.advance(folder, { branch, from, to, source: store.folder });
  return { base, folder, from, to, advance, store };
}

const headOf = (folder: string) => git(folder, 'rev-parse', 'main');

describe("the user's branch", () => {
  it('moves forward with its files, once', async () => {
    const { folder, to, advance } = await bench();
    expect([await advance(), await advance()]).toEqual([true, true]);
    expect(await headOf(folder)).toBe(to);
    expect(await readFile(join(folder, 'b'), 'utf8')).toBe('2');
    expect(await git(folder, 'status', '--porcelain')).toBe('');
  });

  it('fault 21: stays where it is when the folder has changes of its own, whatever they touch', async () => {
    for (const files of [{ a: 'mine' }, { b: 'in the way' }] as const) {
      const { folder, from, advance } = await bench();
      await writeFiles(folder, files);
      await expect(advance()).rejects.toMatchObject({ reason: 'reject.folder_dirty' });
      expect(await headOf(folder)).toBe(from);
      for (const [path, text] of Object.entries(files)) expect(await readFile(join(folder, path), 'utf8')).toBe(text);
    }
    const { folder, advance, to } = await bench();
    await writeFiles(folder, { untracked: 'stays' });
    expect(await advance()).toBe(true);
    expect([await headOf(folder), await readFile(join(folder, 'untracked'), 'utf8')]).toEqual([to, 'stays']);
  });

  it('fault 24: stays when what it would bring is there already and ignored', async () => {
    for (const files of [{ b: 'by hand' }, { 'b/inside': 'by hand' }] as const) {
      const { folder, from, advance } = await bench({ a: '1', '.gitignore': 'b\n' });
      await writeFiles(folder, files);
      await expect(advance()).rejects.toMatchObject({ reason: 'reject.folder_dirty' });
      expect(await headOf(folder)).toBe(from);
      for (const path of Object.keys(files)) expect(await readFile(join(folder, path), 'utf8')).toBe('by hand');
    }
  });

  it('fault 21: moves without a checkout when another branch is checked out, or none', async () => {
    for (const checkout of [['-b', 'other'], ['--detach']]) {
      const { folder, to, advance } = await bench();
      await git(folder, 'checkout', '--quiet', ...checkout);
      await writeFiles(folder, { a: 'mine' });
      expect(await advance()).toBe(true);
      expect(await headOf(folder)).toBe(to);
      expect(await readFile(join(folder, 'a'), 'utf8')).toBe('mine');
      await expect(readFile(join(folder, 'b'))).rejects.toMatchObject({ code: 'ENOENT' });
    }
  });

  it('fault 21: stays when it is checked out elsewhere, or held by a rebase', async () => {
    const { base, folder, from, advance } = await bench();
    await git(folder, 'checkout', '--quiet', '-b', 'other');
    await git(folder, 'worktree', 'add', '--quiet', join(base, 'tree'), 'main');
    await expect(advance()).rejects.toMatchObject({
      reason: 'reject.branch_checked_out',
      data: { path: join(base, 'tree') },
    });
    await git(folder, 'worktree', 'remove', join(base, 'tree'));
    await mkdir(join(folder, '.git/rebase-merge'));
    await writeFile(join(folder, '.git/rebase-merge/head-name'), 'refs/heads/main\n');
    await expect(advance()).rejects.toMatchObject({ reason: 'reject.folder_busy' });
    expect(await headOf(folder)).toBe(from);
  });

  it('fault 21: stays in the middle of a merge or a cherry-pick that has changed nothing yet', async () => {
    for (const name of ['MERGE_HEAD', 'CHERRY_PICK_HEAD']) {
      const { folder, from, advance } = await bench();
      await writeFile(join(folder, '.git', name), `${from}\n`);
      await expect(advance()).rejects.toMatchObject({ reason: 'reject.folder_busy', data: { path: folder } });
      expect(await headOf(folder)).toBe(from);
    }
  });

  it('fault 18: leaves a lock alone that is not its own', async () => {
    const { folder, from, advance } = await bench();
    const lock = join(folder, '.git/index.lock');
    await writeFile(lock, '');
    await expect(advance()).rejects.toMatchObject({ reason: 'reject.folder_busy', data: { lock } });
    expect([await headOf(folder), await readFile(lock, 'utf8')]).toEqual([from, '']);
  });

  it('fault 21: is told to be elsewhere when it was moved, renamed or thrown back', async () => {
    for (const move of [
      ['commit', '--quiet', '--allow-empty', '-m', 'x'],
      ['branch', '-m', 'main', 'trunk'],
    ]) {
      const { folder, advance } = await bench();
      await git(folder, ...move);
      expect(await advance()).toBe(false);
    }
    const { folder, advance, from } = await bench();
    await git(folder, 'commit', '--quiet', '--amend', '--allow-empty', '-m', 'other');
    expect(await advance()).toBe(false);
    expect(await headOf(folder)).not.toBe(from);
  });

  it('fault 21: is begun where it has no commit yet', async () => {
    const { base, store } = await bench();
    const folder = join(base, 'new');
    await git(base, 'init', '--quiet', '--initial-branch=main', 'new');
    expect(await nodeUserBranches.defaultBranch(folder)).toEqual({ name: 'main', commit: undefined });
    await writeFiles(folder, { mine: '1', a: 'in the way', '.git/info/exclude': 'a\n' });
    const tree = await store.treeOf('refs/weft/branches/main');
    const to = await store.commit({ tree, parents: [], message: 'begin', at });
    const wanted = { branch: 'main', from: undefined, to, source: store.folder };
    await expect(nodeUserBranches.advance(folder, wanted)).rejects.toMatchObject({
      reason: 'reject.folder_dirty',
      data: { file: 'a' },
    });
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('in the way');
    await rm(join(folder, 'a'));
    expect(await nodeUserBranches.advance(folder, wanted)).toBe(true);
    expect([await headOf(folder), await readFile(join(folder, 'mine'), 'utf8')]).toEqual([to, '1']);
  });

  it('runs no hook and no filter of the repository', async () => {
    const { base, folder, to, advance } = await bench();
    const mark = join(base, 'mark');
    await mkdir(join(folder, '.git/hooks'));
    for (const hook of ['post-merge', 'post-checkout', 'reference-transaction', 'post-index-change'])
      await writeFile(join(folder, '.git/hooks', hook), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    for (const name of ['clean', 'smudge']) await git(folder, 'config', `filter.x.${name}`, `touch ${mark}; cat`);
    await git(folder, 'config', 'core.fsmonitor', `touch ${mark}`);
    await writeFiles(folder, { '.git/info/attributes': 'a filter=x\n' });
    expect(await advance()).toBe(true);
    expect(await readFile(join(folder, 'b'), 'utf8')).toBe('2');
    await expect(readFile(mark)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await headOf(folder)).toBe(to);
  });

  it('stays when a file of it goes through a filter of the user', async () => {
    const { folder, from, advance } = await bench();
    await git(folder, 'config', 'filter.lfs.smudge', 'cat');
    await writeFiles(folder, { '.git/info/attributes': 'b filter=lfs\n' });
    await expect(advance()).rejects.toMatchObject({ reason: 'reject.branch_checked_out', data: { file: 'b' } });
    expect(await headOf(folder)).toBe(from);
  });

  it('stays when the filter of a file comes with it, and moves when what comes filters nothing of it', async () => {
    for (const [attributes, isFiltered] of [
      ['*.bin filter=lfs\n', true],
      ['[attr]big filter=lfs\n*.bin big\n', true],
      ['*.bin -filter\nother filter=lfs\n', false],
    ] as const)
      for (const place of ['', 'deep/']) {
        const { folder, from, store } = await bench();
        await git(folder, 'config', 'filter.lfs.smudge', 'cat');
        const files = [
          { path: `${attributes.startsWith('[') ? '' : place}.gitattributes`, content: attributes },
          { path: `${place}a.bin`, content: 'pointer' },
        ];
        const to = await store.commit({ tree: await store.edit(from, files), parents: [from], message: 'b', at });
        const advance = nodeUserBranches.advance(folder, { branch: 'main', from, to, source: store.folder });
        if (isFiltered)
          await expect(advance).rejects.toMatchObject({
            reason: 'reject.branch_checked_out',
            data: { file: `${place}a.bin` },
          });
        else expect(await advance).toBe(true);
        expect(await headOf(folder)).toBe(isFiltered ? from : to);
        expect(await git(folder, 'status', '--porcelain')).toBe('');
      }
  });

  it('is found in its file, in the list of packed refs, through another ref, and from a linked tree', async () => {
    const { base, folder, from } = await bench();
    const main = { name: 'main', commit: from };
    expect(await nodeUserBranches.defaultBranch(folder)).toEqual(main);
    await git(folder, 'worktree', 'add', '--quiet', '--detach', '../linked');
    expect(await nodeUserBranches.defaultBranch(join(base, 'linked'))).toEqual(main);
    await git(folder, 'pack-refs', '--all');
    expect(await nodeUserBranches.defaultBranch(folder)).toEqual(main);
    await git(folder, 'commit', '--quiet', '--allow-empty', '--message=next');
    const next = { name: 'main', commit: await headOf(folder) };
    expect(await nodeUserBranches.defaultBranch(folder)).toEqual(next);
    await git(folder, 'checkout', '--quiet', '-b', 'trunk');
  });

  it('is the one that its name leads to, which stays a name for it', async () => {
    const { folder, from, to, store } = await bench();
    await git(folder, 'branch', '-m', 'main', 'trunk');
    await git(folder, 'symbolic-ref', 'refs/heads/main', 'refs/heads/trunk');
    const found = await nodeUserBranches.defaultBranch(folder);
    expect(found).toEqual({ name: 'trunk', commit: from });
    const wanted = { branch: found.name, from, to, source: store.folder };
    expect(await nodeUserBranches.advance(folder, wanted)).toBe(true);
    expect(await git(folder, 'symbolic-ref', 'refs/heads/main')).toBe('refs/heads/trunk');
    expect([await git(folder, 'rev-parse', 'trunk'), await readFile(join(folder, 'b'), 'utf8')]).toEqual([to, '2']);
  });

  it('is main, or master, or what is checked out', async () => {
    const { folder, from } = await bench();
    await git(folder, 'checkout', '--quiet', '-b', 'work');
    expect(await nodeUserBranches.defaultBranch(folder)).toEqual({ name: 'main', commit: from });
    await git(folder, 'branch', '-m', 'main', 'master');
    expect(await nodeUserBranches.defaultBranch(folder)).toEqual({ name: 'master', commit: from });
    await git(folder, 'branch', '-D', 'master');
    expect(await nodeUserBranches.defaultBranch(folder)).toEqual({ name: 'work', commit: from });
  });

  it('is the one that was left for a commit: by a rebase, as the only one, or before the last look', async () => {
    const { folder, from } = await bench();
    await git(folder, 'branch', '-m', 'main', 'work');
    await git(folder, 'checkout', '--quiet', '--detach');
    const work = { name: 'work', commit: from };
    expect(await nodeUserBranches.defaultBranch(folder)).toEqual(work);
    for (const other of ['a', 'z']) await git(folder, 'branch', other);
    expect(await nodeUserBranches.defaultBranch(folder)).toEqual(work);
    await writeFiles(folder, { '.git/rebase-merge/head-name': 'refs/heads/z\n' });
    expect(await nodeUserBranches.defaultBranch(folder)).toEqual({ name: 'z', commit: from });
  });

  it('is to be made on what is checked out where no branch is there, or none is known', async () => {
    const { folder, from, to, store } = await bench();
    await git(folder, 'branch', '-m', 'main', 'work');
    await git(folder, 'checkout', '--quiet', '--detach');
    const toBe = { name: 'main', commit: from, isToBe: true };
    await git(folder, 'branch', '-m', 'work', 'other');
    await git(folder, 'branch', 'another');
    await rm(join(folder, '.git/logs/HEAD'));
    expect(await nodeUserBranches.defaultBranch(folder)).toEqual(toBe);
    for (const name of ['other', 'another']) await git(folder, 'branch', '-D', name);
    expect(await nodeUserBranches.defaultBranch(folder)).toEqual(toBe);
    const wanted = { branch: 'main', from: undefined, to, source: store.folder };
    expect(await nodeUserBranches.advance(folder, wanted)).toBe(true);
    expect(await nodeUserBranches.defaultBranch(folder)).toEqual({ name: 'main', commit: to });
  });
});
