import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { git } from '../../testing/git/git-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { oneHunk } from './one-hunk.js';

it('git applies it, and comes to the same', async () => {
  const folder = await tempFolder();
  const text = fc.array(fc.constantFrom('a\n', 'b\n', 'c\r\n', 'ü\n')).map((lines) => lines.join(''));
  const wanted = fc.tuple(text, text, fc.boolean()).map(([before, after, isCut]) => {
    return [before, isCut ? after.replace(/\n$/, '') : after] as const;
  });
  // All of them are one patch, of as many files.
  const all = [...fc.sample(wanted, 200).entries()].map(([n, [before, to]]) => ({ path: `${n}.txt`, before, to }));
  const patches = all.map(({ path, before, to }) => oneHunk(path, before, to));
  for (const [n, { before, to }] of all.entries()) if (before === to) expect(patches[n]).toBe('');
  for (const { path, before } of all) await writeFile(join(folder, path), before);
  await writeFile(join(folder, 'p.patch'), patches.join(''));
  await git(folder, '-c', 'core.autocrlf=false', 'apply', '--whitespace=nowarn', '--unidiff-zero', 'p.patch');
  for (const { path, before, to } of all) {
    // A file that is left empty by a patch is taken away by some versions of git.
    const text = await readFile(join(folder, path), 'utf8').catch(() => '');
    expect(text, JSON.stringify([before, to])).toBe(to);
  }
});
