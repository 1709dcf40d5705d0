import { beforeAll, describe, expect, it } from 'vitest';
import type { KeyPair } from '../../access/keys.js';
import { defaultCrypto } from '../../adapters/crypto/default.js';
import { memoryStore } from '../../adapters/memory/memory-store.js';
import type { Replica } from '../../client/replica/replica.js';
import { fromHex, toHex } from '../../codec/bytes/bytes.js';
import { encodeValue } from '../../codec/bytes/msgpack.js';
import { openPack, writeMessage } from '../../codec/packs/pack.js';
import { type Pack, decodePack, encodePack } from '../../codec/packs/plain-pack.js';
import type { NodeFields, PackedNode } from '../../codec/packs/packed-node.js';
import { nodeId } from '../../codec/testing/nodes.js';
import { createHost } from '../../engine.js';
import { type Fork, forksOf } from '../../graph/forks.js';
import { NO_ROOM, type NodeId, type PublicKey } from '../../graph/node.js';
import { sealMessage } from '../../graph/seal.js';
import { createReplica, generateKeys, verifyForkProof } from '../../peer.js';
import { graphOf, identify } from '../../graph/testing/nodes.js';
import type { Room } from '../room.js';
import { proveFork } from './fork-proof.js';

const newHost = () => createHost({ store: memoryStore() });
const newRoom = (): Promise<Room> => newHost().room('room');
const join = (room: Room, keys: KeyPair): Promise<Replica> => createReplica({ genesis: room.genesis.pack, keys });
async function push(room: Room, ...replicas: Replica[]): Promise<void> {
  for (const replica of replicas) {
    const pack = await replica.seal();
    replica.confirm();
    if (pack) expect((await room.admit(pack, { from: 'peer' })).refused).toEqual([]);
  }
}
async function pull(room: Room, ...replicas: Replica[]): Promise<void> {
  for (const replica of replicas)
    for (const pack of room.packs(replica.frontier)) expect((await replica.receive(pack)).refused).toEqual([]);
}
/** Replicas of one author, each of which has written so many nodes without knowing of the others. */
async function forked(room: Room, nodes: readonly number[], keys = generateKeys()): Promise<Replica[]> {
  const replicas = await Promise.all(nodes.map(() => join(room, keys)));
  await pull(room, ...replicas);
  for (const [number, replica] of replicas.entries())
    for (let i = 0; i < nodes[number]!; i++) replica.set(`${number}`, i);
  await push(room, ...replicas);
  return replicas;
}
const proofOf = async (room: Room, fork = room.forks[0]): Promise<Uint8Array> => {
  const proof = fork && (await room.forkProof(fork));
  if (!proof) throw new Error('no proof');
  return proof;
};

/** The nodes of a pack as rows. */
function asMessage(pack: Uint8Array): Uint8Array {
  const { table, seals } = openPack(pack);
  const places = Array.from({ length: table.size }, (_, place) => place);
  return writeMessage(table, places, seals);
}

describe('forks of a room', () => {
  it('[FK1] are listed by the server and by every replica alike, and none for honest authors [fault 15]', async () => {
    const room = await newRoom();
    const keys = generateKeys();
    const other = await join(room, generateKeys());
    const first = await join(room, keys);
    first.set('k', 0);
    other.text('t').insert(0, 'honest');
    await push(room, first, other);
    await pull(room, first, other);
    await room.set('by the host', 1);
    first.set('k', 1);
    await push(room, first);
    expect([room.forks, first.forks, other.forks]).toEqual([[], [], []]);

    const [here, there] = await forked(room, [2, 3], keys);
    await pull(room, here!, there!, other);
    const { author, nodes, prev } = room.forks[0]!;
    expect([author, typeof prev, new Set(nodes).size]).toEqual([keys.publicKey, 'string', 2]);
    const late = await join(room, generateKeys());
    await pull(room, late);
    const saved = await createReplica({ saved: late.save(), keys: generateKeys() });
    for (const replica of [here!, there!, other, late, saved]) expect(replica.forks).toEqual(room.forks);
    expect(room.forks).toHaveLength(1);
  });

  it('[FK1] are kept when a room is opened again, and both branches with them', async () => {
    const store = memoryStore();
    const room = await createHost({ store }).room('room');
    await forked(room, [1, 1, 1]);
    const again = await createHost({ store }).room('room');
    expect(again.forks).toHaveLength(2);
    expect(again.forks).toEqual(room.forks);
    for (const fork of again.forks) expect(again.nodes.lacks(fork.nodes)).toEqual([]);
    expect(await proofOf(again)).toEqual(await proofOf(room));
  });

  it('[FK1] of a replica count what a batch has written so far', async () => {
    const room = await newRoom();
    const keys = generateKeys();
    const [here, there] = [await join(room, keys), await join(room, keys)];
    here.set('k', 1);
    await push(room, here);
    await pull(room, there);
    there.set('k', 2);
    await push(room, there);
    await pull(room, here);
    here.batch(() => {
      expect(here.forks).toEqual([]);
      here.set('k', 3);
      expect(here.forks).toHaveLength(1);
    });
  });
});

