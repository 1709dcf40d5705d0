import { describe, expect, it } from 'vitest';
import { untypedEdges } from './untyped-edges.js';

const ignore = ['@ts', 'ignore'].join('-');
const expectError = ['@ts', 'expect', 'error'].join('-');
const disable = ['oxlint', 'disable', 'next-line'].join('-');
const disableAsBefore = ['eslint', 'disable', 'line'].join('-');

describe('untyped edges', () => {
  it.each([
    ['export const a = b as any;', 'any'],
    ['export const a: any = 1;', 'any'],
    ['export const a = new Map<string, any>();', 'any'],
    ['export function f(...x: any[]): void {}', 'any'],
    [`// ${ignore}\nexport const a = 1;`, ignore],
    [`// ${expectError}\nexport const a = 1;`, expectError],
    [`// ${disable} no-var\nvar a = 1;`, 'oxlint-disable'],
    [`export var a = 1; // ${disableAsBefore}`, 'eslint-disable'],
  ])('%s is one', (text, what) => {
    const [first] = untypedEdges(new Map([['core/src/room/a.ts', text]]));
    expect(first).toBe(`core/src/room/a.ts:1 ${what}`);
  });

  it('leaves the word alone in comments, strings and names', () => {
    const text = `// any of: any as any\nexport const any = 'x: any';\nexport const b = Promise.any([]);`;
    expect(untypedEdges(new Map([['core/src/room/a.ts', text]]))).toEqual([]);
  });
});
