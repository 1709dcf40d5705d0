import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitRepository, writeFiles } from '../../testing/git/git-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { listFiles } from './list-files.js';
import { nodeGit } from '../git/user/node-git.js';

async function repositoryWith(...paths: string[]): Promise<string> {
  const folder = await tempFolder();
  await gitRepository(folder, Object.fromEntries(paths.map((path) => [path, ''])));
  return folder;
}

describe('listing files', () => {
  it('gives every file, sorted, and says that this is all', async () => {
    const folder = await repositoryWith('b', 'a/z', 'a/y', 'C');
    expect(await listFiles(nodeGit, folder, {})).toEqual({ files: ['C', 'a/y', 'a/z', 'b'], truncated: false });
  });

  it('keeps to a folder and to a pattern', async () => {
    const folder = await repositoryWith('src/a.ts', 'src/deep/b.ts', 'src/c.js', 'test/a.ts', 'srcs/d.ts');
    const files = async (query: object) => (await listFiles(nodeGit, folder, query)).files;
    expect(await files({ subPath: 'src' })).toEqual(['src/a.ts', 'src/c.js', 'src/deep/b.ts']);
    expect(await files({ subPath: './src/../src/' })).toEqual(['src/a.ts', 'src/c.js', 'src/deep/b.ts']);
    expect(await files({ subPath: 'src', pattern: '*.ts' })).toEqual(['src/a.ts', 'src/deep/b.ts']);
    expect(await files({ pattern: 'src/*.ts' })).toEqual(['src/a.ts']);
    expect(await files({ subPath: 'nowhere' })).toEqual([]);
  });

  it('follows a link that stays inside', async () => {
    const folder = await repositoryWith('real/a');
    await symlink('real', join(folder, 'link'));
    expect((await listFiles(nodeGit, folder, { subPath: 'link' })).files).toEqual(['real/a']);
  });

  it('lists a folder that is tracked and was deleted', async () => {
    const folder = await repositoryWith('gone/a', 'b');
    await rm(join(folder, 'gone'), { recursive: true });
    expect((await listFiles(nodeGit, folder, { subPath: 'gone' })).files).toEqual(['gone/a']);
  });

  it('refuses every way out', async () => {
    const base = await tempFolder();
    const folder = join(base, 'tree');
    await gitRepository(folder, { 'in/a': '' });
    await writeFiles(join(base, 'tree-2'), { secret: '' });
    await mkdir(join(folder, 'in/deep'));
    await symlink(base, join(folder, 'up'));
    for (const subPath of [
      '..',
      '../tree-2',
      'in/../../tree-2',
      '/etc',
      base,
      'up',
      'up/tree-2',
      'up/missing',
      'a\0b',
    ]) {
      await expect(listFiles(nodeGit, folder, { subPath }), subPath).rejects.toMatchObject({
        reason: 'reject.path_outside_repository',
      });
    }
  });

  it('gives the first files in order, and says that there are more', async () => {
    const names = Array.from({ length: 60 }, (_, n) => `f${String(n).padStart(2, '0')}`);
    const folder = await repositoryWith(...names);
    const query = { pattern: 'f*' };
    expect(await listFiles(nodeGit, folder, query, 7)).toEqual({ files: names.slice(0, 7), truncated: true });
    expect(await listFiles(nodeGit, folder, query, 59)).toMatchObject({ truncated: true });
    expect(await listFiles(nodeGit, folder, query, 60)).toEqual({ files: names, truncated: false });
  });
});