describe('a proof of a fork', () => {
  it.each([
    ['of the first nodes', 0, [1, 1]],
    ['of later nodes', 3, [1, 1]],
    ['in the middle of runs', 1, [3, 5]],
    ['between three', 1, [2, 1, 1]],
    ['with a run that is full', 0, [1500, 1]],
  ] as const)('[FK2] says to anybody what the room says, %s', async (_, before, nodes) => {
    const room = await newRoom();
    const keys = generateKeys();
    if (before > 0) await forked(room, [before], keys);
    await forked(room, nodes, keys);
    expect(room.forks).toHaveLength(nodes.length - 1);
    for (const fork of room.forks) {
      const proof = await proofOf(room, fork);
      expect(await verifyForkProof(proof)).toEqual(fork);
      expect(decodePack(proof).seals).toHaveLength(2);
      expect(await verifyForkProof(asMessage(proof))).toEqual(fork);
    }
  });

  it('[FK2] of a branch of a branch', async () => {
    const room = await newRoom();
    const keys = generateKeys();
    const [here] = await forked(room, [2, 2], keys);
    const copy = await createReplica({ saved: here!.save(), keys });
    for (const replica of [here!, copy]) replica.set('again', replica === copy);
    await push(room, here!, copy);
    expect(room.forks).toHaveLength(2);
    for (const fork of room.forks) expect(await verifyForkProof(await proofOf(room, fork))).toEqual(fork);
  });

  it('[FK2] also where one branch goes on upon the other before it is sealed', async () => {
    // Which of the two has the smaller id is chance.
    for (let round = 0; round < 8; round++) {
      const room = await newRoom();
      const keys = generateKeys();
      const [here, there] = [await join(room, keys), await join(room, keys)];
      for (const replica of [here, there]) replica.set('k', replica === here);
      await push(room, there);
      await pull(room, here);
      here.set('joins', 1);
      await push(room, here);
      const { nodes } = decodePack(await proofOf(room));
      const fork = await verifyForkProof(await proofOf(room));
      expect(fork).toEqual(room.forks[0]);
      expect(nodes.at(-1)?.parents.some((parent) => fork?.nodes.includes(toHex(parent) as NodeId))).toBe(true);
    }
  });

  it('[FK2] ends at the first seal on each side', async () => {
    const room = await newRoom();
    const [here, there] = await forked(room, [2, 1]);
    for (const replica of [here!, there!]) {
      replica.set('more', 1);
      await push(room, replica);
    }
    expect(decodePack(await proofOf(room)).nodes).toHaveLength(3);
  });

  it('[FK2] is not to be had of what is no fork here', async () => {
    const [room, other] = [await newRoom(), await newRoom()];
    await forked(room, [2, 1]);
    await forked(other, [1, 1]);
    const fork = room.forks[0]!;
    const [a, b] = fork.nodes;
    const { nodes } = decodePack(await proofOf(room));
    const ids = nodes.map(({ id }) => toHex(id));
    const next = ids.find((id) => id !== a && id !== b) as typeof a;
    for (const pair of [[a, a], [a, next], [next, b], [a, room.genesis.id], other.forks[0]!.nodes] as const)
      expect(await room.forkProof({ ...fork, nodes: pair })).toBeUndefined();
    expect(await room.forkProof(fork)).toBeDefined();
  });
});

/** Nodes as somebody may forge them: any fields, ids computed. */
function node(fields: Partial<NodeFields> & Pick<NodeFields, 'room' | 'author'>, value = 0): PackedNode {
  const whole = { parents: [], ops: [{ kind: 'set', key: 'k', value: encodeValue(value) }] as const, ...fields };
  return { ...whole, id: nodeId(whole), counter: 0 };
}
/** A pack of nodes, some of them sealed with somebody's key. */
async function packed(
  nodes: readonly PackedNode[],
  seals: readonly (readonly [number, KeyPair])[],
): Promise<Uint8Array> {
  const { table } = openPack(encodePack({ nodes, seals: [] }));
  const signed = seals.map(async ([index, { seed }]) => {
    const signature = await defaultCrypto.signer(fromHex(seed)).sign(sealMessage(table, index));
    return { index, signature };
  });
  return encodePack({ nodes, seals: await Promise.all(signed) });
}

