/** What one sequence answers, edit by edit, and what it refuses. */
import { describe, expect, it } from 'vitest';
import { Sequence } from './sequence.js';
import { LEFT, RIGHT, type Side } from './span-layout.js';
import { documentOf, visibleOf } from './testing/compare.js';

const byId = (chainA: number, a: number, chainB: number, b: number): number => chainA - chainB || a - b;

function runsOf(sequence: Sequence, chain: number, from = 0, to = 1000): string[] {
  const runs: string[] = [];
  sequence.forEachRun(chain, from, to, (counter, count, parentChain, parentCounter, side, deleted) => {
    runs.push(`${deleted ? '-' : ''}${counter}+${count} ${parentChain}:${parentCounter}${side === LEFT ? 'L' : 'R'}`);
  });
  return runs;
}

function spansOf(sequence: Sequence): string[] {
  const spans: string[] = [];
  sequence.forEachSpan((chain, counter, count, deleted) =>
    spans.push(`${deleted ? '-' : ''}${chain}:${counter}+${count}`),
  );
  return spans;
}

function originOf(sequence: Sequence): [number, number, Side] {
  return [sequence.originChain, sequence.originCounter, sequence.originSide];
}

function deletedSpans(sequence: Sequence, position: number, count: number): string[] {
  const spans: string[] = [];
  sequence.deleteAt(position, count, (chain, counter, span) => spans.push(`${chain}:${counter}+${span}`));
  return spans;
}

describe('local editing', () => {
  it('starts with nothing', () => {
    const sequence = new Sequence(byId);
    expect(sequence.length).toBe(0);
    expect(spansOf(sequence)).toEqual([]);
    expect(sequence.has(0, 0)).toBe(false);
    expect(runsOf(sequence, 0)).toEqual([]);
  });

  it('names the root for the first element, then the one before', () => {
    const sequence = new Sequence(byId);
    sequence.insertAt(0, 3, 10, 2);
    expect(originOf(sequence)).toEqual([-1, 0, RIGHT]);
    sequence.insertAt(2, 3, 12, 1);
    expect(originOf(sequence)).toEqual([3, 11, RIGHT]);
    expect(spansOf(sequence)).toEqual(['3:10+3']);
  });

  it('goes left of what follows when the place after is taken', () => {
    const sequence = new Sequence(byId);
    sequence.insertAt(0, 0, 0, 2);
    sequence.insertAt(1, 1, 0, 1);
    expect(originOf(sequence)).toEqual([0, 1, LEFT]);
    sequence.insertAt(0, 1, 1, 1);
    expect(originOf(sequence)).toEqual([0, 0, LEFT]);
    expect(visibleOf(sequence)).toEqual(['1:1', '0:0', '1:0', '0:1']);
  });

  it('types on after its own deleted end, so backspacing leaves one run', () => {
    const sequence = new Sequence(byId);
    sequence.insertAt(0, 0, 0, 4);
    sequence.deleteAt(3, 1, () => undefined);
    sequence.insertAt(3, 0, 4, 1);
    expect(originOf(sequence)).toEqual([0, 3, RIGHT]);
    sequence.deleteAt(3, 1, () => undefined);
    sequence.deleteAt(2, 1, () => undefined);
    expect(spansOf(sequence)).toEqual(['0:0+2', '-0:2+3']);
  });

  it('aims at the place after any element, deleted or not, and at the start, and changes nothing', () => {
    const sequence = new Sequence(byId);
    sequence.insertAt(0, 0, 0, 6);
    sequence.deleteAt(1, 2, () => undefined);
    for (let chain = 1; chain < 40; chain++) {
      const before = documentOf(sequence).split(' ');
      const [word = '', at] = chain % 5 === 0 ? [undefined, -1] : [before[(chain * 7) % before.length], before.length];
      const [owner = 0, counter = 0] = word.replace('-', '').split(':').map(Number);
      if (at < 0) sequence.aimAtStart();
      else sequence.aimAfter(owner, counter);
      expect(documentOf(sequence).split(' ')).toEqual(before);
      sequence.insert(chain, 0, 1, ...originOf(sequence));
      if (chain % 3 === 0) sequence.delete(chain, 0, 1);
      const place = at < 0 ? 0 : before.indexOf(word) + 1;
      expect(
        documentOf(sequence)
          .split(' ')
          .indexOf(`${chain % 3 === 0 ? '-' : ''}${chain}:0`),
      ).toBe(place);
    }
    expect(() => sequence.aimAfter(99, 0)).toThrow('is not held');
  });

  it('hands out deleted elements as maximal spans in document order', () => {
    const sequence = new Sequence(byId);
    sequence.insertAt(0, 0, 0, 6);
    sequence.insertAt(3, 1, 0, 2);
    expect(deletedSpans(sequence, 1, 1)).toEqual(['0:1+1']);
    expect(deletedSpans(sequence, 0, 6)).toEqual(['0:0+1', '0:2+1', '1:0+2', '0:3+2']);
    expect(visibleOf(sequence)).toEqual(['0:5']);
    expect(documentOf(sequence)).toBe('-0:0 -0:1 -0:2 -1:0 -1:1 -0:3 -0:4 0:5');
  });

  it('may be asked while it hands out deleted spans', () => {
    const sequence = new Sequence(byId);
    sequence.insertAt(0, 0, 0, 3);
    sequence.insertAt(1, 1, 0, 1);
    const asked: boolean[] = [];
    sequence.deleteAt(0, 4, () => asked.push(sequence.has(0, 2)));
    expect(asked).toEqual([true, true, true]);
    expect(sequence.length).toBe(0);
  });

  it('finds elements by position and positions by element', () => {
    const sequence = new Sequence(byId);
    sequence.insertAt(0, 0, 0, 5);
    sequence.deleteAt(1, 2, () => undefined);
    sequence.elementAt(1);
    expect([sequence.foundChain, sequence.foundCounter]).toEqual([0, 3]);
    expect([0, 1, 2, 3, 4].map((counter) => sequence.positionOf(0, counter))).toEqual([0, 1, 1, 1, 2]);
    expect(sequence.isDeleted(0, 2)).toBe(true);
    expect(sequence.isDeleted(0, 3)).toBe(false);
  });
});

