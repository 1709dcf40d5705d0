import { describe, expect, it } from 'vitest';
import { CHUNK_MASK, CHUNK_SHIFT, SlotPool } from './slot-pool.js';

const wordsOf = (pool: SlotPool, index: number): Int32Array => {
  const from = (index & CHUNK_MASK) * 3;
  return (pool.words[index >>> CHUNK_SHIFT] ?? new Int32Array()).subarray(from, from + 3);
};

describe('slots', () => {
  it('keep what was written to them while the pool grows over several chunks', () => {
    const pool = new SlotPool(3);
    const count = (CHUNK_MASK + 1) * 3 + 5;
    for (let index = 0; index < count; index++) {
      expect(pool.take()).toBe(index);
      wordsOf(pool, index).set([index, -index, index * 2]);
    }
    for (let index = 0; index < count; index++) {
      if (wordsOf(pool, index)[1] !== 0 - index) expect.unreachable(`slot ${index}`);
    }
    expect(pool.words).toHaveLength(4);
    expect(pool.memory).toBe((CHUNK_MASK + 1) * 4 * 12);
  });

  it('are the same memory as bytes and as words', () => {
    const pool = new SlotPool(3);
    pool.take();
    wordsOf(pool, 0)[2] = -1;
    expect(pool.bytes[0]?.subarray(8, 12)).toEqual(new Uint8Array(4).fill(255));
  });

  it('that were released are taken again before the pool grows, each once', () => {
    const pool = new SlotPool(3);
    const taken = Array.from({ length: 5000 }, () => pool.take());
    const before = pool.memory;
    for (const index of taken) if (index % 2 === 0) pool.release(index);
    const again = new Set(Array.from({ length: 2500 }, () => pool.take()));
    expect(again.size).toBe(2500);
    expect([...again].every((index) => index % 2 === 0 && index < 5000)).toBe(true);
    expect(pool.take()).toBe(5000);
    expect(pool.memory).toBe(before);
  });
});
