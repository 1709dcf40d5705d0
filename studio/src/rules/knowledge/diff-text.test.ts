import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git, gitRepository } from '../../testing/git/git-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { divergences, fileDiffs } from './diff-text.js';

const lines = (...changed: readonly [number, string][]): string => {
  const text = Array.from({ length: 20 }, (_, i) => `line ${i + 1}`);
  for (const [line, other] of changed) text[line - 1] = other;
  return `${text.join('\n')}\n`;
};

describe('the text of a diff', () => {
  it('of git is read file by file', async () => {
    const folder = await tempFolder();
    await gitRepository(folder, { 'a b.txt': lines(), 'gone.txt': '-- a/x\n', 'same.txt': 'x\n' });
    await writeFile(join(folder, 'a b.txt'), lines([3, '+++ b/none'], [15, '']));
    await git(folder, 'rm', '--quiet', 'gone.txt');
    await mkdir(join(folder, 'sub'));
    await writeFile(join(folder, 'sub/new.txt'), 'new\n');
    await git(folder, 'add', '--all');
    const files = fileDiffs(await git(folder, 'diff', '--cached', '--no-renames'));
    expect(files.map(({ text: _text, ...file }) => file)).toEqual([
      { path: 'a b.txt', change: 'Modified', addedLines: 2, removedLines: 2, lines: [3, 4, 15, 16] },
      { path: 'gone.txt', change: 'Deleted', addedLines: 0, removedLines: 1, lines: [1] },
      { path: 'sub/new.txt', change: 'Added', addedLines: 1, removedLines: 0, lines: [0] },
    ]);
    expect(files[0]?.text).toMatch(/^diff --git a\/a b.txt/);
  });

  it('counts no line for what git says of an end without a line break', async () => {
    const folder = await tempFolder();
    await gitRepository(folder, { a: 'one\ntwo' });
    await writeFile(join(folder, 'a'), 'one\nother');
    const [file] = fileDiffs(await git(folder, 'diff'));
    expect(file).toMatchObject({ addedLines: 1, removedLines: 1, lines: [2, 3] });
    expect(file?.text).toContain('\\ No newline at end of file');
  });

  it('names files as they are called, whatever git has to quote', async () => {
    const names = ['a b/c b/d', 'plain', 'quo"te\\', 'tab\tline\n\x01', 'ü'];
    const folder = await tempFolder();
    await gitRepository(folder, Object.fromEntries(names.map((name) => [name, 'x\n'])));
    const root = (await git(folder, 'hash-object', '-t', 'tree', '/dev/null')).trim();
    const diff = await git(folder, '-c', 'core.quotePath=false', 'diff', '--no-renames', root, 'HEAD');
    expect(
      fileDiffs(diff)
        .map(({ path }) => path)
        .sort(),
    ).toEqual(names);
  });

  it('says where it parts from another', async () => {
    const folder = await tempFolder();
    await gitRepository(folder, { 'x.txt': lines(), 'y.txt': lines() });
    const diffOf = async (x: string, y: string): Promise<string> => {
      await writeFile(join(folder, 'x.txt'), x);
      await writeFile(join(folder, 'y.txt'), y);
      return git(folder, 'diff');
    };
    const a = await diffOf(lines([5, 'a']), lines([9, 'same']));
    const b = await diffOf(lines([5, 'b'], [12, 'b']), lines([9, 'same']));
    const [only, ...others] = divergences(a, b);
    expect(others).toEqual([]);
    expect(only).toMatchObject({ path: 'x.txt', overlappingLines: [5, 6] });
    expect(only?.diffB).toContain('+b');
    expect(divergences(a, a)).toEqual([]);
    expect(divergences(a, '')).toMatchObject([{ path: 'x.txt', diffB: '' }, { path: 'y.txt' }]);
  });
});
