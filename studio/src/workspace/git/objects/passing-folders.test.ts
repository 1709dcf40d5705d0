import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../../../testing/temp-folder.js';
import { PassingFolders } from './passing-folders.js';

it('folders are there for as long as the work takes, also when it fails', async () => {
  const passing = new PassingFolders(await tempFolder());
  await passing.clear();
  for (const use of [passing.inMemory.bind(passing), passing.within.bind(passing, 'what')]) {
    const seen: string[] = [];
    const work = async (folder: string): Promise<string> => {
      seen.push(folder);
      await writeFile(join(folder, 'file'), 'x');
      if (seen.length > 1) throw new Error('failed');
      return 'done';
    };
    expect(await use(work)).toBe('done');
    await expect(use(work)).rejects.toThrow('failed');
    expect(new Set(seen).size).toBe(2);
    expect(seen.filter((folder) => existsSync(folder))).toEqual([]);
  }
});

it('what a killed host has left goes at the next start, and nothing of another store', async () => {
  const folder = await tempFolder();
  const [killed, other] = [new PassingFolders(folder), new PassingFolders(await tempFolder())];
  const left: string[] = [];
  const never = (path: string): Promise<never> => {
    left.push(path);
    return new Promise(() => undefined);
  };
  for (const passing of [killed, other]) {
    await passing.clear();
    void passing.inMemory(never);
    void passing.within('texts', never);
  }
  await expect.poll(() => left.length).toBe(4);
  for (const path of left) await mkdir(join(path, 'objects'));
  await new PassingFolders(folder).clear();
  expect(left.filter((path) => existsSync(path))).toHaveLength(2);
  expect(await readdir(join(folder, 'passing'))).toEqual([]);
  await other.clear();
  expect(left.filter((path) => existsSync(path))).toEqual([]);
});
