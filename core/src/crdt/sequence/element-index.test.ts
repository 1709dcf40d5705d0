import { describe, expect, it } from 'vitest';
import { ElementIndex } from './element-index.js';

describe('the index by id', () => {
  it('knows nothing at first', () => {
    const index = new ElementIndex(0);
    expect(index.find(0, 0)).toBe(-1);
    expect(index.nextHeld(0, 0, 10)).toBe(10);
  });

  it('keeps places across pages, for many chains, and lets them change', () => {
    const index = new ElementIndex(0);
    for (let chain = 0; chain < 20; chain++) index.assign(chain, 200, 1000, chain);
    index.assign(7, 250, 300, 99);
    for (const [counter, holder] of [
      [199, -1],
      [200, 7],
      [249, 7],
      [250, 99],
      [549, 99],
      [550, 7],
      [1199, 7],
      [1200, -1],
    ] as const) {
      expect(index.find(7, counter)).toBe(holder);
    }
    expect(index.find(8, 300)).toBe(8);
    expect(index.find(20, 300)).toBe(-1);
  });

  it('finds the next held counter over empty stretches', () => {
    const index = new ElementIndex(0);
    index.assign(1, 5, 1, 0);
    index.assign(1, 100_000, 2, 0);
    index.assign(1, 0x7ffffff0, 1, 0);
    expect(index.nextHeld(1, 0, 1000)).toBe(5);
    expect(index.nextHeld(1, 6, 200_000)).toBe(100_000);
    expect(index.nextHeld(1, 6, 50_000)).toBe(50_000);
    expect(index.nextHeld(1, 100_001, 100_002)).toBe(100_001);
    expect(index.nextHeld(1, 100_002, 0x7fffffff)).toBe(0x7ffffff0);
    expect(index.nextHeld(1, 0x7ffffff1, 0x7fffffff)).toBe(0x7fffffff);
  });
});
