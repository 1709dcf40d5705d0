/** What is saved comes back, goes on as before, and anything else is refused. */
import { describe, expect, it } from 'vitest';
import { DecodeError } from '../../codec/bytes/bytes.js';
import { Sequence } from './sequence.js';
import type { SequenceSnapshot } from './snapshot.js';
import { LEFT, RIGHT } from './span-layout.js';
import { columnsOf, documentOf } from './testing/compare.js';
import { Random } from './testing/random.js';

const byId = (chainA: number, a: number, chainB: number, b: number): number => chainA - chainB || a - b;

type Columns = { -readonly [K in keyof SequenceSnapshot]: SequenceSnapshot[K] };

/** Typing and deleting by two authors in one place after another. */
function written(edits: number, seed: number): Sequence {
  const random = new Random(seed);
  const sequence = new Sequence(byId);
  const counters = [0, 0];
  for (let i = 0; i < edits; i++) {
    const chain = random.below(2);
    const count = 1 + random.below(3);
    if (sequence.length > 10 && random.chance(40))
      sequence.deleteAt(random.below(sequence.length - 3), count, () => undefined);
    else sequence.insertAt(random.below(sequence.length + 1), chain, counters[chain]!, count);
    counters[chain]! += count;
  }
  return sequence;
}

/** Rows: 0:0+2, 1:0 (right of 0:1), -0:2 (right of 0:1, after 1:0's left-hand rival), 2:0 left of 0:2. */
function small(): Sequence {
  const sequence = new Sequence(byId);
  sequence.insert(0, 0, 3, -1, 0, RIGHT);
  sequence.insert(2, 0, 1, 0, 2, LEFT);
  sequence.insert(1, 7, 2, 0, 1, RIGHT);
  sequence.insert(3, 0, 1, 0, 0, RIGHT);
  sequence.delete(0, 2, 1);
  return sequence;
}

describe('a saved sequence', () => {
  it('comes back empty when it was empty', () => {
    const loaded = Sequence.load(byId, new Sequence(byId).save());
    expect(loaded.length).toBe(0);
    loaded.insertAt(0, 0, 0, 1);
    expect(documentOf(loaded)).toBe('0:0');
  });

  it('writes down parents only where order does not tell them', () => {
    const saved = small().save();
    expect(documentOf(small())).toBe('0:0 0:1 2:0 -0:2 1:7 1:8 3:0');
    expect([...saved.chains]).toEqual([0, 2, 0, 1, 3]);
    expect([...saved.lengths]).toEqual([2, 1, -1, 2, 1]);
    expect([...saved.origins]).toEqual([3, 2, 0, 3, 3]);
    expect([...saved.parents]).toEqual([-1, 1, 1]);
    expect([...saved.parentCounters]).toEqual([0, 1, 0]);
  });

  it('writes what goes on as one row, the first one too, in whatever order it came or went', () => {
    const rowsOf = (edit: (sequence: Sequence) => void): number[] => {
      const sequence = new Sequence(byId);
      sequence.insertAt(0, 0, 0, 6);
      edit(sequence);
      return [...sequence.save().lengths];
    };
    const gone = () => undefined;
    expect(rowsOf((sequence) => sequence.insertAt(6, 0, 6, 2))).toEqual([8]);
    for (const order of [
      [0, 0, 0],
      [2, 1, 0],
      [1, 0, 0],
      [0, 1, 0],
    ])
      expect(
        rowsOf((sequence) => {
          for (const position of order) sequence.deleteAt(position, 1, gone);
        }),
        `${order}`,
      ).toEqual([-3, 3]);
    // So many pieces that they stand in several leaves, which are not merged with each other.
    const sequence = new Sequence(byId);
    sequence.insertAt(0, 0, 0, 2000);
    for (let position = 1998; position >= 0; position -= 2) sequence.deleteAt(position, 1, gone);
    expect(sequence.save().lengths).toHaveLength(2000);
    while (sequence.length > 0) sequence.deleteAt(0, 1, gone);
    expect([...sequence.save().lengths]).toEqual([-2000]);
  });

  it('reads the same, and saves the same again', () => {
    for (const edits of [1, 10, 300, 20_000]) {
      const sequence = written(edits, edits);
      const loaded = Sequence.load(byId, sequence.save());
      expect(documentOf(loaded)).toBe(documentOf(sequence));
      expect(loaded.length).toBe(sequence.length);
      expect(columnsOf(loaded)).toBe(columnsOf(sequence));
    }
  });

  it('goes on like the one that was never put away', () => {
    const sequence = written(5_000, 3);
    const loaded = Sequence.load(byId, sequence.save());
    const random = new Random(4);
    for (let counter = 0; counter < 5_000; counter++) {
      const kind = random.below(3);
      if (kind === 0) {
        sequence.elementAt(random.below(sequence.length));
        const { foundChain, foundCounter } = sequence;
        const side = random.chance(50) ? LEFT : RIGHT;
        for (const each of [sequence, loaded]) each.insert(5, counter, 1, foundChain, foundCounter, side);
      } else if (kind === 1) {
        const position = random.below(sequence.length + 1);
        for (const each of [sequence, loaded]) each.insertAt(position, 6, counter, 1);
        expect([loaded.originChain, loaded.originCounter]).toEqual([sequence.originChain, sequence.originCounter]);
      } else {
        const position = random.below(sequence.length);
        sequence.deleteAt(position, 1, (chain, first, span) => expect(loaded.delete(chain, first, span)).toBe(span));
      }
    }
    expect(documentOf(loaded)).toBe(documentOf(sequence));
    expect(columnsOf(loaded)).toBe(columnsOf(sequence));
  });
});

