import { describe, expect, it } from 'vitest';
import { Segments, piecesOf } from './segments.js';

const SIZE = 10;

/** Bytes that count up, in chunks of these lengths; says when it is put down. */
async function* counting(lengths: readonly number[], end: () => void = () => undefined): AsyncGenerator<Uint8Array> {
  let at = 0;
  try {
    for (const length of lengths) yield Uint8Array.from({ length }, () => at++);
  } finally {
    end();
  }
}

async function segmentsOf(lengths: readonly number[]): Promise<number[][]> {
  const segments = new Segments(counting(lengths), SIZE);
  const found: number[][] = [];
  while (await segments.hasMore()) {
    const bytes: number[] = [];
    for await (const chunk of segments.next()) bytes.push(...chunk);
    found.push(bytes);
  }
  return found;
}

const upTo = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

describe('segments', () => {
  it.each([[[25]], [[3, 9, 13]], [[10, 10, 5]], [[1, 9, 1, 9, 5]], [[9, 2, 14]]])(
    '[AR2] are all of one size but the last, however the bytes come: %j',
    async (lengths) => {
      expect(await segmentsOf(lengths)).toEqual([upTo(0, 10), upTo(10, 20), upTo(20, 25)]);
    },
  );

  it('[AR2] end where the bytes do, and are none where there are none', async () => {
    expect(await segmentsOf([10])).toEqual([upTo(0, 10)]);
    expect(await segmentsOf([4, 16])).toEqual([upTo(0, 10), upTo(10, 20)]);
    expect(await segmentsOf([])).toEqual([]);
  });

  it('[AR1] put down what they read when they are closed in between', async () => {
    let isPutDown = false;
    const segments = new Segments(
      counting([5, 5], () => (isPutDown = true)),
      SIZE,
    );
    expect(await segments.hasMore()).toBe(true);
    await segments.close();
    expect(isPutDown).toBe(true);
  });

  it('[AR2] are read as they were written: what lies in two is found in both', () => {
    expect([...piecesOf(3, 7, SIZE)]).toEqual([{ segment: 0, from: 3, to: 7 }]);
    expect([...piecesOf(0, 10, SIZE)]).toEqual([{ segment: 0, from: 0, to: 10 }]);
    expect([...piecesOf(10, 12, SIZE)]).toEqual([{ segment: 1, from: 0, to: 2 }]);
    expect([...piecesOf(8, 25, SIZE)]).toEqual([
      { segment: 0, from: 8, to: 10 },
      { segment: 1, from: 0, to: 10 },
      { segment: 2, from: 0, to: 5 },
    ]);
    expect([...piecesOf(5, 5, SIZE)]).toEqual([]);
  });
});
