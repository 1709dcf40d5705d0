import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nativeCrypto } from '../../adapters/crypto/native.js';
import { portableCrypto } from '../../adapters/crypto/portable.js';
import { memoryStore } from '../../adapters/memory/memory-store.js';
import type { Replica } from '../../client/replica/replica.js';
import { DecodeError, fromHex } from '../../codec/bytes/bytes.js';
import { NONE } from '../../codec/nodes/node-table.js';
import { rangeOf } from '../../codec/nodes/places.js';
import { openPack } from '../../codec/packs/pack.js';
import { decodePack, encodePack } from '../../codec/packs/plain-pack.js';
import { createHost } from '../../engine.js';
import { Graph } from '../../graph/graph.js';
import { Incoming } from '../../graph/incoming.js';
import { createReplica, generateKeys } from '../../peer.js';
import type { Signer } from '../../ports/crypto.js';
import type { Room } from '../room.js';
import { verifyForkProof } from '../reading/fork-proof.js';
import { partialPack } from './partial-pack.js';

const crypto = nativeCrypto() ?? portableCrypto;
const seed = new Uint8Array(32).fill(7);
const authority = crypto.signer(seed);
const newRoom = (): Promise<Room> =>
  createHost({ store: { ...memoryStore(), authoritySeed: () => Promise.resolve(seed) } }).room('room');
const join = (room: Room): Promise<Replica> => createReplica({ genesis: room.genesis.pack, keys: generateKeys() });

/** What each room was sent: its history keeps the last seals alone. */
const pushed = new WeakMap<Room, Uint8Array[]>();

async function push(replica: Replica, room: Room): Promise<void> {
  const pack = (await replica.seal()) ?? encodePack({ nodes: [], seals: [] });
  expect((await room.admit(pack, { from: 'peer' })).refused).toEqual([]);
  pushed.set(room, [...(pushed.get(room) ?? [room.genesis.pack]), pack]);
  replica.confirm();
}

/** What a room holds, as its reader's server would see it. */
function heldBy(room: Room): { readonly graph: Graph; readonly seals: Map<number, Uint8Array> } {
  const graph = new Graph();
  const signatures = new Map<number, Uint8Array>();
  for (const pack of pushed.get(room) ?? []) {
    const { table, seals } = openPack(pack);
    const incoming = new Incoming(graph, table);
    for (let place = 0; place < table.size; place++) incoming.append(place);
    for (const { index, signature } of seals) signatures.set(incoming.number(index), signature);
  }
  graph.settle();
  return { graph, seals: signatures };
}

/** Nodes from `from` on; of those that write to no key that begins with the prefix, and to some key, the headers. */
function sightOf(room: Room, prefix: string, signer: Signer = authority, from = 0): Promise<Uint8Array> {
  const { graph, seals } = heldBy(room);
  const { table } = graph;
  const has = (node: number): boolean => {
    const keys: string[] = [];
    for (let op = table.firstOp(node); op < table.opsEnd.get(node); op++) keys.push(table.keys.names[table.key(op)]!);
    return keys.length > 0 && !keys.some((key) => key.startsWith(prefix) || key.startsWith('\0'));
  };
  return partialPack(graph, rangeOf(from, graph.size), seals, { has }, signer);
}

/** Two authors who take turns at two documents. */
async function written(room: Room): Promise<readonly [Replica, Replica]> {
  const [ann, bob] = [await join(room), await join(room)];
  for (let round = 0; round < 3; round++) {
    for (const [number, replica] of [ann, bob].entries()) {
      for (const pack of room.packs()) await replica.receive(pack);
      for (const key of ['a', 'b']) {
        replica.text(`${key}/text`).insert(0, `${key}${number}${round} `);
        replica.set(`${key}/register`, `${number} ${round}`);
        replica.list(`${key}/list`).push(number, round);
      }
      await push(replica, room);
    }
  }
  return [ann, bob];
}

const documentOf = (replica: Replica, key: string): unknown => [
  replica.text(`${key}/text`).toString(),
  replica.get(`${key}/register`),
  replica.list(`${key}/list`).toArray(),
];

