import { expect, it } from 'vitest';
import { isBetween, piecesOf } from './graph-text.js';

const own = (author: number): string => String.fromCharCode(0x4e00 + author);

it('knows the text that has each author between the two letters once', () => {
  expect(isBetween(`(${own(2)}${own(1)}${own(3)})`, 3)).toBe(true);
  expect(isBetween('()', 0)).toBe(true);
  for (const wrong of [
    `(${own(1)}${own(2)})`,
    `(${own(1)}${own(2)}${own(2)})`,
    `(${own(1)}${own(2)}${own(4)})`,
    `${own(1)}(${own(2)}${own(3)})`,
    `(${own(1)}${own(2)}${own(3)}`,
  ]) {
    expect(isBetween(wrong, 3)).toBe(false);
  }
});

it('counts the pieces of what one author typed', () => {
  expect(piecesOf('(xxxxab)')).toBe(1);
  expect(piecesOf('(xxaxxbcx)')).toBe(3);
  expect(piecesOf('(ab)')).toBe(0);
});