describe('edits by id', () => {
  it('extends the run when an element follows the one before it', () => {
    const sequence = new Sequence(byId);
    sequence.insert(0, 0, 1, -1, 0, RIGHT);
    for (let counter = 1; counter < 100; counter++) sequence.insert(0, counter, 1, 0, counter - 1, RIGHT);
    expect(spansOf(sequence)).toEqual(['0:0+100']);
  });

  it('puts the smaller sibling further left, on both sides, whatever comes first', () => {
    for (const chains of [
      [1, 2, 3],
      [3, 2, 1],
      [2, 3, 1],
    ]) {
      const sequence = new Sequence(byId);
      sequence.insert(0, 0, 1, -1, 0, RIGHT);
      for (const chain of chains) sequence.insert(chain, 0, 1, 0, 0, RIGHT);
      for (const chain of chains) sequence.insert(chain, 5, 1, 0, 0, LEFT);
      expect(visibleOf(sequence).join(' ')).toBe('1:5 2:5 3:5 0:0 1:0 2:0 3:0');
    }
  });

  it('lets a smaller sibling in between an element and the one typed after it', () => {
    const sequence = new Sequence(byId);
    sequence.insert(5, 0, 3, -1, 0, RIGHT);
    sequence.insert(1, 0, 1, 5, 0, RIGHT);
    sequence.insert(9, 0, 1, 5, 0, RIGHT);
    expect(visibleOf(sequence).join(' ')).toBe('5:0 1:0 5:1 5:2 9:0');
  });

  it('does not lose its place when what was just typed is deleted by id', () => {
    const sequence = new Sequence(byId);
    sequence.insertAt(0, 0, 0, 6);
    sequence.delete(0, 2, 2);
    sequence.elementAt(1);
    expect([sequence.foundChain, sequence.foundCounter]).toEqual([0, 1]);
    sequence.delete(0, 5, 1);
    sequence.insertAt(3, 1, 0, 1);
    expect(documentOf(sequence)).toBe('0:0 0:1 -0:2 -0:3 0:4 1:0 -0:5');
  });

  it('deletes once: a repeated delete hides nothing', () => {
    const sequence = new Sequence(byId);
    sequence.insertAt(0, 0, 0, 10);
    expect(sequence.delete(0, 2, 3)).toBe(3);
    expect(sequence.delete(0, 2, 3)).toBe(0);
    expect(sequence.delete(0, 0, 10)).toBe(7);
    expect(sequence.length).toBe(0);
    expect(spansOf(sequence)).toEqual(['-0:0+10']);
  });
});

