import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Glob, Globs } from './glob.js';

const table: readonly (readonly [pattern: string, matches: readonly string[], not: readonly string[]])[] = [
  ['**', ['', 'a', 'a/b/c', '/'], []],
  ['world/**', ['world', 'world/a', 'world/a/b'], ['worldx', 'a/world', 'worl']],
  ['world/*', ['world/a', 'world/'], ['world', 'world/a/b', 'worldx/a']],
  ['**/msg', ['msg', 'a/msg', 'a/b/msg'], ['a/msgx', 'xmsg', 'msg/a']],
  ['a/**/c', ['a/c', 'a/b/c', 'a/b/x/c', 'a/c/c'], ['a/cx', 'ax/c', 'a', 'c']],
  ['a/**/b/**/c', ['a/b/c', 'a/x/b/y/z/c', 'a/b/b/c/c'], ['a/c/b', 'a/b', 'b/c']],
  ['chat.*/msg', ['chat.one/msg', 'chat./msg'], ['chatxone/msg', 'chat.one/two/msg', 'chat.one']],
  ['a*b*c', ['abc', 'aXbYc', 'abbcc', 'abcbc'], ['ac', 'abcd', 'a/b/c']],
  ['a*b*b*c', ['abbc', 'abxbc'], ['abc']],
  ['a*bc*c', ['abcc', 'abcxc'], ['abc']],
  ['**/x/y/**/y/z', ['x/y/y/z', 'x/y/x/y/z'], ['x/y/z', 'y/z']],
  ['a**c', ['ac', 'abc'], ['a/c']],
  ['', [''], ['a']],
  ['a.b+(c)[d]$', ['a.b+(c)[d]$'], ['axb+(c)[d]$']],
  ['a', ['a'], ['', 'a/', '/a', 'A']],
];

describe('a glob', () => {
  it.each(table)('[GL1] %s', (pattern, matches, not) => {
    const glob = new Glob(pattern);
    expect(matches.filter((key) => !glob.matches(key))).toEqual([]);
    expect(not.filter((key) => glob.matches(key))).toEqual([]);
  });

  it('[GL1] means what its definition says', () => {
    const part = fc.array(fc.constantFrom('a', 'b', '*'), { maxLength: 3 }).map((letters) => letters.join(''));
    const pattern = fc.array(fc.oneof(part, fc.constant('**')), { minLength: 1, maxLength: 5 });
    const key = fc.array(fc.array(fc.constantFrom('a', 'b'), { maxLength: 3 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(pattern, key, (segments, letters) => {
        const parts = letters.map((some) => some.join(''));
        expect(new Glob(segments.join('/')).matches(parts.join('/'))).toBe(defined(segments, parts));
      }),
      { numRuns: 2000 },
    );
  });

  it('[GL1] costs no more than segments times segments', () => {
    const glob = new Glob(`${'**/a/'.repeat(600)}b`);
    expect(glob.matches('a/'.repeat(2000))).toBe(false);
    expect(new Glob(`${'*a'.repeat(1500)}b`).matches('a'.repeat(4000))).toBe(false);
  });

  it('[GL1] costs little where one piece nearly matches everywhere', () => {
    const globs = new Globs(Array.from({ length: 1024 }, () => `*${'a'.repeat(2000)}b`));
    for (let i = 0; i < 10; i++) expect(globs.matches('a'.repeat(4096))).toBe(false);
  });

  it('[GL1] among several, one is enough', () => {
    const globs = new Globs(['a/**', '*/b']);
    expect(['a', 'a/x/y', 'c/b', 'c/d', 'b'].map((key) => globs.matches(key))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(new Globs([]).matches('a')).toBe(false);
  });
});

/** Oracle: matches by trying everything. */
function defined(pattern: readonly string[], key: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return key.length === 0;
  if (first === '**') return key.some((_, i) => defined(rest, key.slice(i))) || defined(rest, []);
  return key.length > 0 && part(first, key[0] ?? '') && defined(rest, key.slice(1));
}

function part(pattern: string, text: string): boolean {
  if (pattern === '') return text === '';
  if (pattern[0] === '*') return part(pattern.slice(1), text) || (text !== '' && part(pattern, text.slice(1)));
  return pattern[0] === text[0] && part(pattern.slice(1), text.slice(1));
}
