import { appendFile, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git, gitRepository } from '../../../testing/git/git-repository.js';
import { tempFolder } from '../../../testing/temp-folder.js';
import { HeldBefore } from './held-before.js';

/** A repository, and how often whoever asks for it had to ask git. */
async function bench() {
  const base = await tempFolder();
  const folder = join(base, 'user');
  const commits = [await gitRepository(folder, { 'a.txt': 'a' })];
  const held = new HeldBefore();
  let asked = 0;
  const holds = (answer = true, among: readonly string[] = commits): Promise<boolean> =>
    held.holds(folder, among, () => {
      asked += 1;
      return Promise.resolve(answer);
    });
  return { base, folder, holds, asked: () => asked };
}

describe('a repository that held its commits before', () => {
  it('is not asked about again, other commits are', async () => {
    const { holds, asked } = await bench();
    expect([await holds(), await holds(), asked()]).toEqual([true, true, 1]);
    expect([await holds(true, ['f'.repeat(40)]), asked()]).toEqual([true, 2]);
  });

  it('is asked about again as long as it does not', async () => {
    const { holds, asked } = await bench();
    expect([await holds(false), await holds(false), await holds(), asked()]).toEqual([false, false, true, 3]);
  });

  it('is asked about again when it is another, has other settings, or objects have gone', async () => {
    const changes: ((at: { base: string; folder: string }) => Promise<unknown>)[] = [
      ({ folder }) => git(folder, 'config', 'core.worktree', '/elsewhere'),
      ({ folder }) => appendFile(join(folder, '.git', 'config'), '[core]\n\tworktree = /elsewhere\n'),
      async ({ folder }) => {
        await git(folder, 'checkout', '--quiet', '--orphan', 'other');
        await git(folder, 'commit', '--quiet', '--allow-empty', '--message=other');
        await git(folder, 'branch', '-D', 'main');
        await git(folder, 'reflog', 'expire', '--expire=now', '--all');
        await git(folder, 'prune', '--expire=now');
      },
      async ({ folder }) => {
        await rm(folder, { recursive: true });
        await gitRepository(folder, { 'b.txt': 'b' });
      },
      async ({ base, folder }) => {
        await rename(folder, join(base, 'moved'));
        await gitRepository(folder, { 'b.txt': 'b' });
      },
    ];
    for (const change of changes) {
      const { base, folder, holds, asked } = await bench();
      await holds();
      await change({ base, folder });
      expect([await holds(false), asked()]).toEqual([false, 2]);
    }
  });

  it('is asked about each time where its store lies elsewhere', async () => {
    const { base, folder, holds, asked } = await bench();
    await rename(join(folder, '.git'), join(base, 'store'));
    await symlink(join(base, 'store'), join(folder, '.git'));
    expect([await holds(), await holds(), asked()]).toEqual([true, true, 2]);
  });
});
