/** Registering a folder that is no repository: what it does is said before, and secrets are left out. */
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { post } from '../../testing/doors/calls.js';
import { git, gitRepository, writeFiles } from '../../testing/git/git-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { type Answer, type TestStudio, startTestStudio } from '../../testing/test-studio.js';

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

describe('a registration that would be refused', () => {
  type MakeFolder = (base: string, studio: TestStudio) => Promise<string>;
  const folders: Readonly<Record<string, MakeFolder>> = {
    'has a repository in it': async (base) => {
      await writeFiles(base, { 'notes.txt': 'x' });
      await gitRepository(join(base, 'tool'), { a: '1' });
      return base;
    },
    'lies in a repository': async (base) => {
      await gitRepository(base, { a: '1' });
      await writeFiles(base, { 'deep/b': '2' });
      return join(base, 'deep');
    },
    'is a bare repository': async (base) => {
      await gitRepository(join(base, 'own'), { a: '1' });
      await git(base, 'clone', '--quiet', '--bare', 'own', 'bare');
      return join(base, 'bare');
    },
    'has its working tree elsewhere': async (base) => {
      await gitRepository(join(base, 'own'), { a: '1' });
      await mkdir(join(base, 'other'));
      await git(join(base, 'own'), 'config', 'core.worktree', join(base, 'other'));
      return join(base, 'own');
    },
    'is a partial clone': async (base) => {
      await gitRepository(join(base, 'own'), { a: '1' });
      await git(join(base, 'own'), 'config', 'remote.origin.promisor', 'true');
      return join(base, 'own');
    },
    'names its commits by another hash': async (base) => {
      await git(base, 'init', '--quiet', '--object-format=sha256', 'own');
      return join(base, 'own');
    },
    'is a second clone': async (base, studio) => {
      await gitRepository(join(base, 'own'), { a: '1' });
      await git(base, 'clone', '--quiet', 'own', 'second');
      await post(studio, '/repositories', { path: join(base, 'own') });
      return join(base, 'second');
    },
    'has no folder above': (base) => Promise.resolve(join(base, 'no', 'such')),
    'is of the system': () => Promise.resolve('/proc/self'),
    'is relative': () => Promise.resolve('relative'),
    'is a broken link': async (base) => {
      await symlink(join(base, 'nowhere'), join(base, 'link'));
      return join(base, 'link');
    },
  };

  it.each(Object.keys(folders))('is refused by its plan, in its words: the folder %s', async (which) => {
    const studio = await startTestStudio();
    const folder = await folders[which]!(await tempFolder(), studio);
    const planned = await studio.call('GET', `/studio/repositories/plan?path=${folder}`);
    const refused = await studio.call('POST', '/studio/repositories', { body: { path: folder } });
    expect(refused.json).toMatchObject({ code: expect.stringMatching(/^reject[.]/) as string });
    const said = ({ status, json }: Answer) => ({ status, ...(json as object), requestId: '' });
    expect(said(planned)).toEqual(said(refused));
  });
});
