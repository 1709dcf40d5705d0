/** Many replicas, any causal order of delivery, every answer checked against the naive tree. */
import { describe, expect, it } from 'vitest';
import { Sequence } from './sequence.js';
import { LEFT, RIGHT } from './span-layout.js';
import { mustHaveSameDocument } from './testing/compare.js';
import { converge } from './testing/converge.js';
import { NaiveTree } from './testing/naive-tree.js';
import { Random } from './testing/random.js';
import { Stamps } from './testing/site.js';

describe('replicas converge to the naive tree', () => {
  it('with three authors who hear of each other soon', () => {
    expect(converge(1, 80, { authors: 3, edits: 100, editing: 20 })).toBeGreaterThan(20_000);
  });

  it('with authors who work apart for long', () => {
    expect(converge(10_000, 40, { authors: 4, edits: 160, editing: 60 })).toBeGreaterThan(20_000);
  });

  it('with many authors', () => {
    expect(converge(20_000, 10, { authors: 9, edits: 300, editing: 40 })).toBeGreaterThan(20_000);
  });

  it('with documents of many leaves and groups', () => {
    expect(converge(30_000, 1, { authors: 3, edits: 6_000, editing: 50 })).toBeGreaterThan(15_000);
  });
});

describe('siblings near the start of a long run whose later parts are cut up', () => {
  // Here the spans around the contested place are far deeper than it, so nothing but exact bookkeeping leads back to it.
  it.each([
    ['after a delete in the middle', [[12, 3]]],
    ['after a delete up to the cuts', [[12, 990]]],
    ['after backspacing towards them', Array.from({ length: 900 }, (_, i) => [911 - i, 1])],
    ['after deleting forwards', Array.from({ length: 900 }, (_, i) => [12 + i, 1])],
  ] as [string, [counter: number, count: number][]][])('%s', (_, deletes) => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = new Random(seed);
      const stamps = new Stamps();
      const sequence = new Sequence(stamps.order);
      const tree = new NaiveTree(stamps.order);
      const insert = (...change: Parameters<Sequence['insert']>): void => {
        stamps.give(change[0], change[1], change[2], random.below(1000));
        sequence.insert(...change);
        tree.insert(...change);
      };
      insert(0, 0, 1200, -1, 0, RIGHT);
      for (let counter = 1199; counter > 1000; counter--) insert(1, counter, 1, 0, counter, LEFT);
      for (const [counter, count] of deletes)
        expect(sequence.delete(0, counter, count)).toBe(tree.delete(0, counter, count));
      for (let counter = 0; counter < 20; counter++) insert(2, counter * 2, 1, 0, 11, RIGHT);
      for (let counter = 0; counter < 20; counter++) insert(3, counter * 2, 1, 0, 13, RIGHT);
      mustHaveSameDocument(sequence, tree, `seed ${seed}`);
    }
  });
});