describe('a proof is refused', () => {
  const [keys, others] = [generateKeys(), generateKeys()];
  const [author, stranger] = [fromHex(keys.publicKey), fromHex(others.publicKey)];
  const [room, elsewhere] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  const first = node({ room, author });
  const on = (prev: PackedNode, value: number, by = author, where = room): PackedNode =>
    node({ room: where, author: by, prev: prev.id }, value);
  const [left, right] = [on(first, 1), on(first, 2)];
  const both = [
    [0, keys],
    [1, keys],
  ] as const;
  let proof = new Uint8Array(0);
  let pack: Pack = { nodes: [], seals: [] };

  beforeAll(async () => {
    const held = await newRoom();
    await forked(held, [2, 2]);
    proof = (await proofOf(held)).slice();
    pack = decodePack(proof);
  });

  it('[FK2] holds, in all the forms that these tests change', async () => {
    const ids = [left, right].map(({ id }) => toHex(id)).sort();
    const fork = { author: keys.publicKey, prev: toHex(first.id), nodes: ids };
    expect(await verifyForkProof(proof)).toBeDefined();
    expect(await verifyForkProof(encodePack(pack))).toBeDefined();
    expect(await verifyForkProof(await packed([left, right], both))).toEqual(fork);
    // A copy comes with what it stands on, and with nodes that say nothing, too.
    const more = await packed(
      [first, right, on(first, 3, stranger), left],
      [
        [1, keys],
        [3, keys],
      ],
    );
    expect(await verifyForkProof(more)).toEqual(fork);
    const roots = await packed([first, node({ room, author }, 9)], both);
    expect(Object.keys((await verifyForkProof(roots)) ?? {})).toEqual(['author', 'nodes']);
  });

  it('[FK2] with any byte changed, cut off, or added', async () => {
    for (const form of [proof, asMessage(proof)]) {
      const expected = (await verifyForkProof(form))!;
      for (let at = 0; at < form.length; at++) {
        for (const bit of [1, 128]) {
          const changed = form.slice();
          changed[at]! ^= bit;
          expect([at, await verifyForkProof(changed)]).toEqual([at, undefined]);
        }
        if (at % 8 === 0) expect(await verifyForkProof(form.slice(0, at))).toBeUndefined();
      }
      expect(await verifyForkProof(new Uint8Array([...form, 0]))).toBeUndefined();
      expect(await verifyForkProof(form)).toEqual(expected);
    }
  });

  it.each([
    ['nothing', []],
    ['zeros', Array.from({ length: 100 }, () => 0)],
    ['the beginning of a pack', [0x57, 1, 0]],
    ['the beginning of a message', [0x57, 1, 2, 255, 255, 255, 255, 15]],
    ['an empty message', [0x57, 1, 2, 0, 0]],
  ])('[FK2] when it is %s', async (_, bytes) => {
    expect(await verifyForkProof(new Uint8Array(bytes))).toBeUndefined();
  });

  it('[FK2] without a seal, with one of another node, key or message', async () => {
    const { nodes, seals } = pack;
    const [one, two] = seals as [(typeof seals)[number], (typeof seals)[number]];
    const free = nodes.findIndex((_, index) => index !== one.index && index !== two.index);
    for (const changed of [
      [],
      [one],
      [two],
      [one, { ...two, signature: one.signature }],
      [
        { ...one, signature: two.signature },
        { ...two, signature: one.signature },
      ],
      [one, { ...two, signature: new Uint8Array(64) }],
      [one, { ...two, index: free }].sort((a, b) => a.index - b.index),
    ])
      expect(await verifyForkProof(encodePack({ nodes, seals: changed }))).toBeUndefined();
    for (const by of [
      [
        [0, others],
        [1, keys],
      ],
      [
        [0, keys],
        [1, others],
      ],
      [
        [0, others],
        [1, others],
      ],
    ] as const)
      expect(await verifyForkProof(await packed([left, right], by))).toBeUndefined();
  });

  it('[FK2] when it is more than one, each of which would hold', async () => {
    const all = [
      [0, keys],
      [1, keys],
      [2, keys],
    ] as const;
    expect(await verifyForkProof(await packed([left, right, on(first, 3)], all))).toBeUndefined();
    expect(await verifyForkProof(await packed([left, right, on(first, 3)], both))).toBeDefined();
  });

  it('[FK2] when it holds one node twice', async () => {
    expect(await verifyForkProof(await packed([left, left], both))).toBeUndefined();
    const [a, b] = [on(left, 3), on(left, 4)];
    expect(
      await verifyForkProof(
        await packed(
          [left, a, left, a],
          [
            [1, keys],
            [3, keys],
          ],
        ),
      ),
    ).toBeUndefined();
    // Both copies lead to nodes that do fork here: it is those that it names.
    const found = await verifyForkProof(
      await packed(
        [left, a, left, b],
        [
          [1, keys],
          [3, keys],
        ],
      ),
    );
    expect([...(found?.nodes ?? [])]).toEqual([a, b].map(({ id }) => toHex(id)).sort());
  });

  it('[FK2] when its nodes stand on different ones, or one on the other', async () => {
    const second = on(left, 5);
    for (const nodes of [
      [left, second],
      [left, node({ room, author })],
      [right, second],
      [left, node({ room, author, prev: right.id }, 7)],
    ])
      expect(await verifyForkProof(await packed(nodes, both))).toBeUndefined();
    const chain = [first, left, second];
    expect(
      await verifyForkProof(
        await packed(chain, [
          [1, keys],
          [2, keys],
        ]),
      ),
    ).toBeUndefined();
  });

  it('[FK2] when its nodes are of two authors or rooms, or of none', async () => {
    const foreign = await packed(
      [left, on(first, 2, stranger)],
      [
        [0, keys],
        [1, others],
      ],
    );
    expect(await verifyForkProof(foreign)).toBeUndefined();
    expect(await verifyForkProof(await packed([left, on(first, 2, author, elsewhere)], both))).toBeUndefined();
    const [one, other] = [node({ room, author }), node({ room: elsewhere, author })];
    expect(await verifyForkProof(await packed([one, other], both))).toBeUndefined();
  });

  it('[FK2] when a host has only begun two rooms', async () => {
    const host = newHost();
    const geneses = await Promise.all(['a', 'b'].map((id) => host.room(id)));
    const packs = geneses.map(({ genesis }) => decodePack(genesis.pack));
    const seals = packs.map(({ seals: [seal] }, index) => ({ ...seal!, index }));
    const nodes = packs.flatMap((genesis) => genesis.nodes);
    expect(nodes.map((genesis) => toHex(genesis.room))).toEqual([NO_ROOM, NO_ROOM]);
    expect(await verifyForkProof(encodePack({ nodes, seals }))).toBeUndefined();
  });

  it('[FK2] when the nodes that fork are below what somebody else has sealed', async () => {
    // Anybody can make up nodes of anybody, and sign what claims to stand on them.
    const forged = [left, right, on(left, 3, stranger), on(right, 4, stranger)];
    for (const seals of [
      [
        [2, others],
        [3, others],
      ],
      [
        [0, keys],
        [3, others],
      ],
      [
        [2, others],
        [1, keys],
      ],
    ] as const) {
      const ordered = [...seals].sort(([a], [b]) => a - b);
      expect(await verifyForkProof(await packed(forged, ordered))).toBeUndefined();
    }
    expect(await verifyForkProof(await packed(forged, both))).toBeDefined();
  });

  it('[FK2] never throws, whatever fields are exchanged for others', async () => {
    const bytes = proof;
    for (let seed = 1; seed < 400; seed++) {
      const changed = bytes.slice();
      let random = seed;
      for (let i = 0; i < 1 + (seed % 5); i++) {
        random = (Math.imul(random, 1103515245) + 12345) >>> 0;
        changed[random % changed.length] = random >>> 16;
      }
      if (changed.every((byte, at) => byte === bytes[at])) continue;
      expect(await verifyForkProof(changed)).toBeUndefined();
    }
    const fork: Fork | undefined = await verifyForkProof(bytes);
    expect(fork).toBeDefined();
  });
});

it('[FK2] there is no proof of a fork of which the seal on either side is not held', async () => {
  const author = 'a'.repeat(64) as PublicKey;
  const own = (prev: NodeId | undefined, key: string) =>
    identify({ room: NO_ROOM, author, ...(prev ? { prev } : {}), parents: [], ops: [{ kind: 'delete', key }] });
  const first = own(undefined, 'first');
  const [one, other] = [own(first.id, 'one'), own(first.id, 'other')];
  const graph = graphOf([first, one, own(one.id, 'later'), other]);
  graph.settle();
  const [fork] = forksOf(graph);
  const lender = { lend: <T>(_: unknown, make: () => T) => Promise.resolve(make()) };
  const proof = (...sealed: readonly number[]) =>
    proveFork(graph, fork!, new Map(sealed.map((node) => [node, new Uint8Array(64)])), lender);
  for (const sealed of [
    [2, 3],
    [1, 3],
    [0, 1, 2, 3],
  ])
    expect(await proof(...sealed)).toBeDefined();
  for (const sealed of [[], [0], [3], [0, 3], [0, 1], [0, 2], [0, 1, 2]])
    expect(await proof(...sealed)).toBeUndefined();
});
