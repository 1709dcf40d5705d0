import { constants, deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecodeError } from './bytes.js';
import { type InflateTo, deflate, inflateTo, nativeInflate, portableDeflate, portableInflate } from './deflate.js';

/** Bytes, or that they were refused; anything else fails the test. */
function outcome(inflate: InflateTo, content: Uint8Array, length: number): number[] | 'refused' {
  try {
    return [...inflate(content, length)];
  } catch (error) {
    expect(error).toBeInstanceOf(DecodeError);
    return 'refused';
  }
}

const bodies = fc.oneof(
  fc.uint8Array({ maxLength: 5000 }),
  fc.tuple(fc.nat(255), fc.nat(20_000)).map(([byte, length]) => new Uint8Array(length).fill(byte)),
);

describe('deflate', () => {
  it('[PK1] is undone by both implementations, whichever made it', () => {
    if (!nativeInflate) throw new Error('Node has no zlib');
    const natively = nativeInflate;
    fc.assert(
      fc.property(bodies, (body) => {
        for (const content of [deflate(body), portableDeflate(body)]) {
          expect(outcome(natively, content, body.length)).toEqual([...body]);
          expect(outcome(portableInflate, content, body.length)).toEqual([...body]);
        }
      }),
    );
  });

  it('[PK3] gives exactly as many bytes as are stated, or a DecodeError', () => {
    fc.assert(
      fc.property(bodies, fc.integer({ min: -3, max: 3 }), (body, more) => {
        const length = Math.max(0, body.length + more);
        if (length === body.length) return;
        for (const inflate of [inflateTo, portableInflate])
          expect(outcome(inflate, deflateRawSync(body), length)).toBe('refused');
      }),
    );
  });

  it('[PK3] answers any bytes, and any cut or changed ones, with bytes or a DecodeError', () => {
    fc.assert(
      fc.property(bodies, fc.nat(), fc.nat(255), fc.boolean(), (body, place, byte, cut) => {
        const content = Uint8Array.from(deflateRawSync(body));
        const at = place % content.length;
        content[at] = byte;
        const damaged = cut ? content.subarray(0, at) : content;
        for (const inflate of [inflateTo, portableInflate]) outcome(inflate, damaged, body.length);
      }),
    );
  });

  it('[PK3] stops at a bomb soon, whatever length is stated [fault 6]', () => {
    const bomb = deflateRawSync(new Uint8Array(64 * 1024 * 1024), { level: constants.Z_BEST_COMPRESSION });
    for (const inflate of [inflateTo, portableInflate]) {
      for (const length of [0, 1, 1000, 100_000]) expect(outcome(inflate, bomb, length)).toBe('refused');
    }
    expect(outcome(inflateTo, bomb.subarray(0, 10), 1024 * 1024)).toBe('refused');
  });
});
