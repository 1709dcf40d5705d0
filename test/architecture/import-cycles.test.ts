import { describe, expect, it } from 'vitest';
import { importCycles } from './import-cycles.js';
import { readTree } from './source-tree.js';

function cycles(files: Record<string, string>): string[][] {
  return importCycles(new Map(Object.entries(files)));
}

describe('import cycles', () => {
  it('finds two files that import each other', () => {
    const files = { 'core/src/a.ts': `import './b.js';`, 'core/src/b.ts': `export { a } from './a.js';` };
    expect(cycles(files)).toEqual([['core/src/a.ts', 'core/src/b.ts']]);
  });

  it('finds a longer circle and leaves out what only leads into it', () => {
    const files = {
      'core/src/start.ts': `import './a.js';`,
      'core/src/a.ts': `import './b.js';`,
      'core/src/b.ts': `import './c.js';\nimport './leaf.js';`,
      'core/src/c.ts': `export const a = import('./a.js');`,
      'core/src/leaf.ts': '',
    };
    expect(cycles(files)).toEqual([['core/src/a.ts', 'core/src/b.ts', 'core/src/c.ts']]);
  });

  it('finds a file that imports itself', () => {
    expect(cycles({ 'core/src/a.ts': `import './a.js';` })).toEqual([['core/src/a.ts']]);
  });

  it('closes no circle with types', () => {
    const files = {
      'core/src/a.ts': `import type { B } from './b.js';\nimport { type C } from './b.js';`,
      'core/src/b.ts': `import './a.js';`,
    };
    expect(cycles(files)).toEqual([]);
  });

  it('walks a chain of 20,000 files', () => {
    const chain = Array.from({ length: 20_000 }, (_, n) => [`core/src/f${n}.ts`, `import './f${n + 1}.js';`] as const);
    expect(cycles({ ...Object.fromEntries(chain), 'core/src/f20000.ts': '' })).toEqual([]);
  });

  it('has none in this tree', () => {
    expect(importCycles(readTree())).toEqual([]);
  });
});
