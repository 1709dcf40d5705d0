/** Changed bytes, changed nodes, and seals where they do not belong: none of it gets in. */
import {
  type PackedNode,
  type Replica,
  type Room,
  DecodeError,
  decodePack,
  encodePack,
  fromHex,
  verifyRegister,
} from '@weft/core';
import { describe, expect, it } from 'vitest';
import { Random } from '../convergence/random.js';
import { admit, join, keysOf, nodeOf, openRoom, packSealed, reasons, sealOf, sealed, signed } from './support.js';

const flipped = (bytes: Uint8Array, at: number, mask: number): Uint8Array =>
  bytes.map((byte, index) => (index === at ? byte ^ mask : byte));
/** Refusals of a pack by server and replica, which must judge alike. [RE1] */
async function refusals(room: Room, pack: Uint8Array): Promise<string[]> {
  const reader = await join(room, 99);
  for (const held of room.packs()) await reader.receive(held);
  const before = reader.stateHash;
  const here = reasons(await reader.receive(pack));
  expect(reasons(await admit(room, pack))).toEqual(here);
  if (here.length === decodePack(pack).nodes.length) expect(reader.stateHash).toBe(before);
  return here;
}

/** A writer who has written three registers. */
async function written(): Promise<{ readonly room: Room; readonly writer: Replica; readonly pack: Uint8Array }> {
  const room = await openRoom();
  const writer = await join(room, 1);
  for (const key of ['a', 'b', 'c']) writer.set(key, key);
  return { room, writer, pack: await sealed(writer) };
}

describe('a changed byte', () => {
  it('[PK4] of a small pack is noticed, whichever it is', async () => {
    const { pack } = await written();
    expect(pack[2]).toBe(0);
    for (const at of pack.keys()) {
      for (const mask of [1, 0x80, 0xff]) expect(() => decodePack(flipped(pack, at, mask))).toThrow(DecodeError);
      expect(() => decodePack(pack.subarray(0, at))).toThrow(DecodeError);
    }
  });

  it('[PK4] of a deflated pack is noticed', async () => {
    const writer = await join(await openRoom(), 1);
    for (let i = 0; i < 200; i++) writer.text('t').insert(0, `line ${i}\n`);
    const pack = await sealed(writer);
    expect(pack[2]).toBe(1);
    const random = new Random(1);
    for (let i = 0; i < 300; i++) {
      const [at, mask] = [random.below(pack.length), 1 + random.below(255)];
      expect(() => decodePack(flipped(pack, at, mask)), `byte ${at} with ${mask}`).toThrow(DecodeError);
    }
  });

  it('[SH2] of a proof does not verify, of what is there and of what is not', async () => {
    const writer = await join(await openRoom(), 1);
    for (let i = 0; i < 40; i++) writer.set(`k${i}`, i);
    writer.setBlob('blob', 'ab'.repeat(32));
    for (const key of ['k7', 'blob', 'absent']) {
      const { proof, value } = writer.prove(key);
      const { stateHash } = writer;
      expect(verifyRegister(proof, stateHash, key, value)).toBe(true);
      for (const at of proof.keys()) {
        for (const mask of [1, 0x80, 0xff]) {
          const forged = flipped(proof, at, mask);
          expect(verifyRegister(forged, stateHash, key, value), `${key}: byte ${at}`).toBe(false);
          expect(verifyRegister(forged, stateHash, key, undefined)).toBe(false);
        }
        expect(verifyRegister(proof.subarray(0, at), stateHash, key, value)).toBe(false);
      }
      expect(verifyRegister(new Uint8Array([...proof, 0]), stateHash, key, value)).toBe(false);
      expect(verifyRegister(proof, stateHash, 'k8', value)).toBe(false);
      writer.set('other', key);
      expect(verifyRegister(proof, writer.stateHash, key, value)).toBe(false);
    }
  });
});

