import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toHex, toUtf8 } from '../../codec/bytes/bytes.js';
import { comparePlaces, placeOf } from './entry-order.js';
import { EntryTree } from './entry-tree.js';

const tagged = (tag: string, ...parts: readonly Uint8Array[]): Buffer =>
  createHash('sha256').update(`${tag}\0`).update(Buffer.concat(parts)).digest();

interface Held {
  readonly key: string;
  readonly kind: number;
  readonly value: Uint8Array;
}

/** The rule as it is written, over bits as text. */
function slowRoot(entries: readonly Held[]): Buffer {
  const named = entries.map(({ key, kind, value }) => {
    const bytes = toUtf8(key);
    const bits = [...bytes].map((byte) => `1${byte.toString(2).padStart(8, '0')}`).join('');
    const hash = tagged('weft-entry-v1', Uint8Array.of(bytes.length), bytes, Uint8Array.of(kind), value);
    return { bits: `${bits}0${kind.toString(2).padStart(2, '0')}`, hash };
  });
  const within = (some: typeof named, at: number): Buffer => {
    if (some.length === 0) return tagged('weft-entries-v1');
    if (some.length === 1) return some[0]!.hash;
    const zero = some.filter(({ bits }) => bits[at] === '0');
    const one = some.filter(({ bits }) => bits[at] === '1');
    if (zero.length === 0 || one.length === 0) return within(some, at + 1);
    return tagged('weft-entries-v1', within(zero, at + 1), within(one, at + 1));
  };
  return within(named, 0);
}

const key = fc.oneof(
  fc.constantFrom('a', 'aa', 'ab', 'b', 'a\0', 'a\0a', 'é', '日本', '𐐷', '\uFFFD'),
  fc.string({ minLength: 1, maxLength: 5, unit: 'grapheme' }),
);
const step = fc.record({ key, kind: fc.nat(2), value: fc.nat(255), isGone: fc.boolean(), asks: fc.boolean() });

it('[VR3] the root is that of the rule, whatever came and went before, and entries stand in the order of their bytes', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const tree = new EntryTree();
      const held = new Map<string, Held>();
      for (const { key: name, kind, value, isGone, asks } of steps) {
        const bytes = new Uint8Array(32).fill(value);
        if (isGone) tree.delete(name, kind);
        else tree.set(name, kind, bytes);
        if (isGone) held.delete(`${kind} ${name}`);
        else held.set(`${kind} ${name}`, { key: name, kind, value: bytes });
        if (asks) expect(toHex(tree.root())).toBe(slowRoot([...held.values()]).toString('hex'));
      }
      expect(toHex(tree.root())).toBe(slowRoot([...held.values()]).toString('hex'));
      expect(tree.size).toBe(held.size);
      const places = [...held.values()].map(({ key: name, kind }) => placeOf(name, kind)).sort(byBytes);
      expect([...tree.from(placeOf('', 0))].map((node) => tree.placeOf(node))).toEqual(places);
      for (const { key: name, kind } of steps) {
        const place = placeOf(name, kind);
        expect([...tree.from(place)].map((node) => tree.placeOf(node))).toEqual(
          places.filter((one) => byBytes(one, place) >= 0),
        );
        const before = tree.before(place);
        expect(before === undefined ? undefined : tree.placeOf(before)).toEqual(
          places.findLast((one) => byBytes(one, place) < 0),
        );
        for (const other of places)
          expect(Math.sign(comparePlaces(other, place))).toBe(Math.sign(byBytes(other, place)));
      }
    }),
    { numRuns: 100 },
  );
});

type Place = ReturnType<typeof placeOf>;
const byBytes = (a: Place, b: Place): number => Buffer.compare(a.key, b.key) || a.kind - b.kind;

it('[VR3] keys that each begin with the one before make a deep tree, and nothing of it recurses', () => {
  const tree = new EntryTree();
  for (let length = 1; length <= 4096; length += 8) tree.set('a'.repeat(length), 0, new Uint8Array(32));
  const all = [...tree.from(placeOf('', 0))];
  expect(all).toHaveLength(512);
  expect(tree.above(all.at(-1)!).length).toBeGreaterThan(500);
  expect(tree.advance(100)).toBe(true);
  while (tree.advance(100));
  const other = new EntryTree();
  for (const node of all.toReversed()) other.set(tree.keyOf(node), 0, new Uint8Array(32));
  expect(toHex(other.root())).toBe(toHex(tree.root()));
});