/** Values for which room is made in lists of numbers meanwhile. */
function roomMadeBy(act: () => void): number {
  const real = globalThis.Int32Array;
  let asked = 0;
  globalThis.Int32Array = new Proxy(real, {
    construct(target, args: unknown[], made) {
      if (typeof args[0] === 'number') asked += args[0];
      return Reflect.construct(target, args, made) as object;
    },
  });
  try {
    act();
  } finally {
    globalThis.Int32Array = real;
  }
  return asked;
}

describe('a snapshot', () => {
  it('makes room for its rows, however many elements they claim', () => {
    const claimed = (count: number): SequenceSnapshot => {
      const columns: Columns = { ...small().save() };
      columns.lengths[2] = -count;
      return columns;
    };
    const usual = roomMadeBy(() => void Sequence.load(byId, claimed(1)));
    const loaded: number[] = [];
    const claiming = roomMadeBy(() => loaded.push(Sequence.load(byId, claimed(20_000_000)).length));
    expect(loaded).toEqual([Sequence.load(byId, claimed(1)).length]);
    expect(claiming).toBeLessThanOrEqual(usual);
  });
});

describe('a snapshot is refused when', () => {
  const cases: [string, (columns: Columns) => void, RegExp][] = [
    ['a column is short', (c) => (c.starts = c.starts.subarray(1)), /columns differ in length/],
    ['a chain is negative', (c) => (c.chains[1] = -4), /row 1 has no valid id/],
    ['a length is nothing', (c) => (c.lengths[1] = 0), /row 1 has no valid length/],
    ['counters run over', (c) => (c.starts[3] = 0x7fffffff), /row 3 has no valid length/],
    ['it has too many elements', (c) => c.lengths.fill(0x7ffffff0), /too many elements/],
    ['an element is there twice', (c) => (c.starts[2] = 1), /row 2 repeats an element/],
    [
      'a row lies within another',
      (c) => ((c.chains[3] = 2), (c.starts[3] = 0), (c.starts[1] = 1), (c.lengths[3] = 3)),
      /row 1 is repeated/,
    ],
    ['an element is there twice, in rows of many', (c) => ((c.starts[2] = 1), (c.lengths[2] = -9999)), /row 2 repeats/],
    [
      'a row lies within another of many',
      (c) => ((c.chains[3] = 2), (c.starts[3] = 0), (c.starts[1] = 1), (c.lengths[3] = 9999)),
      /row 3 repeats an element/,
    ],
    ['an origin is unknown', (c) => (c.origins[2] = 9), /row 2 has no parent/],
    [
      'parents are missing',
      (c) => ((c.parents = c.parents.subarray(1)), (c.parentCounters = c.parentCounters.subarray(1))),
      /row 4 has no parent/,
    ],
    ['parents are left over', (c) => (c.origins[4] = 1), /parents without rows/],
    ['the first row follows', (c) => (c.origins[0] = 1), /first row follows nothing/],
    ['the last row precedes', (c) => (c.origins[4] = 2), /last row precedes nothing/],
    ['a parent is unknown', (c) => (c.parentCounters[1] = 40), /row 3 names a parent that is not in it/],
    ['a parent counter is negative', (c) => (c.parentCounters[1] = -1), /row 3 names a parent that is not in it/],
    ['a row is left of the start', (c) => (c.parents[0] = -2), /row 0 is left of nothing/],
    ['a row is left of a middle element', (c) => (c.parents[1] = 0), /row 3 is left of nothing/],
    ['a row is its own parent', (c) => ((c.parents[0] = 1), (c.parentCounters[0] = 1)), /hang on nothing/],
    [
      "two rows are each other's parents",
      (c) => (
        (c.parents[1] = 3 * 2 + 1),
        (c.parents[2] = 1 * 2 + 1),
        (c.parentCounters[1] = 0),
        (c.parentCounters[2] = 8)
      ),
      /hang on nothing/,
    ],
    [
      'a row stands before its parent',
      (c) => ((c.parents[0] = 3 * 2 + 1), (c.parentCounters[0] = 0), (c.parents[2] = -1)),
      /not where its parent says/,
    ],
  ];

  it.each(cases)('%s', (_, spoil, message) => {
    const columns: Columns = { ...small().save() };
    spoil(columns);
    expect(() => Sequence.load(byId, columns)).toThrow(DecodeError);
    expect(() => Sequence.load(byId, columns)).toThrow(message);
  });

  it('its order is not the order of the elements', () => {
    const sequence = new Sequence(byId);
    sequence.insert(0, 0, 2, -1, 0, RIGHT);
    for (const chain of [1, 2]) sequence.insert(chain, 0, 1, 0, 1, RIGHT);
    sequence.insert(3, 0, 1, 0, 0, RIGHT);
    const reversed = (chainA: number, a: number, chainB: number, b: number): number => byId(chainB, b, chainA, a);
    const saved = sequence.save();
    expect(() => Sequence.load(byId, saved)).not.toThrow();
    expect(() => Sequence.load(reversed, saved)).toThrow(/wrong side/);
  });

  it('children of one row stand in an order that its elements forbid', () => {
    const sequence = new Sequence(byId);
    sequence.insert(0, 0, 3, -1, 0, RIGHT);
    sequence.insert(1, 0, 1, 0, 1, RIGHT);
    sequence.insert(2, 0, 1, 0, 0, RIGHT);
    const saved = sequence.save();
    saved.parentCounters.set([0, 0, 1]);
    expect(() => Sequence.load(byId, saved)).toThrow(/row 2 stands on the wrong side of its sibling/);
  });
});
