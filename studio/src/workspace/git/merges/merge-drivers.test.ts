import { join } from 'node:path';
import { expect, it } from 'vitest';
import { git, gitRepository } from '../../../testing/git/git-repository.js';
import { tempFolder } from '../../../testing/temp-folder.js';
import { configuredDrivers } from './merge-drivers.js';

it('programs that merge are those that are configured, and any where that cannot be found out', async () => {
  const folder = join(await tempFolder(), 'user');
  await gitRepository(folder, { a: '1' });
  const named = ['union', 'own', 'a.b = c', 'other'];
  expect(await configuredDrivers(folder, named)).toEqual([]);
  for (const name of ['own', 'a.b = c', 'union']) await git(folder, 'config', `merge.${name}.driver`, 'true');
  expect(await configuredDrivers(folder, named)).toEqual(['union', 'own', 'a.b = c']);
  expect(await configuredDrivers(join(folder, 'gone'), named)).toEqual(['own', 'a.b = c', 'other']);
});
