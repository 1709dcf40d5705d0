import { describe, expect, it } from 'vitest';
import { entriesOf, exportsOf, unusedExports } from './unused-exports.js';

const manifest =
  '{ "name": "@weft/core", "exports": { ".": {}, "./testing": {}, "./package.json": "./package.json" } }';

function unused(files: Record<string, string>): string[] {
  return unusedExports(new Map(Object.entries({ 'core/package.json': manifest, ...files })));
}

describe('exports', () => {
  it.each([
    ['export const a = 1;', 'nothing uses it'],
    ['export function a() {}', 'nothing uses it'],
    ['export interface a { b: 1 }', 'nothing uses it'],
    ['const b = 1;\nexport { b as a };', 'only this file uses it'],
    [`export { a } from './b.js';`, 'nothing uses it'],
    ['export const { x: [a] } = make();', 'nothing uses it'],
    ['export class a {}\nnew a();', 'only this file uses it'],
  ])('%s has no reader', (text, why) => {
    expect(unused({ 'core/src/codec/a.ts': text })).toEqual([`core/src/codec/a.ts a: ${why}`]);
  });

  it('of the product have a reader in the product', () => {
    const files = {
      'core/src/codec/a.ts': 'export const a = 1;\nexport const b = 2;\nexport const c = b;',
      'core/src/codec/a.test.ts': `import { a, b, c } from './a.js';`,
      'core/src/codec/d.ts': `import { c } from './a.js';`,
    };
    expect(unused(files)).toEqual(['core/src/codec/a.ts a: only tests use it']);
  });

  it.each([
    ['of another file', `import { a } from './a.js';`],
    ['that passes it on', `export { a as b } from './a.js';`],
    ['that takes all', `import * as all from './a.js';`],
    ['at run time', `const { a } = await import('./a.js');`],
    ['of a type', `type A = typeof import('./a.js').a;`],
  ])('have a reader: %s', (_, text) => {
    expect(unused({ 'core/src/a.ts': 'export const a = 1;', 'core/src/index.ts': text })).toEqual([]);
  });

  it('that name what their own file takes and gives may stay', () => {
    expect(
      unused({ 'core/src/index.ts': `import './a.js';`, 'core/src/a.ts': 'export type A = 1;\nlet a: A;' }),
    ).toEqual([]);
  });

  it('of an entry are for everybody', () => {
    const files = { 'core/src/index.ts': 'export const a = 1;', 'core/src/testing.ts': 'export const b = 1;' };
    expect(unused(files)).toEqual([]);
    expect(entriesOf(new Map(Object.entries({ ...files, 'core/package.json': manifest })))).toEqual([
      { entry: '@weft/core', source: 'core/src/index.ts' },
      { entry: '@weft/core/testing', source: 'core/src/testing.ts' },
    ]);
  });

  it('are told apart', () => {
    expect(exportsOf('a.ts', `export type { A } from './b.js';\nexport class B {}\nconst c = 1;`)).toEqual([
      { name: 'A', isType: true },
      { name: 'B', local: 'B', isType: false },
    ]);
  });
});
