import { createHash, randomBytes } from 'node:crypto';
import { sha256 as noble } from '@noble/hashes/sha2.js';
import { describe, expect, it } from 'vitest';
import { concatBytes, toHex, toUtf8 } from '../bytes/bytes.js';
import {
  digestInto,
  digestIntoBy,
  hashRange,
  hashRangeBy,
  portableDigestInto,
  portableHashRange,
} from './digest-into.js';
import { digestStart } from './digest-start.js';
import { hashFrom, Midstate } from './midstate.js';
import { nativeDigestText } from './native-digest.js';
import { digestBytes, digestHex, digestWords } from './words.js';

const reference = (...parts: Uint8Array[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

function hexFrom(midstate: Midstate, bytes: Uint8Array, from = 0, to = bytes.length): string {
  const out = new Int32Array(8);
  hashFrom(midstate, bytes, from, to, out, 0);
  return digestHex(out);
}

describe('hashing from a midstate', () => {
  it('is SHA-256 of the block and the rest, at every length from 0 to 300', () => {
    for (let length = 0; length <= 300; length++) {
      const block = new Uint8Array(randomBytes(64));
      const rest = new Uint8Array(randomBytes(length));
      const found = hexFrom(Midstate.of(block), rest);
      expect(found, `length ${length}`).toBe(reference(block, rest));
      expect(found).toBe(toHex(noble(concatBytes([block, rest]))));
    }
  });

  it('is plain SHA-256 from the start state, at every length from 0 to 300', () => {
    expect(hexFrom(Midstate.start, toUtf8('abc'))).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
    for (let length = 0; length <= 300; length++) {
      const bytes = new Uint8Array(randomBytes(length));
      expect(hexFrom(Midstate.start, bytes), `length ${length}`).toBe(reference(bytes));
    }
  });

  it('agrees on 20,000 random messages', () => {
    const block = new Uint8Array(randomBytes(64));
    const midstate = Midstate.of(block);
    for (let round = 0; round < 20_000; round++) {
      const rest = new Uint8Array(randomBytes(32 + (round % 90)));
      if (hexFrom(midstate, rest) !== reference(block, rest)) expect.unreachable(toHex(concatBytes([block, rest])));
    }
  });

  it('agrees on bytes that are all ones and on a megabyte', () => {
    const block = new Uint8Array(64).fill(0xff);
    for (const length of [55, 56, 63, 64, 119, 120, 1024 * 1024]) {
      const rest = new Uint8Array(length).fill(0xff);
      expect(hexFrom(Midstate.of(block), rest)).toBe(reference(block, rest));
    }
  });

  it('takes only the named part of the bytes and writes only the eight words', () => {
    const block = new Uint8Array(64);
    const bytes = new Uint8Array(randomBytes(200));
    for (let from = 0; from < 12; from++) {
      const out = new Int32Array(12).fill(7);
      hashFrom(Midstate.of(block), bytes, from, 150 + from, out, 2);
      expect(digestHex(out, 2)).toBe(reference(block, bytes.subarray(from, 150 + from)));
      expect([out[0], out[1], out[10], out[11]]).toEqual([7, 7, 7, 7]);
    }
  });

  it('leaves the midstate as it was, so that one serves a whole chain', () => {
    const midstate = Midstate.of(new Uint8Array(64).fill(3));
    const before = midstate.words.slice();
    hexFrom(midstate, new Uint8Array(randomBytes(200)));
    expect(midstate.words).toEqual(before);
  });

  it('refuses a block of another size, a range outside the bytes, and words without room', () => {
    expect(() => Midstate.of(new Uint8Array(63))).toThrow('one block of 64 bytes, not 63');
    const midstate = Midstate.of(new Uint8Array(64));
    const bytes = new Uint8Array(10);
    for (const [from, to] of [
      [-1, 5],
      [6, 5],
      [0, 11],
      [Number.NaN, 5],
    ] as const) {
      expect(() => hashFrom(midstate, bytes, from, to, new Int32Array(8), 0)).toThrow(RangeError);
    }
    for (const at of [-1, 1, Number.NaN]) {
      expect(() => hashFrom(midstate, bytes, 0, 10, new Int32Array(8), at)).toThrow('no room for a digest');
    }
  });
});

describe('digest in place', () => {
  const native = nativeDigestText();

  it('has a native form here, or the comparisons below compare nothing', () => {
    expect(native).toBeDefined();
  });

  it('is the same bytes from both implementations, and touches nothing around them', () => {
    for (let length = 0; length <= 1100; length += length < 300 ? 1 : 50) {
      const bytes = new Uint8Array(randomBytes(length));
      for (const digest of [digestInto, portableDigestInto, ...(native ? [digestIntoBy(native)] : [])]) {
        const out = new Uint8Array(40).fill(9);
        digest(bytes, out, 4);
        expect(toHex(out.subarray(4, 36)), `length ${length}`).toBe(reference(bytes));
        expect([...out.subarray(0, 4), ...out.subarray(36)]).toEqual(new Array(8).fill(9));
      }
    }
  });

  it('is that of the beginning of a buffer, and touches nothing around it', () => {
    const bytes = new Uint8Array(randomBytes(400));
    for (let length = 0; length <= 300; length++) {
      const out = new Uint8Array(40).fill(9);
      digestStart(bytes, length, out, 4);
      expect(toHex(out.subarray(4, 36)), `length ${length}`).toBe(reference(bytes.subarray(0, length)));
      expect([...out.subarray(0, 4), ...out.subarray(36)]).toEqual(new Array(8).fill(9));
    }
  });

  it('is the same words of any range from both implementations', () => {
    const bytes = new Uint8Array(randomBytes(400));
    for (const hash of [hashRange, portableHashRange, ...(native ? [hashRangeBy(native)] : [])]) {
      for (let from = 0; from < 200; from++) {
        const out = new Int32Array(10).fill(7);
        hash(bytes, from, 400 - from, out, 1);
        expect(digestHex(out, 1)).toBe(reference(bytes.subarray(from, 400 - from)));
        expect([out[0], out[9]]).toEqual([7, 7]);
      }
      expect(() => hash(bytes, 0, 401, new Int32Array(8), 0)).toThrow('bytes 0 to 401 are not within 400');
      expect(() => hash(bytes, 0, 400, new Int32Array(8), 1)).toThrow('no room for a digest at word 1');
    }
  });
});

describe('words of a digest', () => {
  it('are its bytes, most significant first', () => {
    const bytes = new Uint8Array(randomBytes(32));
    expect(digestBytes(digestWords(bytes))).toEqual(bytes);
    expect(digestHex(digestWords(bytes))).toBe(toHex(bytes));
    expect(digestWords(Uint8Array.from({ length: 32 }, (_, i) => (i < 4 ? 0x80 + i : 0)))[0]).toBe(0x80818283 | 0);
  });

  it('are of 32 bytes only', () => {
    expect(() => digestWords(new Uint8Array(31))).toThrow('a digest is 32 bytes, not 31');
  });
});
