import { describe, expect, it } from 'vitest';
import { inTurns } from './in-turns.js';

/** Work that takes a while, whatever the machine. */
function busy(ms: number): number {
  const end = performance.now() + ms;
  while (performance.now() < end);
  return end;
}

describe('work in turns', () => {
  it('gives all results in order, and lets those who wait go first now and then', async () => {
    const others: number[] = [];
    let done = 0;
    let isOver = false;
    const other = (): void => {
      if (isOver) return;
      others.push(done);
      setImmediate(other);
    };
    setImmediate(other);
    const results = await inTurns(
      Array.from({ length: 160 }, (_, n) => n),
      (n) => {
        busy(1);
        done = n + 1;
        return n * 2;
      },
    );
    isOver = true;
    expect(results).toEqual(Array.from({ length: 160 }, (_, n) => n * 2));
    expect(others.length).toBeGreaterThan(5);
  });

  it('is done at once where there is little', async () => {
    expect(await inTurns(new Set(['a', 'b']), (one) => one)).toEqual(['a', 'b']);
  });

  it('ends with what goes wrong', async () => {
    await expect(inTurns([1], () => expect.fail('so'))).rejects.toThrow('so');
  });
});
