import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../../testing/temp-folder.js';
import { ProgramHomes } from './program-homes.js';

const kept = { workUnitId: 'wu-1', run: 1, executor: 'codex', session: 's', commit: 'c', isOpen: true };

it('a session is kept for its unit, its conversation and its kind of program', async () => {
  const homes = new ProgramHomes(await tempFolder());
  await homes.homeOf('wu-1');
  await homes.keep(kept);
  expect(await homes.session(kept)).toEqual(kept);
  for (const other of [{ workUnitId: 'wu-2' }, { run: 2 }, { executor: 'acp' }])
    expect(await homes.session({ ...kept, ...other })).toBeUndefined();
});

it('one that cannot be read is none, and the homes of what is over are removed', async () => {
  const folder = await tempFolder();
  const homes = new ProgramHomes(folder);
  const home = await homes.homeOf('wu-1');
  await homes.keep(kept);
  await homes.homeOf('wu-2');
  await homes.keep({ ...kept, workUnitId: 'wu-2' });
  await homes.sweep((id) => id === 'wu-1');
  expect(await readdir(folder)).toHaveLength(1);
  await writeFile(join(dirname(home), 'session.json'), '{"workUnitId":');
  expect(await homes.session(kept)).toBeUndefined();
  await homes.sweep(() => true);
  expect(await readdir(folder)).toEqual([]);
});