describe('a changed node', () => {
  it('[AD4] has another id, which its seal does not fit, nor does what stood on it find it', async () => {
    const { room, pack } = await written();
    const { nodes, seals } = decodePack(pack);
    for (const changed of nodes.keys()) {
      const forged = nodes.map((node, index) =>
        index === changed ? { ...node, ops: [{ kind: 'delete', key: 'a' } as const] } : node,
      );
      const got = await refusals(room, encodePack({ nodes: forged, seals }));
      expect(got).toHaveLength(3);
      expect(
        got.every((reason) => ['unsealed', 'bad-signature', 'missing-parent', 'run-refused'].includes(reason)),
      ).toBe(true);
      expect(got.some((reason) => ['unsealed', 'bad-signature'].includes(reason))).toBe(true);
    }
    expect(await refusals(room, pack)).toEqual([]);
  });

  it('[AD4] of one room is refused in another: a run, a node alone, a seal on the same ops', async () => {
    const { pack } = await written();
    const other = await openRoom('other');
    const { nodes, seals } = decodePack(pack);
    expect(await refusals(other, pack)).toContain('wrong-room');
    const [first, second] = nodes as [PackedNode, PackedNode, PackedNode];
    expect(await refusals(other, await packSealed([first], [[0, keysOf(1)]]))).toEqual(['wrong-room']);
    expect(await refusals(other, await packSealed([second], [[0, keysOf(1)]]))).toEqual(['wrong-room']);
    // Equal writes for the other room are other nodes.
    const writer = await join(other, 1);
    for (const key of ['a', 'b', 'c']) writer.set(key, key);
    const own = decodePack(await sealed(writer));
    expect(await refusals(other, encodePack({ nodes: own.nodes, seals }))).toContain('bad-signature');
  });
});

describe('a seal that belongs elsewhere', () => {
  const ops = (value: number) => [{ kind: 'set', key: 'k', value: new Uint8Array([value]) }] as const;
  const byAuthor = (room: Room, number: number, value: number, prev?: PackedNode): PackedNode =>
    nodeOf({
      room: fromHex(room.genesis.id),
      author: fromHex(keysOf(number).publicKey),
      parents: [],
      ops: ops(value),
      ...(prev ? { prev: prev.id } : {}),
    });

  it('[AD4] is refused: of another author, of another node, of the id without its tag, of nothing [fault 16]', async () => {
    const room = await openRoom();
    const [node, other] = [byAuthor(room, 1, 1), byAuthor(room, 1, 2)];
    const foreign = await sealOf(keysOf(2), node.id);
    const replayed = await sealOf(keysOf(1), other.id);
    const untagged = await signed(keysOf(1), node.id);
    for (const signature of [
      foreign,
      replayed,
      untagged,
      new Uint8Array(64),
      flipped(await sealOf(keysOf(1), node.id), 63, 1),
    ]) {
      expect(await refusals(room, encodePack({ nodes: [node], seals: [{ index: 0, signature }] }))).toEqual([
        'bad-signature',
      ]);
    }
    expect(await refusals(room, encodePack({ nodes: [node], seals: [] }))).toEqual(['unsealed']);
    expect(await refusals(room, await packSealed([node, other], [[0, keysOf(1)]]))).toEqual(['unsealed']);
  });

  it('[AD4] does not cover the node of another author by a prev link', async () => {
    const room = await openRoom();
    const victim = byAuthor(room, 1, 1);
    const thief = byAuthor(room, 2, 2, victim);
    const stolen = await refusals(room, await packSealed([victim, thief], [[1, keysOf(2)]]));
    expect(stolen).toHaveLength(2);
    expect(stolen[1]).toBe('wrong-prev');
    expect(await refusals(room, await packSealed([victim], [[0, keysOf(1)]]))).toEqual([]);
    expect(await refusals(room, await packSealed([thief], [[0, keysOf(2)]]))).toEqual(['wrong-prev']);
  });

  it('[AD2] of a run with one denied node takes nothing; what is kept is sealed again and taken', async () => {
    const room = await openRoom();
    const [keys, denied] = [keysOf(1), { kind: 'set', key: '\0x', value: new Uint8Array([1]) } as const];
    const first = byAuthor(room, 1, 1);
    const second = byAuthor(room, 1, 2, first);
    const bad = nodeOf({ ...second, prev: second.id, ops: [denied] });
    const last = byAuthor(room, 1, 3, bad);
    const run = await packSealed([first, second, bad, last], [[3, keys]]);
    const got = await refusals(room, run);
    expect(got.slice(0, 3)).toEqual(['run-refused', 'run-refused', 'foreign-system-key']);
    expect(['run-refused', 'missing-parent']).toContain(got[3]);
    expect([room.get('k'), room.get('\0x')]).toEqual([undefined, undefined]);
    expect(await refusals(room, await packSealed([first, second], [[1, keys]]))).toEqual([]);
    expect(room.get('k')).toBe(2);
    const again = byAuthor(room, 1, 3, second);
    expect(await refusals(room, await packSealed([again], [[0, keys]]))).toEqual([]);
    expect(room.get('k')).toBe(3);
  });
});
