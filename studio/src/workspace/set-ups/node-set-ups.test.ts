/** Results of set-ups on disk: what is kept, what is not, and what goes. */
import { mkdir, readFile, readdir, rename, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../../testing/temp-folder.js';
import { NodeSetUps, type SetUpLimits } from './node-set-ups.js';

async function begin(limits: Partial<SetUpLimits> = {}) {
  const [own, folder] = [await tempFolder(), await tempFolder()];
  const setUps = new NodeSetUps(own, [], limits);
  await setUps.recover();
  await mkdir(join(folder, 'deps/bin'), { recursive: true });
  await writeFile(join(folder, 'deps/bin/run'), '12345678', { mode: 0o755 });
  await symlink('bin/run', join(folder, 'deps/run'));
  return { own, folder, setUps, kept: () => readdir(join(own, 'results')) };
}

it('gives copies with modes, times and links, that are files of their own', async () => {
  const { setUps, folder } = await begin();
  await utimes(join(folder, 'deps/bin/run'), 1_000_000, 1_000_000);
  expect(await setUps.keep('one', folder, ['deps/'])).toBeUndefined();
  const other = await tempFolder();
  expect(await setUps.give('one', other)).toEqual(['deps']);
  const [mine, its] = [await stat(join(folder, 'deps/bin/run')), await stat(join(other, 'deps/run'))];
  expect([its.mode, its.mtimeMs]).toEqual([mine.mode, mine.mtimeMs]);
  expect(its.ino).not.toBe(mine.ino);
  expect(await setUps.give('two', other)).toBeUndefined();
});

it('a result that is too large, or too many, is not kept, and nothing of it stays', async () => {
  for (const limits of [{ mostBytes: 15 }, { mostEntries: 3 }]) {
    const { own, setUps, folder, kept } = await begin(limits);
    expect(await setUps.keep('one', folder, ['deps/'])).toContain('larger');
    expect([await kept(), await readdir(join(own, 'passing'))]).toEqual([[], []]);
  }
});

it('what was used least lately goes first, and what is old', async () => {
  const { own, setUps, folder, kept } = await begin({ mostBytes: 20, mostMs: 3600_000 });
  const used = (key: string, ago: number): Promise<void> => {
    const at = new Date(Date.now() - ago);
    return utimes(join(own, 'results', key, 'result.json'), at, at);
  };
  await setUps.keep('one', folder, ['deps']);
  await setUps.keep('two', folder, ['deps']);
  await used('one', 1000);
  await used('two', 2000);
  await setUps.keep('three', folder, ['deps']);
  expect((await kept()).sort()).toEqual(['one', 'three']);
  await used('one', 3600_001);
  await setUps.recover();
  expect(await kept()).toEqual(['three']);
});

it('overwrites nothing that is there, and follows no link out of the folder', async () => {
  const { setUps, folder } = await begin();
  await setUps.keep('one', folder, ['deps/bin/']);
  const [other, linked, outside] = [await tempFolder(), await tempFolder(), await tempFolder()];
  await mkdir(join(other, 'deps/bin'), { recursive: true });
  await writeFile(join(other, 'deps/bin/own'), 'mine');
  expect(await setUps.give('one', other)).toBeUndefined();
  expect(await readFile(join(other, 'deps/bin/own'), 'utf8')).toBe('mine');
  await symlink(outside, join(linked, 'deps'));
  expect(await setUps.give('one', linked)).toBeUndefined();
  expect(await readdir(outside)).toEqual([]);
});

it('a mark is of one folder, and of no other that takes its place', async () => {
  const { setUps } = await begin();
  const folder = join(await tempFolder(), 'one');
  await mkdir(folder);
  await setUps.mark(folder, { before: ['a'], isDone: true });
  expect(await setUps.markOf(folder)).toMatchObject({ before: ['a'], isDone: true });

  await rename(folder, `${folder}-gone`);
  await mkdir(folder);
  expect(await setUps.markOf(folder)).toBeUndefined();
});
