import { describe, expect, it } from 'vitest';
import { noticed } from './run.mjs';
import { sabotages } from './table.mjs';

describe('a test notices', () => {
  it.each(sabotages)('$name', async (sabotage) => {
    expect(await noticed(sabotage)).toBeDefined();
  });
});
