import { describe, expect, it } from 'vitest';
import { hunt } from './hunt.mjs';
import { planted } from './planted.mjs';

describe('the simulator finds a planted bug', () => {
  it.each(planted)('$name', async (bug) => {
    const found = await hunt(bug);
    expect(bug.laws).toContain(found?.law);
  });
});
