import { readFileSync } from 'node:fs';
import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { DecodeError } from './bytes.js';
import { LENGTH_ORDER, codesOf } from './huffman.js';
import {
  type InflateTo,
  deflate,
  inflateStart,
  inflateTo,
  nativeInflate,
  portableInflate,
  storedDeflate,
  streamedDeflate,
} from './deflate.js';
import type * as deflation from './deflate.js';

/** Bytes, or that they were refused; anything else fails the test. */
function outcome(inflate: InflateTo, content: Uint8Array, length: number): Uint8Array | 'refused' {
  try {
    return inflate(content, length);
  } catch (error) {
    expect(error).toBeInstanceOf(DecodeError);
    return 'refused';
  }
}

const bodies = fc.oneof(
  fc.uint8Array({ maxLength: 5000 }),
  fc.tuple(fc.nat(255), fc.nat(20_000)).map(([byte, length]) => new Uint8Array(length).fill(byte)),
);

/** Bits as `value:count`, the lowest first. */
function bits(...written: readonly (readonly [value: number, count: number])[]): Uint8Array {
  const all = written.flatMap(([value, count]) => Array.from({ length: count }, (_, i) => (value >> i) & 1));
  return Uint8Array.from({ length: Math.ceil(all.length / 8) }, (_, byte) =>
    all.slice(byte * 8, byte * 8 + 8).reduce((sum, bit, i) => sum | (bit << i), 0),
  );
}

/** Last block whose codes have these lengths, and which says these symbols: [code, symbol] or more bits as [-1, value, count]. */
function block(
  literals: readonly number[],
  distances: readonly number[],
  said: readonly (readonly number[])[],
): Uint8Array {
  // Lengths 0 to 15 in four bits each: a complete code.
  const four = Uint8Array.from({ length: 19 }, (_, symbol) => (symbol < 16 ? 4 : 0));
  const [ofLengths, ...codes] = [four, literals, distances].map((lengths) => codesOf(Uint8Array.from(lengths)));
  return bits(
    [1, 1],
    [2, 2],
    [literals.length - 257, 5],
    [distances.length - 1, 5],
    [15, 4],
    ...LENGTH_ORDER.map((symbol) => [four[symbol]!, 3] as const),
    ...[...literals, ...distances].map((length) => [ofLengths![length]!, 4] as const),
    ...said.map(([code, symbol, count]) =>
      code === -1
        ? ([symbol!, count!] as const)
        : ([codes[code!]![symbol!]!, [literals, distances][code!]![symbol!]!] as const),
    ),
  );
}

/** Lengths of codes for some symbols of so many. */
function having(size: number, lengths: Readonly<Record<number, number>>): number[] {
  return Array.from({ length: size }, (_, symbol) => lengths[symbol] ?? 0);
}

