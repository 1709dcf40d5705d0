import { describe, expect, it } from 'vitest';
import { importCycles } from './import-cycles.js';

function cycles(files: Record<string, string>, imports: 'of values' | 'of values and types' = 'of values'): string[] {
  return importCycles(new Map(Object.entries(files)), imports);
}

describe('import cycles', () => {
  it('finds two files that import each other', () => {
    const files = { 'core/src/a.ts': `import './b.js';`, 'core/src/b.ts': `export { a } from './a.js';` };
    expect(cycles(files)).toEqual(['core/src/a.ts <-> core/src/b.ts']);
  });

  it('finds a longer circle and leaves out what only leads into it', () => {
    const files = {
      'core/src/start.ts': `import './a.js';`,
      'core/src/a.ts': `import './b.js';`,
      'core/src/b.ts': `import './c.js';\nimport './leaf.js';`,
      'core/src/c.ts': `export const a = import('./a.js');`,
      'core/src/leaf.ts': '',
    };
    expect(cycles(files)).toEqual(['core/src/a.ts <-> core/src/b.ts <-> core/src/c.ts']);
  });

  it('finds a file that imports itself', () => {
    expect(cycles({ 'core/src/a.ts': `import './a.js';` })).toEqual(['core/src/a.ts']);
  });

  it('tells circles that only types close from those that values close', () => {
    const files = {
      'core/src/a.ts': `import type { B } from './b.js';\nimport { type C } from './b.js';`,
      'core/src/b.ts': `import './a.js';`,
    };
    expect(cycles(files)).toEqual([]);
    expect(cycles(files, 'of values and types')).toEqual(['core/src/a.ts <-> core/src/b.ts']);
  });

  it('follows names that a package.json maps to paths', () => {
    const files = {
      'package.json': '{ "imports": { "#codec/*": "./core/src/codec/*.ts" } }',
      'core/src/codec/a.ts': `import '#codec/b';`,
      'core/src/codec/b.ts': `import './a.js';`,
    };
    expect(cycles(files)).toEqual(['core/src/codec/a.ts <-> core/src/codec/b.ts']);
  });

  it('walks a chain of 20,000 files', () => {
    const chain = Array.from({ length: 20_000 }, (_, n) => [`core/src/f${n}.ts`, `import './f${n + 1}.js';`] as const);
    expect(cycles({ ...Object.fromEntries(chain), 'core/src/f20000.ts': '' })).toEqual([]);
  });
});
