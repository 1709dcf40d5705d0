import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryIdOf } from '../../record/aggregates/repository/identity.js';
import { git, gitRepository, writeFiles } from '../../testing/git/git-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { startTestStudio } from '../../testing/test-studio.js';
import type { TestStudio } from '../../testing/test-studio.js';

function register(studio: TestStudio, body: object) {
  return studio.call('POST', '/studio/repositories', { body });
}

async function idOf(studio: TestStudio, path: string): Promise<string> {
  const { json } = await register(studio, { path });
  return (json as { repositoryId: string }).repositoryId;
}

describe('registering a repository', () => {
  it('gives a repository the id of its history, and the same answer again', async () => {
    const studio = await startTestStudio();
    const path = await tempFolder();
    const root = await gitRepository(path, { a: '' });
    const first = await register(studio, { path, label: 'mine' });
    expect(first).toMatchObject({ status: 200, json: { repositoryId: repositoryIdOf([root]), path, label: 'mine' } });
    expect(await register(studio, { path, label: 'other' })).toMatchObject({ status: 200, json: first.json });
    const room = await studio.host.room('~studio.workgroup');
    expect(room.get(`studio/repository/${repositoryIdOf([root])}/1`)).toBeUndefined();
    expect(studio.log).toEqual([]);
  });

  it('makes a repository in a new folder, with a random id that stays', async () => {
    const studio = await startTestStudio();
    const path = join(await tempFolder(), 'new');
    const first = await register(studio, { path });
    expect(first.json).toEqual({ repositoryId: expect.stringMatching(/^repo-[0-9a-f]{32}$/) as string, path });
    await git(path, 'commit', '--quiet', '--allow-empty', '--message=first');
    expect((await register(studio, { path })).json).toEqual(first.json);
  });

  it('registers once when asked many times at once', async () => {
    const studio = await startTestStudio();
    const path = join(await tempFolder(), 'new');
    const all = await Promise.all(Array.from({ length: 6 }, () => register(studio, { path })));
    for (const answer of all) expect(answer).toMatchObject({ status: 200, json: all[0]?.json });
    expect((await studio.call('GET', '/studio/repositories')).json).toHaveLength(1);
  });

  it('refuses a second clone while the first is there, and follows a moved folder', async () => {
    const studio = await startTestStudio();
    const base = await tempFolder();
    const [one, two] = [join(base, 'one'), join(base, 'two')];
    await gitRepository(one, { a: '' });
    const repositoryId = await idOf(studio, one);
    await git(base, 'clone', '--quiet', 'one', 'two');
    const refused = await register(studio, { path: two });
    expect(refused).toMatchObject({
      status: 409,
      json: { code: 'reject.repository_registered_elsewhere', details: { repositoryId, path: one } },
    });
    await rm(one, { recursive: true });
    expect((await register(studio, { path: two })).json).toEqual({ repositoryId, path: two });
    await rename(two, join(base, 'three'));
    expect((await register(studio, { path: join(base, 'three') })).json).toMatchObject({ repositoryId });
    expect((await studio.call('GET', '/studio/repositories')).json).toMatchObject([{ path: join(base, 'three') }]);
    expect(studio.log).toEqual([]);
  });

  it('takes a folder that now holds another repository for that other one', async () => {
    const studio = await startTestStudio();
    const path = join(await tempFolder(), 'work');
    await gitRepository(path, { a: '' });
    const before = await idOf(studio, path);
    await rm(path, { recursive: true });
    await gitRepository(path, { b: 'other' });
    const after = await idOf(studio, path);
    expect(after).not.toBe(before);
    expect((await studio.call('GET', '/studio/repositories')).json).toMatchObject([{ repositoryId: after }]);
    expect(await studio.call('GET', `/studio/repositories/${before}/files`)).toMatchObject({
      status: 422,
      json: { code: 'reject.repository_folder_missing' },
    });
  });

  it.each<[object, string, RegExp]>([
    [{}, 'path', /^path: is required$/],
    [{ path: 7 }, 'path', /^path: .*expected string, received number$/],
    [{ path: '/x', lable: 'typo' }, 'lable', /^lable: no such field$/],
    [{ path: '/x', label: '' }, 'label', /^label: Too small/],
  ])('refuses %j with 400, naming the field', async (body, field, error) => {
    const studio = await startTestStudio();
    const answer = await register(studio, body);
    expect(answer).toMatchObject({ status: 400, json: { code: 'reject.invalid_input', details: [{ field }] } });
    expect(answer.json).toMatchObject({ error: expect.stringMatching(error) as string });
  });

  it('refuses a path that cannot be a repository with 400 and a way out', async () => {
    const studio = await startTestStudio();
    const path = await tempFolder();
    await writeFiles(path, { a: '' });
    for (const unusable of [join(path, 'a'), 'relative', join(path, 'no', 'parent')]) {
      expect(await register(studio, { path: unusable })).toMatchObject({
        status: 400,
        json: { code: 'reject.repository_path_unusable', recovery: [expect.any(String)] },
      });
    }
    expect((await studio.call('GET', '/studio/repositories')).json).toEqual([]);
  });
});

