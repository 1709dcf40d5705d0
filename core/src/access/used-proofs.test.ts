import { describe, expect, it } from 'vitest';
import { PROOF_WINDOW_MS } from './authenticate.js';
import { UsedProofs } from './used-proofs.js';

describe('used proofs', () => {
  it('[AU3] are known for as long as they could be shown again, in either case', () => {
    const used = new UsedProofs();
    expect(used.use('ab', 0)).toBe(true);
    expect([used.has('AB'), used.use('aB', 1)]).toEqual([true, false]);
    // A proof dated as far ahead as may be, shown as late as may be.
    expect(used.use('ab', 2 * PROOF_WINDOW_MS)).toBe(false);
  });

  it('[AU3] are forgotten when they would be refused for their time', () => {
    const used = new UsedProofs();
    for (let i = 0; i < 1000; i++) used.use(`nonce ${i}`, i);
    expect(used.use('another', 2 * PROOF_WINDOW_MS + 500)).toBe(true);
    expect([used.has('nonce 499'), used.has('nonce 500')]).toEqual([false, true]);
    expect(used.use('nonce 0', 2 * PROOF_WINDOW_MS + 501)).toBe(true);
  });
});
