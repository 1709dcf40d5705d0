/** Nodes that are well-formed and harmful: forged, absurdly dated or counted, without parents, too many at once. */
import { type NodeFields, type Op, DecodeError, encodePack, fromHex, toHex } from '@weft/core';
import { nativeCrypto, portableCrypto } from '@weft/core/testing';
import { describe, expect, it } from 'vitest';
import { admit, join, keysOf, nodeOf, openRoom, packSealed, reasons, sealOf, sealed } from '../laws/support.js';
import { manyHeads } from './many-heads.js';
import { orphans } from './orphans.js';

const MIB = 1024 * 1024;
const set = (key: string, value = new Uint8Array([1])): Op => ({ kind: 'set', key, value });

/** Heads of one room; the long suite makes 2,000. */
const HEADS = process.env['TESTS_LONG'] ? 2_000 : 600;

describe('many nodes', () => {
  it('fault 14: nodes whose parents never come are given up beyond a bound, and crowd out nobody else’s', () =>
    orphans());

  it(`fault 21: ${HEADS} heads are welcomed, joined and forgotten again`, () => manyHeads(HEADS));

  it('fault 25: a storm of insertions and deletions leaves nothing to see, and every reader reaches the same', async () => {
    const room = await openRoom();
    const [ann, ben] = [await join(room, 1), await join(room, 2)];
    for (let round = 0; round < 200; round++) {
      ann.text('t').insert(0, 'abcdefghij'.repeat(50));
      ann.list('l').push(...Array.from({ length: 20 }, (_, i) => i));
      for (let i = 0; i < 20; i++) ann.set(`k${round}/${i}`, i);
      while (ann.text('t').length > 0) ann.text('t').delete(0, Math.min(50, ann.text('t').length));
      while (ann.list('l').length > 0) ann.list('l').delete(0);
      for (let i = 0; i < 20; i++) ann.delete(`k${round}/${i}`);
    }
    const pack = await sealed(ann);
    expect(reasons(await admit(room, pack))).toEqual([]);
    expect(reasons(await ben.receive(pack))).toEqual([]);
    for (const reader of [room, ben]) {
      expect([...reader.entries('k')]).toEqual([]);
      expect([String(reader.text('t')), reader.list('l').length]).toEqual(['', 0]);
      expect(reader.stateHash).toBe(ann.stateHash);
    }
    // 104,000 deleted elements, and what they were inserted with.
    expect(ann.save().length).toBeLessThan(2 * MIB);
  });
});

describe('forgery', () => {
  const GROUP_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
  const number = (bytes: Uint8Array): bigint => BigInt(`0x${toHex(Uint8Array.from(bytes).reverse())}`);
  const bytesOf = (value: bigint): Uint8Array => fromHex(value.toString(16).padStart(64, '0')).reverse();
  const identityPoint = fromHex(`01${'00'.repeat(31)}`);

  it('fault 16: a forged node is refused by server, replica and every implementation of the signature alike', async () => {
    const room = await openRoom();
    const [ann, ben] = [keysOf(1), keysOf(2)];
    const by = (author: Uint8Array) => nodeOf({ room: fromHex(room.genesis.id), author, parents: [], ops: [set('k')] });
    const anns = by(fromHex(ann.publicKey));
    const good = await sealOf(ann, anns.id);
    const malleable = new Uint8Array([...good.slice(0, 32), ...bytesOf(number(good.slice(32)) + GROUP_ORDER)]);
    const forSmallOrder = new Uint8Array([...identityPoint, ...new Uint8Array(32)]);
    const forged = [
      [anns, await sealOf(ben, anns.id)],
      [anns, malleable],
      [by(identityPoint), forSmallOrder],
      [by(fromHex(`ee${'ff'.repeat(30)}7f`)), forSmallOrder], // the same point, not in its shortest form
      [by(new Uint8Array(32).fill(0xff)), forSmallOrder],
    ] as const;
    const tag = new TextEncoder().encode('weft-seal-v1\0');
    for (const [node, signature] of forged) {
      const pack = encodePack({ nodes: [node], seals: [{ index: 0, signature }] });
      expect(reasons(await admit(room, pack))).toEqual(['bad-signature']);
      expect(reasons(await (await join(room, 3)).receive(pack))).toEqual(['bad-signature']);
      for (const crypto of [nativeCrypto(), portableCrypto])
        expect(await crypto?.verify(toHex(node.author), new Uint8Array([...tag, ...node.id]), signature)).not.toBe(
          true,
        );
    }
    const pack = encodePack({ nodes: [anns], seals: [{ index: 0, signature: good }] });
    expect(reasons(await admit(room, pack))).toEqual([]);
  });
});

describe('clocks and counters', () => {
  it('fault 18: a node with a clock far in the future has no say over those that follow it', async () => {
    const room = await openRoom();
    const late = keysOf(1);
    const fields = { room: fromHex(room.genesis.id), author: fromHex(late.publicKey), parents: [] };
    const node = nodeOf({ ...fields, wallMs: 2 ** 48, ops: [set('k', new Uint8Array([99]))] });
    expect(reasons(await admit(room, await packSealed([node], [[0, late]])))).toEqual([]);
    expect(room.get('k')).toBe(99);

    const honest = await join(room, 2);
    for (const pack of room.packs()) await honest.receive(pack);
    honest.set('k', 'now');
    expect(reasons(await admit(room, await sealed(honest)))).toEqual([]);
    expect([room.get('k'), honest.get('k')]).toEqual(['now', 'now']);
    for (const wallMs of [2 ** 48 + 1, Number.MAX_SAFE_INTEGER, -1])
      expect(() => nodeOf({ ...fields, wallMs, ops: [set('k')] })).toThrow(DecodeError);
  });

  it('fault 19: counters are bounded, generations follow from links, and a node that names absurd ones harms nobody', async () => {
    const room = await openRoom();
    const odd = keysOf(1);
    const fields = { room: fromHex(room.genesis.id), author: fromHex(odd.publicKey), parents: [] };
    const typed = (ref: number): NodeFields => ({
      ...fields,
      ops: [{ kind: 'text-insert', key: 't', anchor: { ref, side: 'right' }, text: 'x' }],
    });
    const counters = [2 ** 31 - 2, 2 ** 30, 1].map((ref) => nodeOf(typed(ref)));
    for (const node of counters) expect(reasons(await admit(room, await packSealed([node], [[0, odd]])))).toEqual([]);
    for (const ref of [2 ** 31 - 1, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER, -1])
      expect(() => nodeOf(typed(ref))).toThrow(DecodeError);
    for (const count of [0, -1, 2 ** 31, Number.MAX_SAFE_INTEGER])
      expect(() => nodeOf({ ...fields, ops: [{ kind: 'text-delete', key: 't', last: 0, count }] })).toThrow(
        DecodeError,
      );

    const [one, two] = [await join(room, 2), await join(room, 3)];
    for (const pack of room.packs()) await one.receive(pack);
    for (const pack of [...room.packs()].toReversed()) await two.receive(pack);
    one.text('t').insert(0, 'as ever');
    expect(reasons(await admit(room, await sealed(one)))).toEqual([]);
    expect(room.text('t')).toBe('as ever');
  });
});
