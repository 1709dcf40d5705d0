import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { thrownHere } from './thrown.js';

it('a source without its types is still itself: errors name its lines and columns, and it knows where it stands', () => {
  const { stack, url } = thrownHere();
  const source = fileURLToPath(url);
  expect(source).toBe(fileURLToPath(new URL('thrown.ts', import.meta.url)));
  const [, line, column] = /thrown\.[jt]s:(\d+):(\d+)/.exec(stack) ?? [];
  const at = readFileSync(source, 'utf8')
    .split('\n')
    [Number(line) - 1]?.slice(Number(column) - 1);
  expect(at).toMatch(/^new Error\('here'\)/);
});

it('is read by Node itself', () => {
  // Vitest's own evaluator wraps a function around a module; in Node it is the outermost frame.
  expect(thrownHere.toString()).toContain('import.meta.url');
});