describe('a pack with headers', () => {
  it('[HD1] shows a reader some keys whole, and where all nodes stand', async () => {
    const room = await newRoom();
    const [ann] = await written(room);
    const reader = await join(room);
    const verdict = await reader.receive(await sightOf(room, 'a/'));
    expect(verdict.refused).toEqual([]);
    for (const pack of room.packs()) await ann.receive(pack);
    expect(documentOf(reader, 'a')).toEqual(documentOf(ann, 'a'));
    expect(documentOf(reader, 'b')).toEqual(['', undefined, []]);
    expect(reader.frontier).toEqual(room.heads.frontier);
    expect(reader.withheld).toBe(24);
  });

  it('[PK11] names each node by its id and says nothing of what it holds', async () => {
    const room = await newRoom();
    await written(room);
    const pack = await sightOf(room, 'a/');
    const shown = decodePack(pack);
    const whole = [...room.packs()].flatMap((bytes) => decodePack(bytes).nodes);
    expect(shown.nodes.map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
    expect(shown.nodes.map(({ counter }) => counter)).toEqual(whole.map(({ counter }) => counter));
    const keys = new Set(shown.nodes.flatMap(({ ops }) => ops.map(({ key }) => key)));
    expect([...keys].filter((key) => key.startsWith('b/'))).toEqual([]);
    expect(encodePack(shown)).toEqual(pack); // so there is nothing else in it
    const headers = shown.nodes.filter(({ withheld }) => withheld !== undefined);
    expect(headers.every(({ ops, wallMs }) => ops.length === 0 && wallMs === undefined)).toBe(true);
  });

  it('[HD3] lets its reader write on, where others take it', async () => {
    const room = await newRoom();
    await written(room);
    const reader = await join(room);
    await reader.receive(await sightOf(room, 'a/'));
    const size = room.seq;
    reader.text('a/text').insert(3, 'R');
    reader.set('b/register', 'unseen');
    await push(reader, room);
    expect([room.seq, room.text('a/text').slice(0, 6), room.get('b/register')]).toEqual([size + 2, 'a12R a', 'unseen']);
    expect(reader.text('a/text').toString()).toBe(room.text('a/text'));
  });

  it('[HD3] may be followed by the whole: nodes known by their headers are filled in', async () => {
    const room = await newRoom();
    const [ann] = await written(room);
    const reader = await join(room);
    await reader.receive(await sightOf(room, 'a/'));
    const [text, list] = [reader.text('b/text'), reader.list('b/list')];
    reader.set('a/own', 1);
    for (const pack of room.packs()) expect((await reader.receive(pack)).refused).toEqual([]);
    await push(reader, room);
    for (const pack of room.packs()) await ann.receive(pack);
    expect([text.toString(), list.toArray()]).toEqual([ann.text('b/text').toString(), ann.list('b/list').toArray()]);
    expect([reader.withheld, reader.stateHash]).toEqual([0, ann.stateHash]);
    text.insert(0, 'on ');
    await push(reader, room);
    expect(room.text('b/text')).toBe(text.toString());
  });

  it('[HD3] is part of what a replica saves', async () => {
    const room = await newRoom();
    await written(room);
    const keys = generateKeys();
    const reader = await createReplica({ genesis: room.genesis.pack, keys });
    await reader.receive(await sightOf(room, 'a/'));
    const opened = await createReplica({ saved: reader.save(), keys });
    expect(documentOf(opened, 'a')).toEqual(documentOf(reader, 'a'));
    expect([opened.stateHash, opened.withheld]).toEqual([reader.stateHash, 24]);
    for (const pack of room.packs()) await opened.receive(pack);
    expect([opened.withheld, opened.text('b/text').toString()]).toEqual([0, room.text('b/text')]);
  });

  it('[HD2] needs the word of an authority of the room', async () => {
    const room = await newRoom();
    await written(room);
    const stranger = crypto.signer(fromHex(generateKeys().seed));
    const reader = await join(room);
    const { refused } = await reader.receive(await sightOf(room, 'a/', stranger));
    expect(new Set(refused.map(({ reason }) => reason))).toEqual(new Set(['unattested', 'run-refused']));
    expect(reader.withheld).toBe(0);
    expect((await reader.receive(await sightOf(room, 'a/'))).refused).toEqual([]);
  });

  it('[HD2] is refused when any of its bytes was changed', async () => {
    const room = await newRoom();
    const ann = await join(room);
    ann.set('a', 1);
    ann.set('b', 2);
    ann.set('a', 3);
    await push(ann, room);
    const pack = decodePack(await sightOf(room, 'a', authority, 1));
    const { nodes, seals, attestation } = pack;
    const reader = await join(room);
    const header = nodes.find(({ withheld }) => withheld !== undefined);
    const forged = [
      { nodes: nodes.map((node) => (node === header ? { ...node, withheld: 1 } : node)), seals, attestation },
      { nodes, seals, attestation: { ...attestation, signature: attestation!.signature.map((byte) => byte ^ 1) } },
    ];
    for (const one of forged) {
      const { refused } = await reader.receive(encodePack(one as typeof pack));
      expect(refused.some(({ reason }) => reason === 'unattested' || reason === 'bad-signature')).toBe(true);
      expect(reader.withheld).toBe(0);
    }
    const bytes = encodePack(pack);
    for (let at = 0; at < bytes.length; at++) {
      const damaged = bytes.slice();
      damaged[at]! ^= 1;
      await expect(reader.receive(damaged)).rejects.toThrow(DecodeError);
    }
  });

  it('[HD2] is refused by a server', async () => {
    const room = await newRoom();
    await written(room);
    const other = await newRoom();
    const { accepted, refused } = await other.admit(await sightOf(room, 'a/'), { from: 'peer' });
    expect(refused.some(({ reason }) => reason === 'unattested')).toBe(true);
    expect([accepted, other.seq]).toEqual([0, 0]);
  });

  it('[HD2] is refused when a node turns out to be another one than its header said', async () => {
    const room = await newRoom();
    const ann = await join(room);
    ann.text('b').insert(0, 'four');
    await push(ann, room);
    const { graph, seals } = heldBy(room);
    graph.table.withheld.set(1, -1); // what the authority says: three in place of four
    const lie = await partialPack(graph, rangeOf(1, 2), seals, { has: () => true }, authority);
    const reader = await join(room);
    expect((await reader.receive(lie)).refused).toEqual([]);
    const reasons = [];
    for (const pack of room.packs()) reasons.push(...(await reader.receive(pack)).refused.map(({ reason }) => reason));
    expect([reasons, reader.withheld]).toEqual([['unattested'], 1]);
  });

  it('[HD2] is refused when a node turns out to stand on another one than its header said', async () => {
    const room = await newRoom();
    const keys = generateKeys();
    for (const key of ['a', 'b']) {
      const device = await createReplica({ genesis: room.genesis.pack, keys });
      device.set(key, 1);
      await push(device, room);
    }
    const { graph, seals } = heldBy(room);
    const { prev } = graph.table;
    expect([prev.get(1), prev.get(2)]).toEqual([NONE, NONE]);
    prev.values[2 - prev.start] = 1; // what the authority says: the one device has gone on from the other
    const lie = await partialPack(graph, rangeOf(1, 3), seals, { has: (node) => node === 2 }, authority);
    const reader = await join(room);
    expect((await reader.receive(lie)).refused).toEqual([]);
    expect(reader.withheld).toBe(1);
    const reasons = [];
    for (const pack of room.packs()) reasons.push(...(await reader.receive(pack)).refused.map(({ reason }) => reason));
    expect([reasons, reader.withheld]).toEqual([['unattested'], 1]);
  });

  it('[FK2] proves no fork', async () => {
    const room = await newRoom();
    await written(room);
    expect(await verifyForkProof(await sightOf(room, 'a/'), crypto)).toBeUndefined();
  });

  it('[HD1] waits like any other node for what it stands on', async () => {
    const room = await newRoom();
    const [ann] = await written(room);
    const reader = await join(room);
    const late = await sightOf(room, 'a/', authority, 9);
    expect((await reader.receive(late)).refused.length).toBeGreaterThan(0);
    const { graph, seals } = heldBy(room);
    const whole = await partialPack(graph, rangeOf(1, 9), seals, { has: (node) => node % 2 === 0 }, authority);
    await reader.receive(whole);
    for (const pack of room.packs()) await ann.receive(pack);
    expect(reader.frontier).toEqual(room.heads.frontier);
    for (const pack of room.packs()) await reader.receive(pack);
    expect(reader.stateHash).toBe(ann.stateHash);
  });

  it('[HD3] whatever is shown first, and in however many steps the rest comes, the end is the same', async () => {
    const room = await newRoom();
    const [ann] = await written(room);
    for (const pack of room.packs()) await ann.receive(pack);
    const { graph, seals } = heldBy(room);
    const steps = fc.array(fc.uniqueArray(fc.nat({ max: graph.size - 1 }), { maxLength: graph.size }), {
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (hidden) => {
        const reader = await join(room);
        for (const some of [...hidden, []]) {
          const withheld = new Set(some.filter((node) => node > 0));
          await reader.receive(await partialPack(graph, rangeOf(0, graph.size), seals, withheld, authority));
        }
        expect([reader.withheld, reader.stateHash, reader.frontier]).toEqual([0, ann.stateHash, ann.frontier]);
      }),
      { numRuns: 15 },
    );
  });
});
