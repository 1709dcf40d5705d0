/** Words typed at the same time at the same place stay whole; and any single history equals plain splicing. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Sequence } from './sequence.js';
import type { Side } from './span-layout.js';
import { columnsOf, visibleOf } from './testing/compare.js';

const byId = (chainA: number, a: number, chainB: number, b: number): number => chainA - chainB || a - b;
const byIdReversed = (chainA: number, a: number, chainB: number, b: number): number => chainB - chainA || b - a;

type Insert = [chain: number, counter: number, count: number, parentChain: number, parentCounter: number, side: Side];

function type(sequence: Sequence, position: number, chain: number, counter: number): Insert {
  sequence.insertAt(position, chain, counter, 1);
  return [chain, counter, 1, sequence.originChain, sequence.originCounter, sequence.originSide];
}

/** Types a word at a place, each letter at a position within what is typed so far. */
function typeWord(
  base: Sequence,
  place: number,
  chain: number,
  caretOf: (typed: number) => number,
  length: number,
): Insert[] {
  const sequence = Sequence.load(byId, base.save());
  return Array.from({ length }, (_, typed) => type(sequence, place + caretOf(typed), chain, 1000 + typed));
}

const forwards = (typed: number): number => typed;
const backwards = (): number => 0;

/** A text by the same two authors, with deletes, so that the place lies among their tombstones. */
const baseText = fc.record({
  typed: fc.array(fc.tuple(fc.nat(), fc.constantFrom(1, 2)), { maxLength: 30 }),
  deleted: fc.array(fc.nat(), { maxLength: 15 }),
  place: fc.nat(),
});

function makeBase({ typed, deleted }: { typed: [number, number][]; deleted: number[] }): Sequence {
  const base = new Sequence(byId);
  typed.forEach(([at, chain], counter) => base.insertAt(at % (base.length + 1), chain, counter, 1));
  for (const at of deleted) if (base.length > 0) base.deleteAt(at % base.length, 1, () => undefined);
  return base;
}

/** Merges lists in an order given by picks, each list's own order kept. */
function merged(lists: Insert[][], picks: number[]): Insert[] {
  const queues = lists.map((list) => [...list]);
  const result: Insert[] = [];
  for (let i = 0; queues.some((queue) => queue.length > 0); i++) {
    const waiting = queues.filter((queue) => queue.length > 0);
    const next = waiting[(picks[i] ?? 0) % waiting.length]?.shift();
    if (next) result.push(next);
  }
  return result;
}

function expectWhole(base: Sequence, words: Insert[][], picks: number[]): void {
  for (const order of [byId, byIdReversed]) {
    // The base has a single history, so it loads under either order.
    const sequence = Sequence.load(order, base.save());
    for (const insert of merged(words, picks)) sequence.insert(...insert);
    const visible = visibleOf(sequence);
    for (const word of words) {
      const letters = new Set(word.map(([chain, counter]) => `${chain}:${counter}`));
      const first = visible.findIndex((letter) => letters.has(letter));
      expect(visible.slice(first, first + word.length).every((letter) => letters.has(letter))).toBe(true);
    }
  }
}

describe('words typed concurrently at one place do not interleave', () => {
  it.each([
    ['both forwards', forwards, forwards],
    ['both backwards', backwards, backwards],
    ['one forwards, one backwards', forwards, backwards],
  ])('%s', (_, caretA, caretB) => {
    fc.assert(
      fc.property(baseText, fc.array(fc.nat({ max: 9 }), { maxLength: 40 }), (text, picks) => {
        const base = makeBase(text);
        const place = text.place % (base.length + 1);
        expectWhole(base, [typeWord(base, place, 1, caretA, 12), typeWord(base, place, 2, caretB, 12)], picks);
      }),
      { numRuns: 100 },
    );
  });

  it('with carets that wander within each word, and three authors [fault 26]', () => {
    fc.assert(
      fc.property(
        baseText,
        fc.array(fc.nat({ max: 9 }), { maxLength: 60 }),
        fc.array(fc.nat(), { minLength: 45, maxLength: 45 }),
        (text, picks, carets) => {
          const base = makeBase(text);
          const place = text.place % (base.length + 1);
          const words = [1, 2, 3].map((chain) =>
            typeWord(base, place, chain, (typed) => carets[chain * 15 - 15 + typed]! % (typed + 1), 15),
          );
          expectWhole(base, words, picks);
        },
      ),
      { numRuns: 100 },
    );
  });
});

const splice = fc.record({ at: fc.nat(), count: fc.integer({ min: 1, max: 5 }), deletes: fc.boolean() });

it('one history equals splicing an array, and a replica fed by id equals both', () => {
  fc.assert(
    fc.property(fc.array(splice, { maxLength: 300 }), (edits) => {
      const local = new Sequence(byId);
      const remote = new Sequence(byId);
      const letters: string[] = [];
      let counter = 0;
      for (const { at, count, deletes } of edits) {
        if (deletes && letters.length > 0) {
          const position = at % letters.length;
          const taken = Math.min(count, letters.length - position);
          letters.splice(position, taken);
          local.deleteAt(position, taken, (chain, first, span) => remote.delete(chain, first, span));
        } else {
          const position = at % (letters.length + 1);
          local.insertAt(position, 0, counter, count);
          remote.insert(0, counter, count, local.originChain, local.originCounter, local.originSide);
          letters.splice(position, 0, ...Array.from({ length: count }, (_, i) => `0:${counter + i}`));
          counter += count;
        }
      }
      expect(visibleOf(local)).toEqual(letters);
      expect(columnsOf(remote)).toBe(columnsOf(local));
    }),
    { numRuns: 100 },
  );
});