describe('deflate', () => {
  it('[PK1] is undone by both implementations, whichever made it', () => {
    if (!nativeInflate) throw new Error('Node has no zlib');
    const natively = nativeInflate;
    fc.assert(
      fc.property(bodies, (body) => {
        for (const content of [deflate(body), storedDeflate(body)]) {
          expect(outcome(natively, content, body.length)).toEqual(body);
          expect(outcome(portableInflate, content, body.length)).toEqual(body);
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

  it('[PK3] gives the same verdict natively and portably, of what is whole, changed or cut, in blocks of every kind', () => {
    const natively = nativeInflate!;
    const pieces = fc.array(fc.constantFrom('the room ', 'is kept, ', 'aaaaaaaaaaaaaaaaaaaa', '\u00e9\u20ac', '0123'), {
      maxLength: 400,
    });
    const texts = pieces.map((words) => Uint8Array.from(Buffer.from(words.join(''))));
    const kinds = fc.constantFrom(
      { level: 0 },
      { level: 9 },
      { strategy: constants.Z_FIXED },
      { strategy: constants.Z_HUFFMAN_ONLY },
      { strategy: constants.Z_RLE },
    );
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 });
    const counted = { whole: 0, refused: 0 };
    fc.assert(
      fc.property(fc.oneof(bodies, texts), kinds, changes, fc.nat(2), (body, kind, changed, tail) => {
        const content = Uint8Array.of(...deflateRawSync(body, kind), ...new Uint8Array(tail));
        // The head of a block is where most can be said wrongly.
        for (const [place, byte] of changed) content[place % Math.min(content.length, 40)] = byte;
        const expected = outcome(natively, content, body.length);
        counted[expected === 'refused' ? 'refused' : 'whole']++;
        expect(outcome(portableInflate, content, body.length)).toEqual(expected);
      }),
      { numRuns: 400 },
    );
    expect(Math.min(counted.whole, counted.refused)).toBeGreaterThan(20);
  });

  const [A, END, FOUR] = [97, 256, 258];
  const three = having(259, { [A]: 1, [END]: 2, [FOUR]: 2 });
  const said = [
    [0, A],
    [0, FOUR],
    [1, 0],
    [0, END],
  ];
  it.each([
    ['a match at the distance of the one code', block(three, [1], said), 5],
    ['codes that are complete', block(three, [1, 1], said), 5],
    [
      'no distances, and no match',
      block(
        three,
        [0],
        [
          [0, A],
          [0, END],
        ],
      ),
      1,
    ],
    [
      'a match without distances',
      block(
        three,
        [0],
        [
          [0, A],
          [0, FOUR],
          [-1, 0, 1],
          [0, END],
        ],
      ),
      5,
    ],
    [
      'an incomplete code of literals',
      block(
        having(257, { [A]: 2, [END]: 2 }),
        [1],
        [
          [0, A],
          [0, END],
        ],
      ),
      1,
    ],
    ['the end alone, of one bit', block(having(257, { [END]: 1 }), [1], [[0, END]]), 0],
    ['an incomplete code of distances', block(three, [2, 2], said), 5],
    [
      'a code with too many',
      block(
        having(257, { [A]: 1, [END]: 1, 98: 1 }),
        [1],
        [
          [0, A],
          [0, END],
        ],
      ),
      1,
    ],
    ['no end of a block', block(having(257, { [A]: 1, 98: 1 }), [1], [[0, A]]), 1],
    [
      'a match from before the start',
      block(
        three,
        [1, 1],
        [
          [0, A],
          [0, FOUR],
          [1, 1],
          [0, END],
        ],
      ),
      5,
    ],
    [
      'more literals than there are',
      block(
        having(287, { [A]: 1, [END]: 1 }),
        [1],
        [
          [0, A],
          [0, END],
        ],
      ),
      1,
    ],
    ['more distances than there are', block(three, having(31, { 0: 1 }), said), 5],
    ['a kind of block that is none', bits([1, 1], [3, 2]), 0],
    ['a fixed symbol that stands for nothing', bits([1, 1], [1, 2], [0x89, 8], [0x63, 8], [0, 6], [0, 5], [0, 7]), 324],
    ['a fixed distance that stands for nothing', bits([1, 1], [1, 2], [0x89, 8], [0x40, 7], [0x0f, 5], [0, 7]), 4],
    ['a repeated length before the first', bits([1, 1], [2, 2], [0, 10], [0, 4], [1, 3], [1, 3], [0, 6], [0, 12]), 0],
    ['stored bytes with a wrong length', Uint8Array.of(1, 1, 0, 0xff, 0xff, 65), 1],
    ['bytes behind the end', Uint8Array.of(...deflateRawSync(Uint8Array.of(A)), 0), 1],
  ])('[PK3] gives the verdict of zlib for %s', (_what, content, length) => {
    expect(outcome(portableInflate, content, length)).toEqual(outcome(nativeInflate!, content, length));
  });

  it('[PK3] makes as little of a text by a stream as at once, and of 200 KB that are only stored what zlib reads', async () => {
    const text = Uint8Array.from(readFileSync(new URL('./inflate.ts', import.meta.url)));
    const streamed = await streamedDeflate(text);
    expect([...portableInflate(streamed!, text.length)]).toEqual([...text]);
    expect(streamed!.length).toBeLessThan(deflate(text).length * 1.05);
    for (const length of [0, 65_535, 65_536, 200_000]) {
      const body = Uint8Array.from({ length }, (_, i) => i * 7);
      expect(Buffer.compare(inflateRawSync(storedDeflate(body)), body)).toBe(0);
    }
  });

  it('[PK1] is made without zlib where there is none, and read by it', async () => {
    const missing = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
    // Another name is another module, which looks for zlib anew.
    const again = './deflate.js?page';
    const page = (await import(again)) as typeof deflation;
    missing.mockRestore();
    const body = new Uint8Array(10_000).fill(7);
    expect(page.nativeInflate).toBeUndefined();
    expect(page.deflate(body)).toEqual(storedDeflate(body));
    const streamed = (await page.deflateLater(body))!;
    expect(streamed.length).toBeLessThan(100);
    for (const made of [page.deflate(body), streamed]) {
      expect(new Uint8Array(inflateRawSync(made))).toEqual(body);
      expect(page.inflateTo(made, body.length)).toEqual(body);
    }
  });

  it('is not squeezed where the platform has no stream for it', async () => {
    const { CompressionStream: streams } = globalThis;
    Reflect.deleteProperty(globalThis, 'CompressionStream');
    try {
      expect(await streamedDeflate(new Uint8Array(2000))).toBeUndefined();
    } finally {
      globalThis.CompressionStream = streams;
    }
  });

  it('[PK3] looks at the start alone, whatever follows', () => {
    fc.assert(
      fc.property(bodies, fc.nat(20), fc.nat(), (body, length, cut) => {
        expect([...inflateStart(deflate(body), length)]).toEqual([...body.subarray(0, length)]);
        const content = deflate(body);
        const some = content.subarray(0, cut % content.length);
        try {
          inflateStart(some, length);
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError);
        }
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

it('takes copies from every distance, of every length, as others write them', () => {
  const far = [
    ...Array.from({ length: 70 }, (_, i) => i + 1),
    96,
    97,
    128,
    129,
    192,
    193,
    256,
    257,
    384,
    385,
    512,
    513,
  ];
  for (let code = 1024; code < 32_768; code *= 2) far.push(code, code + 1, code * 1.5, code * 1.5 + 1);
  let seed = 1;
  const random = Uint8Array.from({ length: 40_000 }, () => (seed = Math.imul(seed, 48_271) & 0x7fffffff) >> 8);
  const check = (distance: number, length: number): void => {
    const body = new Uint8Array(distance + length);
    body.set(random.subarray(0, distance));
    for (let at = distance; at < body.length; at++) body[at] = body[at - distance]!;
    const deflated = deflateRawSync(body, { level: 9 });
    expect(portableInflate(deflated, body.length), `distance ${distance}, length ${length}`).toEqual(body);
  };
  for (const distance of far) check(distance, 40);
  for (let length = 3; length < 270; length++) check(300, length);
});
