/** Registering a folder that is no repository: what it does is said before, and secrets are left out. */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { post } from '../../testing/calls.js';
import { git, gitRepository, writeFiles } from '../../testing/git-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { startTestStudio } from '../../testing/test-studio.js';

it('is said before, and what is a secret or built stays out of the history', async () => {
  const studio = await startTestStudio();
  const base = await tempFolder();
  const plan = async (path: string) => (await studio.call('GET', `/studio/repositories/plan?path=${path}`)).json;

  const folder = join(base, 'shop');
  await mkdir(folder);
  const secrets = ['.env', '.env.local', 'certs/server.key', 'id_rsa', 'deep/.npmrc'];
  await writeFiles(folder, {
    ...Object.fromEntries(secrets.map((path) => [path, 'secret'])),
    'package.json': '{}',
    '.env.example': 'NAME=',
    'index.js': '1',
    'notes/a.log': 'x',
    '.gitignore': '*.log\n',
    'dist/bundle.js': 'built',
    'node_modules/a/index.js': 'installed',
  });
  const told = await plan(folder);
  expect(told).toMatchObject({ kind: 'kept', files: 4, does: expect.stringContaining('no git repository') as string });
  expect((told as { secrets: string[] }).secrets.toSorted()).toEqual(secrets.toSorted());
  expect((await readdir(folder)).includes('.git')).toBe(false);

  await post(studio, '/repositories', { path: folder });
  const kept = (await git(folder, 'ls-tree', '-r', '--name-only', 'main')).split('\n');
  expect(kept.toSorted()).toEqual(['.env.example', '.gitignore', 'index.js', 'package.json']);
  expect(await plan(folder)).toMatchObject({ kind: 'repository' });

  await gitRepository(join(base, 'own'), { a: '1' });
  expect(await plan(join(base, 'own'))).toMatchObject({ kind: 'repository', files: 0 });
  expect(await plan(join(base, 'later'))).toMatchObject({ kind: 'new' });
  expect(await plan(join(folder, 'index.js'))).toMatchObject({ code: 'reject.repository_path_unusable' });
  expect(await plan('relative')).toMatchObject({ code: 'reject.repository_path_unusable' });
  expect(await readdir(base)).not.toContain('later');
});
