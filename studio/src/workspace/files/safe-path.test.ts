import { posix, win32 } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { git } from '../../testing/git/git-repository.js';
import { tempFolder } from '../../testing/temp-folder.js';
import { safePath } from './safe-path.js';

const outside = { reason: 'reject.path_outside_repository' };

function isSafe(path: string): boolean {
  try {
    safePath(path);
    return true;
  } catch (error) {
    expect(error).toMatchObject(outside);
    return false;
  }
}

describe('a path from outside', () => {
  it('is taken when it names a file, and written in one way', () => {
    for (const [path, safe] of [
      ['a', 'a'],
      ['./a//b/', 'a/b'],
      ['.github/x', '.github/x'],
      ['.gitignore', '.gitignore'],
      ['a b/ü/🙂', 'a b/ü/🙂'],
      ['-x', '-x'],
      ['line\nbreak', 'line\nbreak'],
      ['console', 'console'],
      ['...a', '...a'],
    ] as const)
      expect(safePath(path)).toBe(safe);
  });

  it.each([
    ...['', '.', './', '..', '../x', 'a/../..', 'a/../b', '/', '/x', '//x', 'C:', 'c:/x', 'C:x', 'a\0b', '\ud800'],
    ...[
      'a\\b',
      '..\\x',
      '\\\\host\\x',
      '.git',
      '.git/config',
      'a/.git/hooks/x',
      '.GIT/x',
      '.Git',
      '.git.',
      '.git ',
      '.git. .',
    ],
    ...[
      '.git::$INDEX_ALLOCATION/x',
      '.git:x',
      'git~1',
      'GIT~12/x',
      '.g\u200cit/x',
      '\ufeff.git',
      '．git',
      '... ',
      '. ./x',
    ],
    ...[
      'con',
      'NUL',
      'a/aux.txt',
      'COM1',
      'lpt9.x',
      'x/CONIN$',
      'nul .txt'.replace(' ', ''),
      'x'.repeat(256),
      'x/'.repeat(2100) + 'x',
    ],
  ])('is refused: %j', (path) => {
    expect(isSafe(path)).toBe(false);
  });

  it('stays inside on every system, whatever it is made of', () => {
    const piece = fc.constantFrom('..', '.', '', 'a', '.git', '.GIT ', '\\', '..\\', 'C:', 'b', ' ', '...', 'nul');
    const path = fc.oneof(
      fc.array(piece, { maxLength: 6 }).map((names) => names.join('/')),
      fc.string({ unit: 'binary', maxLength: 12 }),
    );
    fc.assert(
      fc.property(path, (text) => {
        if (!isSafe(text)) return;
        const safe = safePath(text);
        expect(safePath(safe)).toBe(safe);
        expect(posix.resolve('/root', text)).toBe(`/root/${safe}`);
        expect(win32.resolve('C:\\root', safe).startsWith('C:\\root\\')).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('is taken by git where it is safe', async () => {
    const folder = await tempFolder();
    await git(folder, 'init', '--quiet');
    const blob = await git(folder, 'hash-object', '-w', '/dev/null');
    const texts = fc.sample(fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }), 200);
    // One takes the place of another that is in its way.
    const paths = texts.filter(isSafe).map((text) => `100644,${blob},${safePath(text)}`);
    expect(paths.length).toBeGreaterThan(30);
    await git(folder, 'update-index', '--add', '--replace', ...paths.flatMap((path) => ['--cacheinfo', path]));
  });
});
