import { describe, expect, it } from 'vitest';
import { Pieces, UNIT_WORDS, chunkOf, wordOf } from './pieces.js';

/** The largest piece. */
const MOST_UNITS = 33;

const wordsOf = (pieces: Pieces, piece: number, units: number): Int32Array =>
  (pieces.words[chunkOf(piece)] ?? new Int32Array()).subarray(wordOf(piece), wordOf(piece) + units * UNIT_WORDS);

/** Takes pieces of all sizes in turn and fills each with its number. */
function takeAll(pieces: Pieces, count: number): { piece: number; units: number }[] {
  return Array.from({ length: count }, (_, number) => {
    const units = 1 + (number % MOST_UNITS);
    const piece = pieces.take(units);
    expect(wordsOf(pieces, piece, units)).toHaveLength(units * UNIT_WORDS);
    wordsOf(pieces, piece, units).fill(number);
    return { piece, units };
  });
}

describe('pieces', () => {
  it('keep what was written to them while memory grows over several chunks', () => {
    const pieces = new Pieces();
    const taken = takeAll(pieces, 1000);
    expect(pieces.words.length).toBeGreaterThan(4);
    for (const [number, { piece, units }] of taken.entries()) {
      if (wordsOf(pieces, piece, units).some((word) => word !== number)) expect.unreachable(`piece ${number}`);
    }
  });

  it('are the same memory as bytes and as words', () => {
    const pieces = new Pieces();
    const piece = pieces.take(2);
    wordsOf(pieces, piece, 2)[1] = -1;
    expect(pieces.bytes[0]?.subarray(4, 8)).toEqual(new Uint8Array(4).fill(255));
  });

  it('that were released are taken again before memory grows, each once', () => {
    const pieces = new Pieces();
    const taken = takeAll(pieces, 2000);
    const before = pieces.memory;
    for (const { piece, units } of taken) pieces.release(piece, units);
    const again = takeAll(pieces, 2000);
    expect(pieces.memory).toBe(before);
    const sorted = (list: typeof taken): number[] => list.map(({ piece }) => piece).sort((a, b) => a - b);
    expect(sorted(again)).not.toEqual(again.map(({ piece }) => piece));
    expect(new Set(again.map(({ piece }) => piece)).size).toBe(2000);
    for (const [number, { piece, units }] of again.entries()) {
      if (wordsOf(pieces, piece, units).some((word) => word !== number)) expect.unreachable(`piece ${number}`);
    }
  });

  it('use what is left at the end of a chunk', () => {
    const pieces = new Pieces();
    for (let taken = 0; taken < 62; taken++) pieces.take(33);
    const { memory } = pieces;
    expect(memory).toBe(65_536); // of whose 2,048 units two are left
    pieces.take(33);
    expect(pieces.memory).toBe(2 * memory);
    const small = pieces.take(2);
    expect([chunkOf(small), wordOf(small)]).toEqual([0, 2046 * UNIT_WORDS]);
  });
});
