import { encode } from '@msgpack/msgpack';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteReader } from './byte-reader.js';
import { ByteWriter } from './byte-writer.js';
import { DecodeError, concatBytes, equalBytes } from './bytes.js';
import {
  decodeValue,
  encodeValue,
  readArray,
  readBytes,
  readOptionalUint,
  readText,
  readUint,
  readValue,
  writeArray,
  writeNil,
  writeText,
  writeUint,
} from './msgpack.js';

const written = (write: (out: ByteWriter) => void): Uint8Array => {
  const out = new ByteWriter(1);
  write(out);
  return out.finish();
};
const reading = <T>(bytes: ArrayLike<number>, read: (input: ByteReader) => T): T =>
  read(new ByteReader(Uint8Array.from(bytes)));
const value = (bytes: ArrayLike<number>): Uint8Array => {
  const source = Uint8Array.from(bytes);
  const input = new ByteReader(source);
  const item = readValue(input, source);
  input.end();
  return item;
};
const repeated = (byte: number, times: number): number[] => Array.from({ length: times }, () => byte);

describe('structure', () => {
  it('[ND1] writes the same bytes as any MessagePack library, at every change of size', () => {
    for (const number of [0, 1, 127, 128, 255, 256, 65535, 65536, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
      expect([...written((out) => writeUint(out, number))]).toEqual([...encode(number)]);
    }
    for (const length of [0, 1, 31, 32, 255, 256, 65535, 65536]) {
      const text = 'x'.repeat(length);
      expect(
        equalBytes(
          written((out) => writeText(out, text)),
          encode(text),
        ),
      ).toBe(true);
    }
    for (const length of [0, 15, 16, 65535, 65536]) {
      const head = written((out) => writeArray(out, length));
      expect(equalBytes(head, encode(new Array(length).fill(null)).subarray(0, head.length))).toBe(true);
    }
  });

  it('[ND1] reads back what it wrote', () => {
    fc.assert(
      fc.property(
        fc.maxSafeNat(),
        fc.string({ unit: 'grapheme' }),
        fc.uint8Array({ maxLength: 300 }),
        (n, text, blob) => {
          const bytes = written((out) => {
            writeUint(out, n);
            writeText(out, text);
            out.bytes(encode(blob)); // nodes hold byte strings of 32 bytes alone; any are read
            writeNil(out);
          });
          const input = new ByteReader(bytes);
          expect(readUint(input)).toBe(n);
          expect(readText(input)).toBe(text);
          expect(equalBytes(readBytes(input), blob)).toBe(true);
          expect(readOptionalUint(input)).toBeUndefined();
          input.end();
        },
      ),
    );
  });

  it.each([
    ['8 bits for less than 128', [0xcc, 0x7f]],
    ['16 bits for a byte', [0xcd, 0x00, 0xff]],
    ['32 bits for 16', [0xce, 0x00, 0x00, 0xff, 0xff]],
    ['64 bits for 32', [0xcf, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]],
    ['a signed form', [0xd0, 0x01]],
    ['a negative number', [0xff]],
    ['a float', [0xcb, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0]],
    ['beyond 2^53', [0xcf, 0x00, 0x20, 0, 0, 0, 0, 0, 0]],
    ['all of 64 bits', [0xcf, ...repeated(0xff, 8)]],
    ['nothing', []],
    ['a cut number', [0xce, 0x01]],
  ])('[ND1] refuses %s as an integer', (_, bytes) => {
    expect(() => reading(bytes, readUint)).toThrow(DecodeError);
  });

  it.each([
    ['16 bits for 15 items', [0xdc, 0, 15, ...repeated(0xc0, 15)], 100],
    ['32 bits for 65,535 items', [0xdd, 0, 0, 0xff, 0xff, ...repeated(0xc0, 65535)], 200_000],
    ['more items than bytes', [0x9f, 0xc0], 100],
    ['more items than the limit', [0xdc, 0x01, 0x00, ...repeated(0xc0, 256)], 255],
    ['a huge count', [0xdd, 0xff, 0xff, 0xff, 0xff], 2 ** 40],
    ['a map', [0x80], 100],
    ['nothing', [], 100],
  ])('[ND1] refuses %s as an array', (_, bytes, limit) => {
    expect(() => reading(bytes, (input) => readArray(input, limit))).toThrow(DecodeError);
  });

  it.each([
    ['16 bits for 255', [0xc5, 0, 0xff, ...repeated(0, 255)]],
    ['32 bits for 65,535', [0xc6, 0, 0, 0xff, 0xff, ...repeated(0, 65535)]],
    ['text', [0xa1, 0x61]],
    ['a cut length', [0xc5, 0x01]],
    ['cut content', [0xc4, 0x02, 0x00]],
  ])('[ND1] refuses %s as bytes', (_, bytes) => {
    expect(() => reading(bytes, readBytes)).toThrow(DecodeError);
  });

  it.each([
    ['8 bits for 31', [0xd9, 31, ...repeated(0x61, 31)]],
    ['16 bits for 255', [0xda, 0, 0xff, ...repeated(0x61, 255)]],
    ['32 bits for 65,535', [0xdb, 0, 0, 0xff, 0xff, ...repeated(0x61, 65535)]],
    ['bytes', [0xc4, 0x01, 0x61]],
    ['broken UTF-8', [0xa1, 0xff]],
    ['cut content', [0xa2, 0x61]],
  ])('[ND1] refuses %s as text', (_, bytes) => {
    expect(() => reading(bytes, readText)).toThrow(DecodeError);
  });
});

describe('values', () => {
  it('[ND4] are kept byte for byte, whatever the form', () => {
    for (const bytes of [
      [0xcc, 0x05],
      [0xdc, 0, 1, 0xc0],
      [0xd9, 0],
      [0xde, 0, 0],
      [0xd3, 0, 0, 0, 0, 0, 0, 0, 1],
    ]) {
      expect([...value(bytes)]).toEqual(bytes);
    }
  });

  it('[ND4] of every kind end where any MessagePack library ends them', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.uint8Array({ maxLength: 3 }), (json, rest) => {
        const bytes = encode(json);
        const source = concatBytes([bytes, rest]);
        expect(equalBytes(readValue(new ByteReader(source), source), bytes)).toBe(true);
      }),
    );
    for (const bytes of [
      [0xd4, 1, 0],
      [0xd5, 1, 0, 0],
      [0xd6, 1, ...repeated(0, 4)],
      [0xd7, 1, ...repeated(0, 8)],
      [0xd8, 1, ...repeated(0, 16)],
      [0xc7, 3, 1, 0, 0, 0],
      [0xc8, 0, 1, 1, 0],
      [0xc9, 0, 0, 0, 1, 1, 0],
      [0xca, 0, 0, 0, 0],
      [0xcb, ...repeated(0, 8)],
      [0xe0],
    ]) {
      expect([...value(bytes)]).toEqual(bytes);
      for (let cut = 0; cut < bytes.length; cut++) expect(() => value(bytes.slice(0, cut))).toThrow(DecodeError);
    }
  });

  it.each([
    ['the byte that MessagePack never uses', [0xc1]],
    ['nothing', []],
    ['an array cut short', [0x92, 0x01]],
    ['a map without its last value', [0x81, 0xa1, 0x61]],
    ['a huge array', [0xdd, 0xff, 0xff, 0xff, 0xff]],
    ['a huge map', [0xdf, 0xff, 0xff, 0xff, 0xff]],
    ['huge bytes', [0xc6, 0xff, 0xff, 0xff, 0xff]],
    ['a huge extension', [0xc9, 0xff, 0xff, 0xff, 0xff, 1]],
  ])('[ND4] refuses %s', (_, bytes) => {
    expect(() => value(bytes)).toThrow(DecodeError);
  });

  it('[ND4] nest 64 deep and no deeper, without recursion', () => {
    expect(value([...repeated(0x91, 63), 0xc0])).toHaveLength(64);
    expect(() => value([...repeated(0x91, 65), 0xc0])).toThrow(DecodeError);
    expect(() => value([...repeated(0x91, 500_000), 0xc0])).toThrow(DecodeError);
  });

  it('[ND4] of an application come back as they went in', () => {
    const content = { text: 'ü', list: [1, -1, 2.5, null, true], bytes: new Uint8Array([1, 2]), when: new Date(5_000) };
    expect(decodeValue(encodeValue(content))).toEqual(content);
    expect(decodeValue(encodeValue({ kept: 1, dropped: undefined }))).toEqual({ kept: 1 });
  });

  it('[ND4] that this side writes are values that every side reads', () => {
    let nested: unknown = 1;
    for (let depth = 0; depth < 80; depth++) nested = [nested];
    let bytes: Uint8Array;
    try {
      bytes = encodeValue(nested);
    } catch {
      return; // refused when written: as good
    }
    expect(() => value(bytes)).not.toThrow();
  });
});
