import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { planMigration } from './format.js';
import { levelStore } from './level-store.js';

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'weft-format-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

it('[ST13] a folder of this format is read as it is, while its store is open too', async () => {
  const path = await folder();
  const store = levelStore(path);
  await store.open();
  const files = await readdir(path);
  expect(await planMigration(path)).toEqual({ from: 1, to: 1, steps: [] });
  expect(await readdir(path)).toEqual(files);
  await store.close();
});

it.each([
  ['2\n', 'newer-format', 'use that version'],
  ['x', 'damaged', 'restore a backup'],
])('[ST5] a folder whose format is %j is refused as %s, and nothing is touched', async (text, fault, remedy) => {
  const path = await folder();
  await writeFile(join(path, 'format'), text, { mode: 0o600 });
  await expect(planMigration(path)).rejects.toMatchObject({ fault, message: expect.stringContaining(remedy) });
  await expect(levelStore(path).open()).rejects.toMatchObject({ fault });
  expect(await readdir(path)).toEqual(['format']);
});

it('[ST5] what is no data folder is none, and none is made of it', async () => {
  const path = await folder();
  await mkdir(join(path, 'empty'));
  for (const name of ['empty', 'absent'])
    await expect(planMigration(join(path, name))).rejects.toMatchObject({ fault: 'unreadable' });
  expect(await readdir(path)).toEqual(['empty']);
  expect(await readdir(join(path, 'empty'))).toEqual([]);
});
