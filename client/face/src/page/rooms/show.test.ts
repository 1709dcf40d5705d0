import { expect, it } from 'vitest';
import { colourOf, freshColours } from './show.js';

const author = (first: number): string => first.toString(16).padStart(6, '0').padEnd(64, '0');

it('as many authors as there are colours have one each, whatever their keys; it stays theirs until another room', () => {
  freshColours();
  const alike = Array.from({ length: 8 }, (_none, at) => author(at * 8));
  const colours = alike.map(colourOf);
  expect(new Set(colours).size).toBe(8);
  expect(alike.map(colourOf)).toEqual(colours);
  // A ninth shares one.
  expect(colours).toContain(colourOf(author(72)));
  freshColours();
  expect(colourOf(author(72))).toBe(0);
  expect(colourOf('no key')).toBe(1);
});
