import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runtimeTies } from './neutral-entries.js';
import { checkout, readTree } from './source-tree.js';

const neutral = ['index', 'memory', 'client'];

function ties(files: Record<string, string>): string[] {
  return runtimeTies('core/src/index.ts', new Map(Object.entries(files)));
}

describe('entries that run everywhere', () => {
  it.each([
    [`import { readFileSync } from 'node:fs';`, 'core/src/index.ts -> node:fs (Node built-in)'],
    [`import { readFileSync } from 'fs';`, 'core/src/index.ts -> fs (Node built-in)'],
    [`export const fs = import('node:fs');`, 'core/src/index.ts -> node:fs (Node built-in)'],
    [`import { WebSocket } from 'ws';`, 'core/src/index.ts -> ws (not a neutral package)'],
    [`import { Level } from 'level';`, 'core/src/index.ts -> level (not a neutral package)'],
    [`export const b = Buffer.from('');`, 'core/src/index.ts uses Buffer (Node global)'],
    [`import './gone.js';`, 'core/src/gone.ts is missing'],
  ])('%s ties the entry to a runtime', (text, tie) => {
    expect(ties({ 'core/src/index.ts': text })).toEqual([tie]);
  });

  it('follows imports and re-exports to what they load', () => {
    const files = {
      'core/src/index.ts': `export { a } from './a.js';`,
      'core/src/a.ts': `import './b.js';`,
      'core/src/b.ts': `import 'node:net';`,
    };
    expect(ties(files)).toEqual(['core/src/b.ts -> node:net (Node built-in)']);
  });

  it('accepts neutral packages, types of others and guarded globals', () => {
    const text = [
      `import * as z from 'zod';`,
      `import { sha256 } from '@noble/hashes/sha2.js';`,
      `import type { Socket } from 'node:net';`,
      `export const node = globalThis.process?.versions;`,
      `export interface Like { Buffer: number; process(): void }`,
    ].join('\n');
    expect(ties({ 'core/src/index.ts': text })).toEqual([]);
  });

  const tree = readTree();

  it.each(neutral)('core/src/%s.ts is neutral in source', (entry) => {
    expect(runtimeTies(`core/src/${entry}.ts`, tree)).toEqual([]);
  });

  it.each(neutral)('core/dist/%s.js is neutral as built', (entry) => {
    const folder = join(checkout, 'core', 'dist');
    expect(existsSync(folder), 'core is not built: run npm run build').toBe(true);
    const scripts = readdirSync(folder).filter((file) => file.endsWith('.js'));
    const built = new Map(scripts.map((file) => [`core/dist/${file}`, readFileSync(join(folder, file), 'utf8')]));
    expect(runtimeTies(`core/dist/${entry}.js`, built)).toEqual([]);
  });
});
