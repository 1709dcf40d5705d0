/** The state hash, on replicas that edit, fork and meet in any order. */
import { describe, expect, it } from 'vitest';
import type { KeyPair } from '../../access/keys.js';
import { memoryStore } from '../../adapters/memory/memory-store.js';
import { BlobRef } from '../../crdt/registers.js';
import { verifyRegister } from '../../crdt/verify.js';
import { createHost } from '../../engine.js';
import { createReplica, generateKeys } from '../../peer.js';
import type { Room } from '../../room/room.js';
import type { Replica } from './replica.js';

const newRoom = (): Promise<Room> => createHost({ store: memoryStore() }).room('room');
const join = (room: Room, keys: KeyPair = generateKeys()): Promise<Replica> =>
  createReplica({ genesis: room.genesis.pack, keys });

/** Deterministic, so that a failing seed can be run again. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
}

function edit(replica: Replica, random: (below: number) => number): void {
  const [text, list, choice] = [replica.text('t'), replica.list('l'), random(12)];
  if (choice < 5 || text.length === 0) text.insert(random(text.length + 1), 'abcdefgh'.repeat(1 + random(100)));
  else if (choice < 7) {
    const from = random(text.length);
    text.delete(from, Math.min(1 + random(300), text.length - from));
  } else if (choice < 8 || list.length < 2) list.insert(random(list.length + 1), random(100));
  else if (choice < 9) list.delete(random(list.length));
  else if (choice < 10) list.move(random(list.length), random(list.length));
  else if (choice < 11) replica.set(`k${random(5)}`, random(100));
  else replica.delete(`k${random(5)}`);
}

interface Sent {
  readonly pack: Uint8Array;
  readonly held: Set<Replica>;
}

async function deliver(to: Replica, packs: readonly Sent[]): Promise<void> {
  for (const { pack, held } of packs) {
    if (held.has(to)) continue;
    const { refused } = await to.receive(pack);
    if (refused.length === 0) held.add(to);
  }
}

describe('the state hash', () => {
  it.each(Array.from({ length: process.env['TESTS_LONG'] ? 12 : 5 }, (_, at) => at + 1))(
    '[SH1] is equal on replicas that hold the same nodes, one author writing in two places (seed %i) [fault 43]',
    async (seed) => {
      const random = randomFrom(seed);
      const room = await newRoom();
      const shared = generateKeys();
      const replicas = [await join(room, shared), await join(room, shared), await join(room)];
      const packs: Sent[] = [];
      for (let step = 0; step < 30; step++) {
        const writer = replicas[random(3)] as Replica;
        for (let i = 0; i < 5; i++) edit(writer, random);
        if (random(2) === 0) expect(writer.stateHash).toMatch(/^[0-9a-f]{64}$/); // asked for now and then
        const pack = await writer.seal();
        writer.confirm();
        if (pack) packs.push({ pack, held: new Set([writer]) });
        if (random(3) === 0) for (const replica of replicas) await deliver(replica, packs);
      }
      const fresh = await join(room);
      const shuffled = packs.map((pack) => ({ pack, at: random(1000) })).sort((a, b) => a.at - b.at);
      for (const replica of [fresh, ...replicas]) {
        for (let pass = 0; pass < packs.length && packs.some(({ held }) => !held.has(replica)); pass++) {
          await deliver(
            replica,
            shuffled.map(({ pack }) => pack),
          );
        }
      }
      const all = [fresh, ...replicas];
      expect(new Set(all.map((replica) => replica.text('t').toString())).size).toBe(1);
      expect(new Set(all.map((replica) => JSON.stringify(replica.list('l').toArray()))).size).toBe(1);
      expect(new Set(all.map((replica) => replica.stateHash)).size).toBe(1);
    },
  );

  it('[SH1] changes with every kind of change, and comes back with none', async () => {
    const replica = await join(await newRoom());
    const seen = [replica.stateHash];
    const steps: (() => void)[] = [
      () => replica.set('k', 1),
      () => replica.set('k', 2),
      () => replica.setBlob('k', 'ab'.repeat(32)),
      () => replica.text('k').insert(0, 'ab'),
      () => replica.text('k').delete(0, 1),
      () => replica.list('k').push(1, 2),
      () => replica.list('k').move(0, 1),
      () => replica.list('k').delete(0),
      () => replica.text('other').insert(0, 'ab'),
    ];
    for (const step of steps) {
      step();
      seen.push(replica.stateHash);
    }
    expect(new Set(seen).size).toBe(seen.length);
    const before = replica.stateHash;
    replica.set('passing', 1);
    replica.delete('passing');
    expect(replica.stateHash).toBe(before);
  });

  it('[SH3] tells texts of equal characters with other elements apart', async () => {
    const room = await newRoom();
    const keys = generateKeys();
    const [one, other] = [await join(room, keys), await join(room, keys)];
    one.text('t').insert(0, 'aa');
    other.text('t').insert(0, 'aaa');
    other.text('t').delete(1, 1);
    expect(one.text('t').toString()).toBe(other.text('t').toString());
    expect(one.stateHash).not.toBe(other.stateHash);
  });
});

describe('a proof', () => {
  it('[SH2] shows what a register holds, what blob it names, and that a key is absent', async () => {
    const replica = await join(await newRoom());
    for (let i = 0; i < 100; i++) replica.set(`k${i}`, { i });
    replica.setBlob('blob', 'ab'.repeat(32));
    replica.delete('k7');
    const root = replica.stateHash;
    for (const key of ['k0', 'k99', 'blob', 'k7', 'never']) {
      const { value, proof } = replica.prove(key);
      expect(verifyRegister(proof, root, key, value)).toBe(true);
      expect(verifyRegister(proof, root, key, Uint8Array.of(1))).toBe(false);
      expect(verifyRegister(proof, root, key, new BlobRef('cd'.repeat(32)))).toBe(false);
      if (value !== undefined) expect(verifyRegister(proof, root, key, undefined)).toBe(false);
      expect(verifyRegister(proof, root, `${key}x`, value)).toBe(false);
      expect(verifyRegister(proof, '00'.repeat(32), key, value)).toBe(false);
    }
  });

  it('[SH2] of which any byte is changed does not verify', async () => {
    const replica = await join(await newRoom());
    for (let i = 0; i < 20; i++) replica.set(`k${i}`, i);
    const root = replica.stateHash;
    const { value, proof } = replica.prove('k3');
    for (let at = 0; at < proof.length; at++) {
      const changed = new Uint8Array(proof);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(verifyRegister(changed, root, 'k3', value)).toBe(false);
    }
    expect(verifyRegister(proof.subarray(1), root, 'k3', value)).toBe(false);
  });

  it('[SH1] the room and its replicas have one hash', async () => {
    const room = await newRoom();
    await room.set('from/server', 1);
    const replica = await join(room);
    for (const pack of room.packs()) await replica.receive(pack);
    expect(replica.stateHash).toBe(room.stateHash);
  });
});
