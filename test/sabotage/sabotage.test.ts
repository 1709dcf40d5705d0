import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sabotages } from './table.mjs';

const root = join(import.meta.dirname, '..', '..');

describe('a sabotage', () => {
  it.each(sabotages)('can be put into the sources as they are: $name', ({ file, from, to, caughtBy }) => {
    expect(readFileSync(join(root, file), 'utf8').split(from)).toHaveLength(2);
    expect(to).not.toBe(from);
    expect(existsSync(join(root, caughtBy))).toBe(true);
  });
});
