import fc from 'fast-check';
import { expect, it } from 'vitest';
import { linesOf, windowOf } from './text-window.js';

it('windows that follow each other make the text', () => {
  const pieces = fc.array(fc.constantFrom('a', 'ü', '\n', '\r\n', 'long line'));
  fc.assert(
    fc.property(pieces, fc.integer({ min: 1, max: 5 }), (parts, limit) => {
      const text = parts.join('');
      const total = linesOf(text).length;
      let read = '';
      for (let offset = 1; offset <= total; offset += limit) read += windowOf(text, offset, limit).content;
      expect(read).toBe(text);
      expect(windowOf(text, 1, total)).toMatchObject({ content: text, truncated: false, totalLines: total });
    }),
  );
});

it('a window ends with a whole line, unless not even one fits', () => {
  expect(windowOf('one\ntwo\nthree', 2, 5, 6)).toEqual({ content: 'two\n', totalLines: 3, truncated: true });
  expect(windowOf('üüüü', 1, 5, 5)).toEqual({ content: 'üü', totalLines: 1, truncated: true });
  expect(windowOf('one', 9, 5)).toEqual({ content: '', totalLines: 1, truncated: true });
});
