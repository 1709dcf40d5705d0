import { describe, expect, it } from 'vitest';
import { unlistedExports } from './unlisted-exports.js';

describe('exports without a list', () => {
  it.each([
    ["export * from './b.js';", 'export *'],
    ["export type * from './b.js';", 'export *'],
    ['const a = 1;\nexport { a as default };', 'as default'],
    ["export { default } from './b.js';", 'as default'],
    ['const a = 1;\nexport default a;', 'export default'],
  ])('%s is one', (text, what) => {
    const found = unlistedExports(new Map([['test/faults/a.ts', text]]));
    expect(found.map((line) => line.replace(/^test\/faults\/a\.ts:\d+ /, ''))).toEqual([what]);
  });

  it('a namespace under a name is none', () => {
    expect(unlistedExports(new Map([['core/src/a.ts', "export * as rooms from './rooms.js';"]]))).toEqual([]);
  });
});
