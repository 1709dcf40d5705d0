/** What `expect` says of bytes, with the comparison that every test file begins with (`vitest.setup.ts`). */
import { describe, expect, it } from 'vitest';

const bytes = Uint8Array.of(1, 2, 3);
const others = [Uint8Array.of(1, 2, 4), Uint8Array.of(1, 2), Uint8Array.of(1, 2, 3, 0), new Uint8Array()];

describe('bytes in a test', () => {
  it('are equal to a copy, also within what holds them and as a part of longer memory', () => {
    const part = Uint8Array.of(9, 1, 2, 3, 9).subarray(1, 4);
    expect(part).toEqual(bytes);
    expect(part).toStrictEqual(bytes);
    expect({ list: [part] }).toEqual({ list: [bytes] });
    expect([{ data: part, more: 1 }]).toMatchObject([{ data: bytes }]);
    expect(Buffer.from(bytes)).toEqual(Buffer.from(bytes));
  });

  it('that are other, fewer or more fail, however they are compared', () => {
    for (const other of others) {
      expect(() => expect(other).toEqual(bytes)).toThrow('to deeply equal');
      expect(() => expect(other).toStrictEqual(bytes)).toThrow('to strictly equal');
      expect(() => expect({ list: [other] }).toEqual({ list: [bytes] })).toThrow('to deeply equal');
      expect(() => expect({ data: other }).toMatchObject({ data: bytes })).toThrow('to match object');
      expect(() => expect(Buffer.from(other)).toEqual(Buffer.from(bytes))).toThrow('to deeply equal');
      expect(() => expect([other]).toContainEqual(bytes)).toThrow('to deep equally contain');
    }
  });

  it('of a Buffer and a Uint8Array compare as `expect` does by itself', () => {
    const buffer = Buffer.from(bytes);
    for (const [one, other] of [
      [buffer, bytes],
      [bytes, buffer],
    ]) {
      expect(one).not.toEqual(other);
      expect(one).not.toStrictEqual(other);
    }
    expect([...buffer]).toEqual([...bytes]);
  });
});
