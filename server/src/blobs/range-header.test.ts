import { describe, expect, it } from 'vitest';
import { parseRange } from './range-header.js';

describe('a Range header', () => {
  it.each([
    ['bytes=0-0', { from: 0, to: 1 }],
    ['bytes=2-5', { from: 2, to: 6 }],
    ['bytes=2-', { from: 2, to: 10 }],
    ['bytes=9-99', { from: 9, to: 10 }],
    ['bytes=-3', { from: 7, to: 10 }],
    ['bytes=-99', { from: 0, to: 10 }],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=10-12', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ...['', 'bytes=', 'bytes=-', 'bytes=5-2', 'bytes=0-1,3-4', 'bytes=a-b', 'items=0-1', 'bytes= 0-1', 'bytes=--1'].map(
      (header) => [header, undefined] as const,
    ),
    ['bytes=0-9999999999999999', undefined],
    [undefined, undefined],
  ] as const)('[BL6] %s of ten bytes', (header, part) => {
    expect(parseRange(header, 10)).toEqual(part);
  });

  it('[BL6] of an empty blob is never satisfied', () => {
    expect(parseRange('bytes=0-', 0)).toBe('unsatisfiable');
    expect(parseRange('bytes=-1', 0)).toBe('unsatisfiable');
  });
});
