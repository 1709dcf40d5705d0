import { mkdir, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git, gitRepository, writeFiles } from '../../../testing/git/git-repository.js';
import { tempFolder } from '../../../testing/temp-folder.js';
import { ensureFolder, ensureRepository } from './adopt-folder.js';
import type { Git } from '../user/git.js';
import { nodeGit } from '../user/node-git.js';

async function adoptFolder(git: Git, path: string): Promise<string> {
  const { folder } = await ensureFolder(path);
  await ensureRepository(git, folder, join(await tempFolder(), 'store.git'));
  return folder;
}

const unusable = (text: string) => ({
  reason: 'reject.repository_path_unusable',
  message: expect.stringContaining(text) as string,
});

describe('adopting a folder', () => {
  it('takes a git repository as it is', async () => {
    const folder = await tempFolder();
    const commit = await gitRepository(folder, { a: '' });
    expect(await adoptFolder(nodeGit, folder)).toBe(folder);
    expect(await git(folder, 'rev-parse', 'HEAD')).toBe(commit);
  });

  it('makes a repository in an empty folder, on branch main, without hooks', async () => {
    const folder = await tempFolder();
    expect(await adoptFolder(nodeGit, folder)).toBe(folder);
    expect(await readFile(join(folder, '.git', 'HEAD'), 'utf8')).toBe('ref: refs/heads/main\n');
    await expect(readFile(join(folder, '.git', 'hooks', 'pre-commit.sample'))).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });

  it('makes a missing folder, and a name that begins with a dash is a name', async () => {
    const base = await tempFolder();
    const folder = join(base, '--bare');
    expect(await adoptFolder(nodeGit, folder)).toBe(folder);
    expect(await nodeGit.inspect(folder)).toEqual({ kind: 'worktree' });
  });

  it('makes a repository of its own inside another one', async () => {
    const base = await tempFolder();
    await gitRepository(base, { a: '' });
    const folder = await adoptFolder(nodeGit, join(base, 'inner'));
    expect(await git(folder, 'rev-parse', '--show-toplevel')).toBe(folder);
  });

  it('answers the real path behind a symbolic link', async () => {
    const base = await tempFolder();
    await gitRepository(join(base, 'real'), {});
    await symlink(join(base, 'real'), join(base, 'link'));
    expect(await adoptFolder(nodeGit, join(base, 'link'))).toBe(join(base, 'real'));
    expect(await adoptFolder(nodeGit, `${join(base, 'real')}/./`)).toBe(join(base, 'real'));
  });

  it('makes one folder when asked many times at once', async () => {
    const base = await tempFolder();
    const all = Array.from({ length: 8 }, () => ensureFolder(join(base, 'new')));
    const folders = (await Promise.all(all)).map(({ folder }) => folder);
    expect(new Set(folders)).toEqual(new Set([join(base, 'new')]));
  });

  it('goes on where git was ended while it made the repository', async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, '.git', 'objects'), { recursive: true });
    expect(await adoptFolder(nodeGit, folder)).toBe(folder);
    expect(await nodeGit.inspect(folder)).toEqual({ kind: 'worktree' });
  });

  it('does not touch a repository that is damaged in another way', async () => {
    const folder = await tempFolder();
    await gitRepository(folder, { a: '' });
    await rm(join(folder, '.git', 'HEAD'));
    await expect(adoptFolder(nodeGit, folder)).rejects.toMatchObject({ reason: 'reject.git_failed' });
  });

  it('refuses a relative path', async () => {
    await expect(adoptFolder(nodeGit, 'work/one')).rejects.toMatchObject(unusable('not absolute'));
  });

  it('keeps a folder with files in a store elsewhere, but for what was only installed there', async () => {
    const folder = await tempFolder();
    await writeFiles(folder, { a: '1', '-b\n': '2', 'x/node_modules/c': '3' });
    await adoptFolder(nodeGit, folder);
    expect(await nodeGit.inspect(folder)).toEqual({ kind: 'worktree' });
    expect((await git(folder, 'ls-files', '-z')).split('\0').filter((path) => path !== '')).toEqual(['-b\n', 'a']);
    expect(await git(folder, 'status', '--porcelain')).toBe('');
    expect((await readdir(folder)).sort()).toEqual(['-b\n', '.git', 'a', 'x']);
    expect(await readFile(join(folder, '.git'), 'utf8')).toMatch(/^gitdir: .*store\.git\n$/);
  });

  it('refuses a folder with a repository in it, and leaves it alone', async () => {
    const folder = await tempFolder();
    await writeFiles(folder, { a: '' });
    await gitRepository(join(folder, 'inner'), { b: '' });
    await expect(adoptFolder(nodeGit, folder)).rejects.toMatchObject(unusable('has a git repository in it'));
    expect(await nodeGit.inspect(folder)).toEqual({ kind: 'plain' });
  });

  it('refuses a folder that holds the store, such as the root of the disk', async () => {
    const folder = await tempFolder();
    await writeFiles(folder, { a: '' });
    for (const path of [folder, '/'])
      await expect(ensureRepository(nodeGit, path, join(folder, 'studio/store.git'))).rejects.toMatchObject(
        unusable("holds the studio's own folder"),
      );
    expect(await readdir(folder)).toEqual(['a']);
  });

  it('refuses a folder of a repository that is not its root', async () => {
    const base = await tempFolder();
    await gitRepository(base, { 'inside/a': '' });
    await expect(adoptFolder(nodeGit, join(base, 'inside'))).rejects.toMatchObject(unusable('not a git repository'));
  });

  it('refuses a folder below one that does not exist', async () => {
    const base = await tempFolder();
    await expect(adoptFolder(nodeGit, join(base, 'no', 'where'))).rejects.toMatchObject(unusable('does not exist'));
  });

  it('refuses a file, a path through a file, a broken link, a bare repository and a NUL', async () => {
    const base = await tempFolder();
    await writeFile(join(base, 'file'), '');
    await symlink(join(base, 'nowhere'), join(base, 'broken'));
    await git(base, 'init', '--quiet', '--bare', 'bare');
    await expect(adoptFolder(nodeGit, join(base, 'file'))).rejects.toMatchObject(unusable('is a file'));
    await expect(adoptFolder(nodeGit, join(base, 'file', 'x'))).rejects.toMatchObject(unusable('cannot be made'));
    await expect(adoptFolder(nodeGit, join(base, 'broken'))).rejects.toMatchObject(unusable('broken symbolic link'));
    await expect(adoptFolder(nodeGit, join(base, 'bare'))).rejects.toMatchObject(unusable('bare'));
    await expect(adoptFolder(nodeGit, `${base}/a\0b`)).rejects.toMatchObject(unusable('NUL'));
  });

  it('refuses folders of the system, by whatever name', async () => {
    const base = await tempFolder();
    await symlink('/proc/self', join(base, 'link'));
    for (const path of [
      '/proc',
      '/proc/self',
      '/proc/self/cwd',
      '/proc/1/new',
      '/sys',
      '/dev',
      '/dev/new',
      '/usr/../dev',
    ])
      await expect(adoptFolder(nodeGit, path), path).rejects.toMatchObject(unusable("is the system's"));
    await expect(adoptFolder(nodeGit, join(base, 'link'))).rejects.toMatchObject(unusable("is the system's"));
  });

  it('refuses a repository whose working tree is configured elsewhere', async () => {
    const base = await tempFolder();
    await gitRepository(join(base, 'tree'), {});
    await mkdir(join(base, 'other'));
    await git(join(base, 'tree'), 'config', 'core.worktree', join(base, 'other'));
    await expect(adoptFolder(nodeGit, join(base, 'tree'))).rejects.toMatchObject(unusable('core.worktree'));
  });
});
