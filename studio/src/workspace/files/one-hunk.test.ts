import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { tempFolder } from '../../testing/temp-folder.js';
import { oneHunk } from './one-hunk.js';

it('git applies it, and comes to the same', async () => {
  const folder = await tempFolder();
  const text = fc.array(fc.constantFrom('a\n', 'b\n', 'c\r\n', 'ü\n')).map((lines) => lines.join(''));
  await fc.assert(
    fc.asyncProperty(text, text, fc.boolean(), async (before, after, isCut) => {
      const to = isCut ? after.replace(/\n$/, '') : after;
      const patch = oneHunk('a.txt', before, to);
      if (before === to) {
        expect(patch).toBe('');
        return;
      }
      await writeFile(join(folder, 'a.txt'), before);
      await writeFile(join(folder, 'p.patch'), patch);
      const whole = ['--whitespace=nowarn', '--unidiff-zero', 'p.patch'];
      await promisify(execFile)('git', ['-c', 'core.autocrlf=false', 'apply', ...whole], { cwd: folder });
      // A file that is left empty by a patch is taken away by some versions of git.
      expect(await readFile(join(folder, 'a.txt'), 'utf8').catch(() => '')).toBe(to);
    }),
    { numRuns: 60 },
  );
});
