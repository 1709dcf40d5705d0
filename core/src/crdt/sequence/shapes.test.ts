/**
 * Shapes that a hostile or unlucky history can take. The cost that matters at a contested place is counted, not
 * timed: how often the order is asked. Work that grows with the square of these sizes would run into the test limit.
 */
import { describe, expect, it } from 'vitest';
import { Sequence } from './sequence.js';
import { LEFT, RIGHT } from './span-layout.js';
import type { Side } from './span-layout.js';
import { columnsOf, visibleOf } from './testing/compare.js';
import { Random } from './testing/random.js';

class CountedOrder {
  asked = 0;
  readonly order = (chainA: number, a: number, chainB: number, b: number): number => {
    this.asked++;
    return chainA - chainB || a - b;
  };
}

function shuffled(count: number, seed: number): number[] {
  const random = new Random(seed);
  const numbers = Array.from({ length: count }, (_, i) => i + 1);
  for (let i = count - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [numbers[i], numbers[j]] = [numbers[j]!, numbers[i]!];
  }
  return numbers;
}

const ascending = Array.from({ length: 10_000 }, (_, i) => i + 1);

describe('10,000 siblings of one element', () => {
  it.each([
    ['right, smallest first', RIGHT, ascending],
    ['right, greatest first', RIGHT, ascending.toReversed()],
    ['right, shuffled', RIGHT, shuffled(10_000, 1)],
    ['left, smallest first', LEFT, ascending],
    ['left, greatest first', LEFT, ascending.toReversed()],
    ['left, shuffled', LEFT, shuffled(10_000, 2)],
  ] as [string, Side, number[]][])('%s', (_, side, chains) => {
    const counted = new CountedOrder();
    const sequence = new Sequence(counted.order);
    sequence.insert(0, 0, 1, -1, 0, RIGHT);
    for (const chain of chains) sequence.insert(chain, 0, 1, 0, 0, side);
    const siblings = ascending.map((chain) => `${chain}:0`);
    expect(visibleOf(sequence)).toEqual(side === LEFT ? [...siblings, '0:0'] : ['0:0', ...siblings]);
    expect(counted.asked).toBeLessThan(10_000 * 20);
  });
});

describe('deep trees', () => {
  it.each([LEFT, RIGHT] as Side[])('20,000 typed backwards beside 50 conflicting inserts, side %i', (side) => {
    const counted = new CountedOrder();
    const sequence = new Sequence(counted.order);
    sequence.insert(0, 0, 2, -1, 0, RIGHT);
    let parent: [number, number] = [0, 1];
    for (let counter = 0; counter < 20_000; counter++) {
      sequence.insert(50, counter, 1, ...parent, LEFT);
      parent = [50, counter];
    }
    counted.asked = 0;
    for (let i = 1; i <= 50; i++) sequence.insert(25 + i + (i < 25 ? 0 : 25), 0, 1, 0, side === LEFT ? 1 : 0, side);
    expect(counted.asked).toBeLessThan(50 * 10);
    const visible = visibleOf(sequence);
    const spine = visible.indexOf('50:19999');
    expect(visible.slice(spine, spine + 20_000)).toEqual(Array.from({ length: 20_000 }, (_, i) => `50:${19_999 - i}`));
    const [before, after] = [visible.slice(0, spine), visible.slice(spine + 20_000)];
    const rest = [...before, ...after].filter((word) => !word.startsWith('0:'));
    expect(rest).toHaveLength(50);
    // Right of 0:0 stands 0:1, which compares smaller and heads the spine; left of 0:1 the spine is one of the siblings.
    expect(before).toHaveLength(side === LEFT ? 25 : 1);
  });

  it('a right spine of 20,000 with a greater sibling at every level', () => {
    const counted = new CountedOrder();
    const sequence = new Sequence(counted.order);
    sequence.insert(1, 0, 1, -1, 0, RIGHT);
    // Every other counter, so that no two levels share a span.
    for (let level = 1; level < 20_000; level++) sequence.insert(1, level * 2, 1, 1, level * 2 - 2, RIGHT);
    for (let level = 0; level < 19_999; level++) sequence.insert(2, level, 1, 1, level * 2, RIGHT);
    const spine = Array.from({ length: 20_000 }, (_, level) => `1:${level * 2}`);
    const siblings = Array.from({ length: 19_999 }, (_, level) => `2:${19_998 - level}`);
    expect(visibleOf(sequence)).toEqual([...spine, ...siblings]);
    expect(counted.asked).toBeLessThan(20_000 * 4);
  });

  it('100,000 prepends, locally and by id [fault 26]', () => {
    const local = new Sequence(new CountedOrder().order);
    const remote = new Sequence(new CountedOrder().order);
    for (let counter = 0; counter < 100_000; counter++) {
      local.insertAt(0, 0, counter, 1);
      remote.insert(0, counter, 1, local.originChain, local.originCounter, local.originSide);
    }
    expect(columnsOf(remote)).toBe(columnsOf(local));
    expect(local.positionOf(0, 0)).toBe(99_999);
    expect(remote.positionOf(0, 99_999)).toBe(0);
    expect(Sequence.load(new CountedOrder().order, local.save()).positionOf(0, 40_000)).toBe(59_999);
  });
});

it('100,000 inserts at random positions, locally and by id, then deleted by id [fault 26]', () => {
  const random = new Random(7);
  const local = new Sequence(new CountedOrder().order);
  const remote = new Sequence(new CountedOrder().order);
  remote.has(0, 0);
  for (let counter = 0; counter < 100_000; counter++) {
    local.insertAt(random.below(counter + 1), 0, counter, 1);
    remote.insert(0, counter, 1, local.originChain, local.originCounter, local.originSide);
  }
  expect(columnsOf(remote)).toBe(columnsOf(local));
  for (const counter of shuffled(99_999, 3)) expect(remote.delete(0, counter, 1)).toBe(1);
  expect(visibleOf(remote)).toEqual(['0:0']);
  expect(remote.positionOf(0, 0)).toBe(0);
});

it('a million pasted elements cut up near their start', () => {
  const random = new Random(11);
  const sequence = new Sequence(new CountedOrder().order);
  sequence.insertAt(0, 0, 0, 1_000_000);
  expect(sequence.has(0, 999_999)).toBe(true);
  for (let counter = 0; counter < 50_000; counter++) sequence.insertAt(1 + random.below(200), 1, counter, 1);
  expect(sequence.positionOf(0, 0)).toBe(0);
  expect(sequence.positionOf(0, 999_999)).toBe(1_049_999);
});
