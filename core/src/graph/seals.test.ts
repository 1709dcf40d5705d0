import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SIGNATURE_BYTES } from '../codec/packs/pack.js';
import { SealColumn } from './seals.js';

const signature = fc.uint8Array({ minLength: SIGNATURE_BYTES, maxLength: SIGNATURE_BYTES });

describe('the seals of a room', () => {
  it('are those that were added, by node, in whatever order', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(fc.nat(500), signature), { selector: ([node]) => node }), (added) => {
        const [seals, expected] = [new SealColumn(), new Map(added)];
        for (const [node, bytes] of added) seals.add(node, bytes);
        const nodes = Array.from({ length: 511 }, (_none, at) => at - 1);
        expect(nodes.map((node) => [seals.has(node), seals.get(node)])).toEqual(
          nodes.map((node) => [expected.has(node), expected.get(node)]),
        );
        expect([seals.size, [...seals.keys()]]).toEqual([expected.size, [...expected.keys()].sort((a, b) => a - b)]);
      }),
    );
  });

  it('hold nothing of the packs that brought them', () => {
    const seals = new SealColumn();
    const pack = new Uint8Array(1 << 20).fill(7);
    seals.add(3, pack.subarray(100, 100 + SIGNATURE_BYTES));
    expect(seals.get(3)?.buffer.byteLength).toBe(SIGNATURE_BYTES);
    pack.fill(8);
    expect(seals.get(3)).toEqual(new Uint8Array(SIGNATURE_BYTES).fill(7));
  });
});
