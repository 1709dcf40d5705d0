import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Notice } from '@weft/core';
import { git, gitRepository } from '../../../testing/git/git-repository.js';
import { tempFolder } from '../../../testing/temp-folder.js';
import { BegunClones } from './begun-clones.js';

/** A clone whose process ended at its end, before it was registered. */
async function ended(isNew = true) {
  const base = await tempFolder();
  const [notes, folder, theirs] = [join(base, 'notes'), join(base, 'mine'), join(base, 'theirs')];
  await gitRepository(theirs, { a: '1\n', 'below/b': '2\n' });
  await git(theirs, 'tag', 'first');
  if (!isNew) await mkdir(folder);
  const never = new Promise<never>(() => undefined);
  await new Promise<void>((resolve, reject) => {
    const cloned = async (settings: readonly string[]): Promise<never> => {
      await git(base, 'clone', '--quiet', '--template=', ...settings, theirs, folder).then(() => resolve(), reject);
      return never;
    };
    void new BegunClones(notes).during({ folder, isNew }, cloned);
  });
  const log: Notice[] = [];
  const restart = (isRegistered = false): Promise<void> =>
    new BegunClones(notes, (notice) => void log.push(notice)).recover(() => isRegistered);
  const left = async (): Promise<string[]> => (await readdir(folder).catch(() => ['(gone)'])).sort();
  const mark = (): Promise<string> => git(folder, 'config', '--local', '--default', 'none', '--get', 'weft.cloning');
  return { base, folder, notes, restart, left, mark, log };
}

const WHOLE = ['.git', 'a', 'below'];

describe('what a killed clone has left', () => {
  it.each<readonly [when: string, change: (folder: string) => Promise<unknown>]>([
    ['before it was registered', () => Promise.resolve()],
    ['while it checked out', (folder) => Promise.all(['.git/index', 'a'].map((name) => rm(join(folder, name))))],
    [
      'while it received',
      async (folder) => {
        for (const name of ['.git/index', '.git/packed-refs', '.git/refs', '.git/logs', 'a', 'below'])
          await rm(join(folder, name), { recursive: true, force: true });
        await mkdir(join(folder, '.git/refs'));
      },
    ],
  ])('%s goes, with a folder that it made and not with one that was there', async (_, change) => {
    for (const isNew of [true, false]) {
      const { folder, restart, left, notes, log } = await ended(isNew);
      await change(folder);
      await restart();
      expect(await left()).toEqual(isNew ? ['(gone)'] : []);
      expect(await readdir(notes)).toEqual([]);
      expect(log).toMatchObject([{ level: 'info', about: { folder } }]);
    }
  });

  it.each<readonly [what: string, others: readonly string[], change: (folder: string) => Promise<unknown>]>([
    ['a file', ['mine.txt'], (folder) => writeFile(join(folder, 'mine.txt'), '')],
    ['a file below a folder', [], (folder) => writeFile(join(folder, 'below/mine'), '')],
    [
      'a file that is ignored',
      ['x.log'],
      async (folder) => {
        await writeFile(join(folder, '.git/ignored'), '*.log\n');
        await git(folder, 'config', 'core.excludesFile', join(folder, '.git/ignored'));
        await writeFile(join(folder, 'x.log'), '');
      },
    ],
    ['a change', [], (folder) => writeFile(join(folder, 'a'), 'changed\n')],
    ['a commit', [], (folder) => git(folder, 'commit', '--quiet', '--allow-empty', '--message=mine')],
    [
      'a commit that no branch has any more',
      [],
      async (folder) => {
        await git(folder, 'commit', '--quiet', '--allow-empty', '--message=mine');
        await git(folder, 'reset', '--quiet', '--hard', 'HEAD~1');
      },
    ],
    [
      'a stash',
      [],
      async (folder) => {
        await writeFile(join(folder, 'a'), 'changed\n');
        await git(folder, 'stash', '--quiet');
      },
    ],
    [
      'a file, where it ended as it checked out',
      [],
      async (folder) => {
        await rm(join(folder, '.git/index'));
        await writeFile(join(folder, 'below/mine'), '');
      },
    ],
  ])('stays where a person has added %s', async (_, others, change) => {
    const { folder, restart, left, mark, log, notes } = await ended();
    await change(folder);
    await restart();
    expect(await left()).toEqual([...WHOLE, ...others].sort());
    expect([await mark(), await readdir(notes)]).toEqual(['none', []]);
    expect(log).toMatchObject([{ level: 'warn', about: { folder } }]);
  });

  it('is what it left alone: another clone, a file or a link in its place stays', async () => {
    for (const put of ['clone', 'file', 'link'] as const) {
      const { base, folder, restart, left, log } = await ended();
      await rename(folder, join(base, 'elsewhere'));
      if (put === 'clone') await git(base, 'clone', '--quiet', 'theirs', 'mine');
      else if (put === 'file') await writeFile(folder, 'mine');
      else await symlink(join(base, 'elsewhere'), folder);
      await restart();
      expect(await left()).toEqual(put === 'file' ? ['(gone)'] : WHOLE);
      expect((await readdir(base)).sort()).toEqual(['elsewhere', 'mine', 'notes', 'theirs']);
      expect(log).toEqual([]);
    }
  });

  it('is the repository that it became, if it was registered', async () => {
    const { restart, left, mark, log, notes } = await ended();
    await restart(true);
    expect(await left()).toEqual(WHOLE);
    expect([await mark(), await readdir(notes)]).toEqual(['none', []]);
    expect(log).toEqual([]);
  });

  it('is nothing where the process ended before the folder was made, or as it wrote its note', async () => {
    const { notes, folder, restart, log } = await ended();
    await rm(folder, { recursive: true });
    await writeFile(join(notes, 'half.json'), '{"folder":');
    await restart();
    expect([await readdir(notes), log]).toEqual([[], []]);
  });
});
