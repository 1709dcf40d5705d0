import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGlob } from './glob.js';

describe('glob', () => {
  it.each([
    ['*.ts', 'a.ts', true],
    ['*.ts', 'deep/down/a.ts', true],
    ['*.ts', 'a.tsx', false],
    ['?.ts', 'a.ts', true],
    ['?.ts', 'ab.ts', false],
    ['?', '🙂', true],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/b/a.ts', false],
    ['src/*.ts', 'lib/src/a.ts', false],
    ['src/**', 'src/b/a.ts', true],
    ['src/**', 'srcs/a.ts', false],
    ['**/a.ts', 'a.ts', true],
    ['**/a.ts', 'x/y/a.ts', true],
    ['src/**/test/*.ts', 'src/test/a.ts', true],
    ['src/**/test/*.ts', 'src/x/test/y/test/a.ts', true],
    ['src/**/test/*.ts', 'src/x/test/y/a.ts', false],
    ['/src/*.ts', 'src/a.ts', true],
    ['a.b', 'axb', false],
    ['[a].ts', '[a].ts', true],
    ['[a].ts', 'a.ts', false],
    ['*', 'line\nbreak', true],
  ])('%s against %s: %s', (pattern, path, expected) => {
    expect(compileGlob(pattern)(path)).toBe(expected);
  });

  it('matches a path against itself when it holds no star', () => {
    const path = fc.array(fc.stringMatching(/^[^*?/]{1,8}$/), { minLength: 1 }).map((names) => names.join('/'));
    fc.assert(fc.property(path, (text) => compileGlob(text)(text)));
  });

  it('agrees with the obvious definition of * and ?', () => {
    const pattern = fc.stringMatching(/^[ab*?]{1,8}$/);
    const name = fc.stringMatching(/^[ab]{1,10}$/);
    fc.assert(
      fc.property(pattern, name, (one, other) => {
        const expected = new RegExp(`^${one.replaceAll('*', '[^/]*').replaceAll('?', '[^/]')}$`).test(other);
        expect(compileGlob(one)(other)).toBe(expected);
      }),
    );
  });

  it('answers a pattern made to explode', () => {
    expect(compileGlob(`${'*a'.repeat(200)}*b`)('a'.repeat(4000))).toBe(false);
    expect(compileGlob(`${'**/a/'.repeat(80)}b`)('a/'.repeat(2000))).toBe(false);
  });
});
