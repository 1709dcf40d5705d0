import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DecodeError,
  concatBytes,
  equalBytes,
  fromBase64,
  fromHex,
  fromUtf8,
  toBase64,
  toHex,
  toUtf8,
} from './bytes.js';

const bytes = fc.uint8Array({ maxLength: 100 });

/** Runs `use` as in a runtime without Node's Buffer. */
function withoutBuffer<T>(use: () => T): T {
  const held = Object.getOwnPropertyDescriptor(globalThis, 'Buffer');
  if (!held) throw new Error('no Buffer to take away');
  Reflect.deleteProperty(globalThis, 'Buffer');
  try {
    return use();
  } finally {
    Object.defineProperty(globalThis, 'Buffer', held);
  }
}

describe('base64', () => {
  it('[PK5] round trips, with and without the runtime fast path, to the same text', () => {
    fc.assert(
      fc.property(bytes, (value) => {
        const text = toBase64(value);
        expect(text).toBe(Buffer.from(value).toString('base64'));
        expect(withoutBuffer(() => toBase64(value))).toBe(text);
        expect(equalBytes(fromBase64(text), value)).toBe(true);
        expect(
          equalBytes(
            withoutBuffer(() => fromBase64(text)),
            value,
          ),
        ).toBe(true);
      }),
    );
  });

  it('[PK5] encodes more than one slice without the runtime fast path', () => {
    const value = Uint8Array.from({ length: 100_001 }, (_, i) => i % 251);
    expect(withoutBuffer(() => toBase64(value))).toBe(toBase64(value));
  });

  it.each([
    'A',
    'AA',
    'AAA',
    'AA=',
    'A===',
    '=AAA',
    'AA==AAAA',
    'AAAA=',
    'AA-_',
    ' AAAA',
    'AAAA\n',
    'AA A',
    'ÄAAA',
    '====',
  ])('[PK5] refuses %j', (text) => {
    expect(() => fromBase64(text)).toThrow(DecodeError);
    expect(() => withoutBuffer(() => fromBase64(text))).toThrow(DecodeError);
  });

  it('[PK5] decodes a text as long as the longest pack', () => {
    const length = 64 * 1024 * 1024;
    expect(fromBase64('A'.repeat((length / 3) * 4 - (((length / 3) * 4) % 4)))).toBeInstanceOf(Uint8Array);
  });

  it('[PK5] refuses a long text with one bad character at its end as cleanly as a short one', () => {
    expect(() => fromBase64(`${'A'.repeat(16 * 1024 * 1024 - 4)}AAA*`)).toThrow(DecodeError);
  });
});

describe('hex', () => {
  it('[ND1] round trips in lower case and reads either case', () => {
    fc.assert(
      fc.property(bytes, (value) => {
        const text = toHex(value);
        expect(text).toBe(Buffer.from(value).toString('hex'));
        expect(equalBytes(fromHex(text), value)).toBe(true);
        expect(equalBytes(fromHex(text.toUpperCase()), value)).toBe(true);
      }),
    );
  });

  it.each(['0', '0g', 'zz', '0x00', ' 00', '00 ', '0 1', '++', '-1'])('[ND1] refuses %j', (text) => {
    expect(() => fromHex(text)).toThrow(DecodeError);
  });
});

describe('UTF-8', () => {
  it('[ND5] keeps every well-formed text as it is: no normalisation, no lost byte order mark', () => {
    for (const text of ['é', 'e\u0301', '\ufeffx', '\u0000', '𝄞', '\u{10ffff}', 'ﬁ']) {
      expect(fromUtf8(toUtf8(text))).toBe(text);
    }
    expect(equalBytes(toUtf8('é'), toUtf8('e\u0301'))).toBe(false);
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => fromUtf8(toUtf8(text)) === text));
  });

  it.each(['\ud800', 'a\udc00b', '\udc00\ud800', '𝄞\ud834'])('[ND5] refuses the lone surrogate in %j', (text) => {
    expect(() => toUtf8(text)).toThrow(DecodeError);
  });

  it.each([
    ['a lone continuation byte', [0x80]],
    ['a cut sequence', [0xe2, 0x82]],
    ['an overlong form', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['more than the last code point', [0xf4, 0x90, 0x80, 0x80]],
  ])('[ND5] refuses %s', (_, value) => {
    expect(() => fromUtf8(Uint8Array.from(value))).toThrow(DecodeError);
  });
});

describe('byte strings', () => {
  it('[ND1] are equal only byte by byte, and join in order', () => {
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        expect(equalBytes(a, b)).toBe(Buffer.from(a).equals(b));
        expect(equalBytes(concatBytes([a, b]), Buffer.concat([a, b]))).toBe(true);
      }),
    );
  });
});