describe('runs of a chain', () => {
  it('come in counter order with parents, cut only by deletes, parents and missing counters', () => {
    const sequence = new Sequence(byId);
    sequence.insertAt(0, 0, 0, 6);
    sequence.insertAt(3, 0, 300, 2);
    sequence.insertAt(0, 0, 900, 1);
    sequence.deleteAt(2, 1, () => undefined);
    expect(runsOf(sequence, 0)).toEqual(['0+1 -1:0R', '-1+1 0:0R', '2+4 0:1R', '300+2 0:3L', '900+1 0:0L']);
    expect(runsOf(sequence, 0, 3, 301)).toEqual(['3+3 0:2R', '300+1 0:3L']);
    expect(runsOf(sequence, 0, 6, 300)).toEqual([]);
    expect(runsOf(sequence, 7)).toEqual([]);
    expect(runsOf(sequence, 0, 400, 0x7fffffff)).toEqual(['900+1 0:0L']);
  });

  it('read the same however the spans came to be cut', () => {
    const one = new Sequence(byId);
    one.insert(0, 0, 200, -1, 0, RIGHT);
    const other = new Sequence(byId);
    other.insert(0, 0, 200, -1, 0, RIGHT);
    for (let counter = 198; counter > 0; counter -= 2) {
      for (const sequence of [one, other]) sequence.insert(1, counter, 1, 0, counter, LEFT);
      other.delete(0, counter, 1);
    }
    one.delete(0, 2, 197);
    for (let counter = 3; counter < 198; counter += 2) other.delete(0, counter, 1);
    expect(runsOf(other, 0)).toEqual(['0+2 -1:0R', '-2+197 0:1R', '199+1 0:198R']);
    expect(runsOf(one, 0)).toEqual(runsOf(other, 0));
    expect(spansOf(one)).toEqual(spansOf(other));
  });
});

describe('refusals', () => {
  const typed = (): Sequence => {
    const sequence = new Sequence(byId);
    sequence.insertAt(0, 0, 0, 4);
    return sequence;
  };

  it.each([
    ['an insert behind the end', (s: Sequence) => s.insertAt(5, 0, 4, 1), /at 5 are not within the 4/],
    ['an insert at a negative position', (s: Sequence) => s.insertAt(-1, 0, 4, 1), /at -1 are not within/],
    ['an insert between positions', (s: Sequence) => s.insertAt(1.5, 0, 4, 1), /at 1.5 are not within/],
    ['an insert of nothing', (s: Sequence) => s.insertAt(0, 0, 4, 0), /at least one element/],
    ['a delete of nothing', (s: Sequence) => s.deleteAt(0, 0, () => undefined), /0 elements at 0/],
    ['a delete behind the end', (s: Sequence) => s.deleteAt(2, 3, () => undefined), /3 elements at 2 are not within/],
    ['a read behind the end', (s: Sequence) => s.elementAt(4), /at 4 are not within/],
    [
      'a chain that is no number of a chain',
      (s: Sequence) => s.insert(-1, 4, 1, 0, 3, RIGHT),
      /expected whole numbers/,
    ],
    ['a counter that is not whole', (s: Sequence) => s.insert(0, 4.5, 1, 0, 3, RIGHT), /expected whole numbers/],
    ['counters beyond 31 bits', (s: Sequence) => s.insert(0, 0x7ffffff0, 20, 0, 3, RIGHT), /expected whole numbers/],
    ['more elements than fit', (s: Sequence) => s.insertAt(0, 1, 0, 0x7ffffffc), /at most 2\^31 - 1 elements/],
    [
      'a parent that is not held',
      (s: Sequence) => s.insert(1, 0, 1, 0, 4, RIGHT),
      /parent 0:4 is not held; insert it first/,
    ],
    ['the left side of the start', (s: Sequence) => s.insert(1, 0, 1, -1, 0, LEFT), /only a right side/],
    ['a delete of what is not held', (s: Sequence) => s.delete(2, 0, 1), /element 2:0 is not held/],
    ['a delete that is held in part', (s: Sequence) => s.delete(0, 2, 3), /element 0:4 is not held/],
    ['the position of what is not held', (s: Sequence) => s.positionOf(0, 9), /element 0:9 is not held/],
    ['the state of what is not held', (s: Sequence) => s.isDeleted(0, 9), /element 0:9 is not held/],
  ])('%s, and stays as it was', (_, act, message) => {
    const sequence = typed();
    expect(() => act(sequence)).toThrow(message);
    expect(spansOf(sequence)).toEqual(['0:0+4']);
    expect(sequence.length).toBe(4);
    sequence.insertAt(4, 0, 4, 1);
    expect(spansOf(sequence)).toEqual(['0:0+5']);
  });

  it('an order that cannot tell two siblings apart', () => {
    const sequence = new Sequence(() => 0);
    sequence.insert(0, 0, 1, -1, 0, RIGHT);
    expect(() => sequence.insert(1, 0, 1, -1, 0, RIGHT)).toThrow(/no order between siblings 1:0 and 0:0/);
    expect(visibleOf(sequence)).toEqual(['0:0']);
  });
});
