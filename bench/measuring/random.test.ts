import { describe, expect, it } from 'vitest';
import { lognormal, seeded, shuffled, wholeBelow } from './random.js';
import { median } from './statistics.js';

describe('seeded numbers', () => {
  it('are the same for the same seed, and others for another', () => {
    const take = (seed: number): number[] => {
      const random = seeded(seed);
      return Array.from({ length: 100 }, random);
    };
    expect(take(1)).toEqual(take(1));
    expect(take(1)).not.toEqual(take(2));
  });

  it('lie from 0 up to 1 and cover it evenly', () => {
    const random = seeded(7);
    const numbers = Array.from({ length: 10_000 }, random);
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...numbers)).toBeLessThan(1);
    for (let tenth = 0; tenth < 10; tenth += 1) {
      const share = numbers.filter((number) => Math.floor(number * 10) === tenth).length;
      expect(share).toBeGreaterThan(850);
      expect(share).toBeLessThan(1150);
    }
  });

  it('give whole numbers below a bound, all of them', () => {
    const random = seeded(3);
    const seen = new Set(Array.from({ length: 500 }, () => wholeBelow(random, 7)));
    expect([...seen].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });
});

describe('shuffled', () => {
  it('keeps every item, leaves its argument alone and changes the order', () => {
    const items = Array.from({ length: 200 }, (_, index) => index);
    const other = shuffled(items, seeded(5));
    expect(other).not.toEqual(items);
    expect([...other].sort((a, b) => a - b)).toEqual(items);
    expect(items[0]).toBe(0);
  });

  it('puts each item in each place about as often', () => {
    const random = seeded(11);
    const firsts = Array.from({ length: 3_000 }, () => shuffled(['a', 'b', 'c'], random)[0]);
    for (const item of ['a', 'b', 'c']) {
      const count = firsts.filter((first) => first === item).length;
      expect(count).toBeGreaterThan(900);
      expect(count).toBeLessThan(1_100);
    }
  });
});

describe('lognormal', () => {
  it('has the median that was asked for, and a long tail above it', () => {
    const random = seeded(13);
    const gaps = Array.from({ length: 20_000 }, () => lognormal(random, 150, 1));
    expect(median(gaps)).toBeGreaterThan(145);
    expect(median(gaps)).toBeLessThan(155);
    expect(Math.min(...gaps)).toBeGreaterThan(0);
    expect(gaps.filter((gap) => gap > 1_500).length).toBeGreaterThan(100);
  });
});
