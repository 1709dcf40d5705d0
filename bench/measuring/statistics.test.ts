import { describe, expect, it } from 'vitest';
import { median, percentile, spread, summarise } from './statistics.js';

describe('median', () => {
  it('is the middle of an odd count and the mean of the two in the middle of an even one', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([8, 1, 2, 4])).toBe(3);
    expect(median([7])).toBe(7);
  });

  it('sorts as numbers and leaves its input alone', () => {
    const numbers = [100, 9, 20];
    expect(median(numbers)).toBe(20);
    expect(numbers).toEqual([100, 9, 20]);
  });

  it('refuses nothing', () => {
    expect(() => median([])).toThrow('measure at least once');
  });
});

describe('percentile', () => {
  it('is the least value that so large a share stays within', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(percentile(hundred, 0.99)).toBe(99);
    expect(percentile(hundred, 1)).toBe(100);
    expect(percentile(hundred, 0)).toBe(1);
    expect(percentile([7], 0.99)).toBe(7);
    expect(percentile([100, 9, 20], 0.5)).toBe(20);
  });

  it('refuses nothing', () => {
    expect(() => percentile([], 0.5)).toThrow('measure at least once');
  });
});

describe('spread', () => {
  it('is half of the range as a share of the median', () => {
    expect(spread([90, 100, 130])).toBeCloseTo(0.2);
    expect(spread([5])).toBe(0);
  });

  it('of zeros is zero, and of negative numbers positive', () => {
    expect(spread([0, 0])).toBe(0);
    expect(spread([-90, -100, -110])).toBeCloseTo(0.1);
  });
});

describe('summarise', () => {
  it('takes each figure over the runs that have it', () => {
    const { figures, spread: spreads } = summarise([{ a: 1, b: 10 }, { a: 3 }, { a: 2 }]);
    expect(figures).toEqual({ a: 2, b: 10 });
    expect(spreads).toEqual({ a: 0.5, b: 0 });
  });

  it('of no run is empty', () => {
    expect(summarise([])).toEqual({ figures: {}, spread: {} });
  });
});