describe('listing', () => {
  it('gives registered repositories in order, as full records', async () => {
    const studio = await startTestStudio();
    const base = await tempFolder();
    const first = await idOf(studio, join(base, 'b'));
    await register(studio, { path: join(base, 'a'), label: 'A' });
    const { status, json } = await studio.call('GET', '/studio/repositories', { as: 'read' });
    expect(status).toBe(200);
    const registeredAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string;
    expect(json).toEqual([
      { repositoryId: first, path: join(base, 'b'), registeredAt },
      { repositoryId: expect.any(String) as string, path: join(base, 'a'), label: 'A', registeredAt },
    ]);
  });

  it('gives the files of a repository, by folder and pattern', async () => {
    const studio = await startTestStudio();
    const path = await tempFolder();
    await gitRepository(path, { 'src/a.ts': '', 'src/b.js': '', 'ünï.ts': '' });
    const files = `/studio/repositories/${await idOf(studio, path)}/files`;
    expect((await studio.call('GET', files)).json).toEqual({ files: ['src/a.ts', 'src/b.js', 'ünï.ts'] });
    const narrowed = await studio.call('GET', `${files}?subPath=src&pattern=${encodeURIComponent('*.ts')}`);
    expect(narrowed.json).toEqual({ files: ['src/a.ts'] });
  });

  it('refuses an unknown repository, a way out, a wrong query', async () => {
    const studio = await startTestStudio();
    const path = await tempFolder();
    await mkdir(join(path, 'tree'));
    const files = `/studio/repositories/${await idOf(studio, join(path, 'tree'))}/files`;
    const expected: [string, number, string][] = [
      ['/studio/repositories/repo-none/files', 404, 'reject.repository_not_found'],
      [`${files}?subPath=..`, 400, 'reject.path_outside_repository'],
      [`${files}?subPath=a&subPath=b`, 400, 'reject.invalid_input'],
      [`${files}?patern=x`, 400, 'reject.invalid_input'],
      [`${files}?pattern=`, 400, 'reject.invalid_input'],
    ];
    for (const [url, status, code] of expected) {
      expect(await studio.call('GET', url), url).toMatchObject({ status, json: { code } });
    }
    expect(studio.log).toEqual([]);
  });

  it('refuses when the folder is gone', async () => {
    const studio = await startTestStudio();
    const path = join(await tempFolder(), 'tree');
    const files = `/studio/repositories/${await idOf(studio, path)}/files`;
    await rm(path, { recursive: true });
    expect(await studio.call('GET', files)).toMatchObject({
      status: 422,
      json: { code: 'reject.repository_folder_missing' },
    });
  });
});
