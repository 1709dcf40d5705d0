import { describe, expect, it } from 'vitest';
import { PROOF_WINDOW_MS } from './authenticate.js';
import { UsedProofs } from './used-proofs.js';

const HOUR = 3_600_000;
const PAST = 2 * PROOF_WINDOW_MS;

describe('used proofs', () => {
  it('[AU3] are known for as long as they could be shown again, in either case', () => {
    const used = new UsedProofs(1);
    expect(used.use('ab', 0, 0)).toBe(true);
    expect([used.has('AB'), used.use('aB', 0, 1)]).toEqual([true, false]);
    // A proof dated as far ahead as may be, shown as late as may be, when there are many others.
    for (let i = 0; i < 10; i++) used.use(`other ${i}`, i, PAST);
    expect(used.use('ab', 0, PAST)).toBe(false);
  });

  it('[AU3] are known when the clock jumps ahead and back, whatever was used meanwhile', () => {
    const used = new UsedProofs();
    expect(used.use('before', 0, 0)).toBe(true);
    expect(used.use('ahead', HOUR, HOUR)).toBe(true);
    expect(used.use('before', 0, 1000)).toBe(false);
    expect(used.use('after', 1000, 1000)).toBe(true);
    expect(used.use('ahead', HOUR, HOUR + 1000)).toBe(false);
  });

  it('[AU3] are forgotten when they are many and past; then nothing of their time is taken, wherever the clock is set', () => {
    const used = new UsedProofs(1000);
    used.use('ahead', HOUR, 0);
    for (let i = 1; i <= 1000; i++) used.use(`nonce ${i}`, i, PAST + 501);
    expect([used.has('nonce 500'), used.has('nonce 501'), used.has('ahead')]).toEqual([false, true, true]);
    expect([used.isForgotten(500), used.isForgotten(501)]).toEqual([true, false]);
    expect([used.use('nonce 1', 1, 0), used.use('nonce 1', 500, 0), used.use('another', 501, 0)]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('[AU3] are looked through seldom when many of them are not past', () => {
    const used = new UsedProofs(100);
    for (let i = 0; i < 150; i++) used.use(`young ${i}`, PAST, PAST);
    used.use('old', 0, 0);
    for (let i = 150; i < 199; i++) used.use(`young ${i}`, PAST, PAST + 1);
    expect(used.has('old')).toBe(true);
    for (let i = 199; i < 210; i++) used.use(`young ${i}`, PAST, PAST + 1);
    expect(used.has('old')).toBe(false);
  });
});
