import { describe, expect, it } from 'vitest';
import { ByteWriter } from './byte-writer.js';
import { IntColumn } from './columns.js';

const MIB = 1 << 20;

describe('memory that grows', () => {
  it('is never much more than what is held in it, once that is a lot', () => {
    const [writer, column] = [new ByteWriter(0), new IntColumn()];
    const [some, few] = [new Uint8Array(10_007), Array.from({ length: 2503 }, (_, n) => n)];
    for (let round = 0; writer.length < 24 * MIB; round++) {
      writer.bytes(some);
      for (const value of few) column.push(value);
      const most = Math.max(8 * MIB, writer.length * 1.26);
      expect(writer.buffer.length).toBeLessThanOrEqual(most);
      expect(column.values.byteLength).toBeLessThanOrEqual(most);
    }
    expect(column.values.subarray(0, 5006)).toEqual(Int32Array.from([...few, ...few]));
  });

  it('grows by steps that are worth it, so that what is written byte by byte is not copied for each', () => {
    const writer = new ByteWriter(1);
    const seen = new Set<number>();
    for (let n = 0; n < 12 * MIB; n++) {
      writer.byte(n & 0x7f);
      seen.add(writer.buffer.length);
    }
    expect(seen.size).toBeLessThan(30);
  });
});
