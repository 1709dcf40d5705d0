import { expect, it } from 'vitest';
import { columnsOf, cut, fitted, plain, wrapped } from './columns.js';

it('text of others obeys nothing: no control, no turning of direction, no other line', () => {
  expect(plain('a\u001b[2Jb\u009bc\u0007')).toBe('a\ufffd[2Jb\ufffdc\ufffd');
  expect(plain('one\ntwo\r\nthree\tfour')).toBe('one two three four');
  expect(plain('\u202egnp.exe\u2028\u200b\ud800')).toBe('\ufffdgnp.exe\ufffd\ufffd\ufffd');
  expect(plain('Grüße, 世界')).toBe('Grüße, 世界');
});

it('columns are counted by letters as they are seen', () => {
  expect([columnsOf('abc'), columnsOf('é'), columnsOf('e\u0301'), columnsOf('世界'), columnsOf('✅')]).toEqual([
    3, 1, 1, 4, 2,
  ]);
  expect([cut('abcdef', 6), cut('abcdef', 4), cut('世界世界', 5), cut('abc', 0)]).toEqual([
    'abcdef',
    'abc…',
    '世界…',
    '',
  ]);
  expect([fitted('ab', 4), fitted('世界', 3)]).toEqual(['ab  ', '世…']);
});

it('a text is broken between words, and within one that is too long', () => {
  expect(wrapped('the quick brown fox\n\njumps', 9)).toEqual(['the quick', 'brown fox', '', 'jumps']);
  expect(wrapped('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij']);
  expect(wrapped('世界世', 3)).toEqual(['世', '界', '世']);
  // A letter that is wider than the line still ends.
  expect(wrapped('世界', 1)).toEqual(['世', '界']);
});
