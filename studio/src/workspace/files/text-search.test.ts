import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeFiles } from '../../testing/git/git-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { NodeProcesses } from '../programs/node-processes.js';
import { findByGit, nodeTextSearch } from './node-text-search.js';
import { type TextQuery, plainSearch, snippetsOf } from './text-search.js';

const FILES = { 'a.ts': 'One\ntwo a.b\none\n', 'src/b.ts': 'x\none\n', 'src/-c.md': 'one', '.env': 'one\n' };

async function begun() {
  const base = await tempFolder();
  const folder = join(base, 'work');
  await mkdir(folder);
  await writeFiles(folder, { ...FILES, '.gitignore': 'out/\n', 'out/d.ts': 'one\n', '.ignore': 'a.ts\n' });
  await writeFile(join(folder, 'bytes'), Buffer.from('one\0'));
  await symlink('/etc', join(folder, 'etc'));
  const processes = new NodeProcesses(join(base, 'studio'));
  await processes.recover();
  onTestFinished(() => processes.close());
  return { folder, ripgrep: await nodeTextSearch(processes) };
}

const query = (text: string, more: Partial<TextQuery> = {}): TextQuery => ({
  text,
  isRegex: false,
  caseSensitive: false,
  scope: '',
  matches: () => true,
  most: 100,
  ...more,
});

describe('a search', () => {
  it.each(['ripgrep', 'plain'] as const)('by %s finds the same places', async (kind) => {
    const { folder, ripgrep } = await begun();
    const search = kind === 'plain' ? plainSearch : ripgrep;
    const find = async (asked: TextQuery) => {
      const { found, truncated } = await search.find(folder, Object.keys(FILES).sort(), asked);
      return [...found.map(({ path, line }) => `${path}:${line}`), ...(truncated ? ['more'] : [])];
    };
    expect(await find(query('one'))).toEqual(['.env:1', 'a.ts:1', 'a.ts:3', 'src/-c.md:1', 'src/b.ts:2']);
    expect(await find(query('one', { caseSensitive: true, scope: 'a.ts' }))).toEqual(['a.ts:3']);
    expect(await find(query('one', { scope: 'src' }))).toEqual(['src/-c.md:1', 'src/b.ts:2']);
    expect(await find(query('one', { matches: (path) => path.endsWith('.ts'), most: 2 }))).toEqual([
      ...['a.ts:1', 'a.ts:3', 'more'],
    ]);
    expect(await find(query('a.b'))).toEqual(['a.ts:2']);
    expect(await find(query('(unclosed'))).toEqual([]);
  });

  it('for a pattern is one of ripgrep, else of git, which say what is wrong with it', async () => {
    const { folder, ripgrep } = await begun();
    const pattern = (text: string) => query(text, { isRegex: true });
    expect((await ripgrep.find(folder, [], pattern('^t.o'))).found).toEqual([{ path: 'a.ts', line: 2 }]);
    await expect(ripgrep.find(folder, [], pattern('(unclosed'))).rejects.toMatchObject({
      reason: 'reject.invalid_input',
      message: expect.stringContaining('unclosed group') as string,
    });
    const files = Object.keys(FILES).sort();
    for (const found of [
      await ripgrep.find(folder, files, pattern('^(two|one)$')),
      await findByGit(folder, files, pattern('^(two|one)$')),
    ])
      expect(found).toEqual({
        found: [
          { path: '.env', line: 1 },
          { path: 'a.ts', line: 1 },
          { path: 'a.ts', line: 3 },
          { path: 'src/-c.md', line: 1 },
          { path: 'src/b.ts', line: 2 },
        ],
        truncated: false,
      });
    const narrow = { scope: 'src', caseSensitive: true, most: 1, matches: (path: string) => path !== 'src/-c.md' };
    expect(await findByGit(folder, files, { ...pattern('o.e'), ...narrow })).toEqual({
      found: [{ path: 'src/b.ts', line: 2 }],
      truncated: false,
    });
    expect(await findByGit(folder, files, { ...pattern('o.e'), most: 2 })).toMatchObject({ truncated: true });
    await expect(findByGit(folder, files, pattern('(unclosed'))).rejects.toMatchObject({
      reason: 'reject.invalid_input',
    });
    await expect(plainSearch.find(folder, [], pattern('a'))).rejects.toMatchObject({
      reason: 'reject.search_program_missing',
    });
  });

  it('by git asks no repository that somebody has put into the folder', async () => {
    const { folder } = await begun();
    await writeFile(join(folder, '.git'), 'gitdir: /nowhere\n');
    const asked = { ...query('two', { isRegex: true }), matches: () => true, most: 10 };
    expect((await findByGit(folder, ['a.ts'], asked)).found).toEqual([{ path: 'a.ts', line: 2 }]);
  });

  it('shows what is around each place', async () => {
    const { folder } = await begun();
    expect(await snippetsOf(folder, [{ path: 'a.ts', line: 3 }], 1)).toEqual([
      { path: 'a.ts', line: 3, startLine: 2, endLine: 3, snippet: 'two a.b\none\n' },
    ]);
    expect(await snippetsOf(folder, [{ path: 'gone', line: 3 }], 1)).toEqual([]);
  });
});
