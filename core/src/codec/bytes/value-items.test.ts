/** Values by hand and by the library: the same bytes, and the same values. */
import { Decoder, Encoder, ExtData } from '@msgpack/msgpack';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toUtf8 } from './bytes.js';
import { decodeValue, encodeValue } from './msgpack.js';
import { Extension } from './value-items.js';

const encoder = new Encoder({ ignoreUndefined: true });
const decoder = new Decoder();

const text = fc.string({ unit: 'grapheme', maxLength: 300 });
/** At every change of size, and far from any. */
const edges = [0, 32, 128, 256, 2 ** 15, 2 ** 16, 2 ** 31, 2 ** 32, 2 ** 34, 2 ** 53];
const number = fc.oneof(
  fc.double(),
  fc.maxSafeInteger(),
  fc
    .tuple(fc.constantFrom(...edges), fc.integer({ min: -2, max: 2 }), fc.constantFrom(1, -1))
    .map(([edge, by, sign]) => sign * (edge + by)),
);
const date = fc.date({ noInvalidDate: true });
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.oneof(text, number, date, fc.boolean(), fc.constantFrom(null, undefined), fc.uint8Array({ maxLength: 300 })),
    fc.array(tie('value'), { maxLength: 20 }),
    fc.dictionary(
      text.filter((name) => name !== '__proto__'),
      tie('value'),
      { maxKeys: 20 },
    ),
  ),
}));

describe('values', () => {
  it('[ND4] are written like the library writes them', () => {
    fc.assert(
      fc.property(value, (one) => {
        expect(encodeValue(one)).toEqual(encoder.encode(one));
      }),
      { numRuns: 100 },
    );
  });

  it('[ND4] are read like the library reads them', () => {
    fc.assert(
      fc.property(value, (one) => {
        const bytes = encoder.encode(one);
        expect(decodeValue(bytes)).toEqual(decoder.decode(bytes.slice()));
      }),
      { numRuns: 100 },
    );
  });

  it('[ND4] of any bytes are what the library makes of them, or those bytes', () => {
    const likely = fc.oneof(fc.nat(255), fc.integer({ min: 0x80, max: 0xdf }));
    fc.assert(
      fc.property(fc.array(likely, { maxLength: 24 }), (content) => {
        const bytes = Uint8Array.from(content);
        let expected: unknown = bytes;
        try {
          expected = decoder.decode(bytes.slice());
        } catch {
          // It is given as its bytes.
        }
        expect(plain(decodeValue(bytes))).toEqual(plain(expected));
      }),
      { numRuns: 750 },
    );
  });

  it('[ND4] of an unknown extension come back as they are', () => {
    for (const length of [1, 2, 3, 4, 8, 16, 17, 300, 70_000]) {
      const data = new Uint8Array(length).fill(7);
      const bytes = encoder.encode(new ExtData(5, data));
      expect(decodeValue(bytes)).toEqual(new Extension(5, data));
      expect(encodeValue(decodeValue(bytes))).toEqual(bytes);
    }
  });

  it.each([
    ['large lists', Array.from({ length: 70_000 }, (_, i) => i)],
    ['large maps', Object.fromEntries(Array.from({ length: 70_000 }, (_, i) => [`k${i}`, i]))],
    ['long texts', 'ü'.repeat(40_000)],
    ['long bytes', new Uint8Array(70_000)],
    ['other views', new Uint16Array([1, 2, 3])],
    [
      'fields of a class',
      new (class Point {
        x = 1;
      })(),
    ],
  ])('[ND4] may be %s', (_name, one) => {
    expect(encodeValue(one)).toEqual(encoder.encode(one));
    expect(decodeValue(encodeValue(one))).toEqual(decoder.decode(encoder.encode(one)));
  });

  it('[ND4] hold text: half of a pair is written as U+FFFD, at any length', () => {
    for (const around of ['', 'x'.repeat(300)])
      expect(decodeValue(encodeValue(`${around}\ud800`))).toBe(`${around}\ufffd`);
    expect(encodeValue('\ud800')).toEqual(Uint8Array.from([0xa3, ...toUtf8('\ufffd')]));
  });

  it.each([
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a bigint', 1n],
    ['no date', new Date(Number.NaN)],
    ['one within a list', [[() => 1]]],
  ])('[ND4] are not %s', (_name, one) => {
    expect(() => encodeValue(one)).toThrow('is not data');
  });

  it('[ND4] that contain themselves are refused, and the next one is written as ever', () => {
    const own: unknown[] = [];
    own.push(own);
    expect(() => encodeValue(own)).toThrow('nested too deeply');
    expect(encodeValue([1])).toEqual(Uint8Array.from([0x91, 1]));
  });

  it('[ND4] may be written in the middle of another', () => {
    const within = {
      a: 1,
      get b() {
        return encodeValue('b');
      },
      c: 2,
    };
    expect(decodeValue(encodeValue(within))).toEqual({ a: 1, b: Uint8Array.from([0xa1, 0x62]), c: 2 });
  });
});

/** Both classes of extensions as one, and any text as any other: what stands for broken UTF-8 is a matter of taste. */
function plain(one: unknown): unknown {
  if (typeof one === 'string') return 'text';
  if (one instanceof ExtData || one instanceof Extension) return { type: one.type, data: one.data };
  if (Array.isArray(one)) return one.map(plain);
  const isMap = typeof one === 'object' && one !== null && Object.getPrototypeOf(one) === Object.prototype;
  return isMap ? Object.fromEntries(Object.entries(one).map(([name, field]) => [plain(name), plain(field)])) : one;
}
