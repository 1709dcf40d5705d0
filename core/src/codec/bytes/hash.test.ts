import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes, toHex, toUtf8 } from './bytes.js';
import { crc32, nativeSha256, portableCrc32, portableSha256, sha256 } from './hash.js';
import { portableSha256Stream, sha256Stream } from './hash-stream.js';

const VECTORS = [
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  [
    'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
    '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
  ],
] as const;

describe('SHA-256', () => {
  it('[SG1] is available from the runtime here, or the comparison below compares nothing', () => {
    expect(nativeSha256()).toBeDefined();
  });

  it.each(VECTORS)('[SG1] gives the published digest of %j', (text, digest) => {
    for (const hash of [sha256, portableSha256, nativeSha256()]) expect(hash && toHex(hash(toUtf8(text)))).toBe(digest);
  });

  it('[SG1] is the same from every implementation, at every length around a block', () => {
    const native = nativeSha256() ?? portableSha256;
    for (let length = 0; length <= 200; length++) {
      const input = Uint8Array.from({ length }, (_, i) => (i * 7 + length) & 0xff);
      const expected = createHash('sha256').update(input).digest('hex');
      expect(toHex(native(input))).toBe(expected);
      expect(toHex(portableSha256(input))).toBe(expected);
    }
  });
});

describe('CRC-32', () => {
  it('[PK1] is the checksum of ISO-HDLC', () => {
    expect(crc32(toUtf8('123456789'))).toBe(0xcbf43926);
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (input) => crc32(input) === slowCrc(input)));
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (input) => portableCrc32(input) === slowCrc(input)));
  });

  it('[PK1] goes on from what came before', () => {
    const bytes = Uint8Array.from({ length: 2000 }, (_, i) => (i * 31) & 0xff);
    for (const sum of [crc32, portableCrc32])
      for (const at of [0, 1, 300, 2000])
        expect(sum(bytes.subarray(at), sum(bytes.subarray(0, at)))).toBe(slowCrc(bytes));
  });
});

/** Bit by bit, straight from the polynomial. */
function slowCrc(input: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of input) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit++) value = (value & 1) === 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  }
  return (value ^ 0xffffffff) >>> 0;
}

describe('SHA-256 of what comes in pieces', () => {
  it('[SG1] is that of the whole, native or portable', () => {
    const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i & 0xff);
    for (const start of [sha256Stream, portableSha256Stream]) {
      const stream = start();
      for (let at = 0; at < 1000; at += 77) stream.update(bytes.subarray(at, at + 77));
      expect(toHex(stream.digest())).toBe(toHex(sha256(bytes)));
      expect(toHex(start().digest())).toBe(VECTORS[0][1]);
    }
  });

  it('[SG1] is that of the whole, however it is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200, size: 'max' }), { maxLength: 12 }), (pieces) => {
        const stream = portableSha256Stream();
        for (const piece of pieces) stream.update(piece);
        return toHex(stream.digest()) === toHex(sha256(concatBytes(pieces)));
      }),
    );
  });
});
