import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { planted } from './planted.mjs';

const root = join(import.meta.dirname, '..', '..');

describe('a bug', () => {
  it.each(planted)('can be planted in the sources as they are: $name', ({ file, from, to }) => {
    expect(readFileSync(join(root, file), 'utf8').split(from)).toHaveLength(2);
    expect(to).not.toBe(from);
  });
});
