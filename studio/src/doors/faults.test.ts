/** What strangers and mistaken clients send, and must not get anything for. */
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitRepository, writeFiles } from '../testing/git/git-repository.js';
import { tempFolder } from '../testing/temp-folder.js';
import { startTestStudio } from '../testing/test-studio.js';

const UNITS = '/studio/workunits';
const refused = (status: number, code: string) => ({ status, json: { code } });

describe('fault 39', () => {
  it('fault 39: a body that is deep is refused or taken, and the host goes on', async () => {
    const studio = await startTestStudio();
    for (const [depth, status, code] of [
      [100, 400, 'reject.invalid_input'],
      [10_000, 400, 'reject.invalid_input'],
      [1_000_000, 413, 'reject.body_too_large'],
    ] as const) {
      const body = `{"goal":${'['.repeat(depth)}${']'.repeat(depth)}}`;
      expect(await studio.call('POST', UNITS, { body })).toMatchObject(refused(status, code));
      const keyed = { body, headers: { 'idempotency-key': `deep-${depth}` } };
      expect((await studio.call('POST', UNITS, keyed)).status).toBe(status);
    }
    expect((await studio.call('POST', UNITS, { body: { goal: 'x' } })).status).toBe(200);
    expect(studio.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('fault 39: names that every object has mean nothing', async () => {
    const studio = await startTestStudio();
    for (const key of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']) {
      const body = `{"goal":"x","${key}":{"scope":"admin"}}`;
      expect(await studio.call('POST', UNITS, { body }), key).toMatchObject(refused(400, 'reject.invalid_input'));
      expect((await studio.call('GET', `${UNITS}?${key}=x`)).status, key).toBe(400);
      expect((await studio.call('GET', `${UNITS}/${key}`)).status, key).toBe(404);
    }
    expect(({} as { scope?: string }).scope).toBeUndefined();
  });

  it('fault 39: nothing outside a repository is listed, by dots, links or options of git', async () => {
    const studio = await startTestStudio();
    const base = await tempFolder();
    const path = join(base, 'tree');
    await writeFiles(base, { secret: 'x' });
    await gitRepository(path, { 'in/a': '' });
    await symlink(base, join(path, 'out'));
    const { json } = await studio.call('POST', '/studio/repositories', { body: { path } });
    const files = `/studio/repositories/${(json as { repositoryId: string }).repositoryId}/files`;
    for (const subPath of [
      '..',
      '../',
      'in/../..',
      '/etc',
      'out/..',
      'in/%2e%2e/%2e%2e',
      '--upload-pack=x',
      '-z',
      ':/',
      ':(top)..',
    ]) {
      const answer = await studio.call('GET', `${files}?subPath=${encodeURIComponent(subPath)}`);
      expect(answer.status, subPath).toBeLessThan(500);
      expect(answer.text, subPath).not.toContain('secret');
    }
    for (const pattern of ['--help', '../*', '/etc/*']) {
      const answer = await studio.call('GET', `${files}?pattern=${encodeURIComponent(pattern)}`);
      expect(answer.json, pattern).toEqual({ files: [] });
    }
    for (const unusable of ['--upload-pack=touch x', 'ext::sh -c x', 'file:///etc', '-']) {
      expect(await studio.call('POST', '/studio/repositories', { body: { path: unusable } })).toMatchObject(
        refused(400, 'reject.repository_path_unusable'),
      );
    }
  });
});
