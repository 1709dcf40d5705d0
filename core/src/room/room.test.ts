import { describe, expect, it } from 'vitest';
import { defaultCrypto } from '../adapters/crypto/default.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { toHex } from '../codec/bytes/bytes.js';
import { encodeValue } from '../codec/bytes/msgpack.js';
import type { Op } from '../codec/nodes/op.js';
import { allOf } from '../codec/nodes/places.js';
import { PACK_BOUNDS, openPack, writePack } from '../codec/packs/pack.js';
import { decodePack, encodePack } from '../codec/packs/plain-pack.js';
import { NO_ROOM, nameOf } from '../graph/node.js';
import { type RoomId, parseRoomId } from '../codec/bytes/room-id.js';
import { sealMessage } from '../graph/seal.js';
import { identify, tableOf } from '../graph/testing/nodes.js';
import { createReplica, generateKeys } from '../peer.js';
import { systemClock } from '../ports/clock.js';
import type { LogRecord, NodeLog, Store } from '../ports/store.js';
import { silent } from '../ports/telemetry.js';
import { Rejection } from '../rejection.js';
import { altered } from '../testing/altered.js';
import { keyOf, signerOf } from '../testing/story.js';
import { Room } from './room.js';
import type { Commit } from './writing/commit.js';
import type { Decision } from './writing/decision.js';

async function openRoom(store: Store = memoryStore(), name = 'room') {
  const signer = defaultCrypto.signer(await store.authoritySeed());
  const faults: unknown[] = [];
  const onFault = (error: unknown): void => void faults.push(error);
  const id = parseRoomId(name) ?? ('' as RoomId);
  const parts = {
    id,
    log: store.log,
    images: store.images,
    crypto: defaultCrypto,
    signer,
    telemetry: silent,
    clock: systemClock,
    onFault,
  };
  return { room: await Room.open(parts), faults, signer, id };
}
const put =
  (key: string, value: unknown = 1) =>
  (): Decision<undefined> => ({ writes: [{ key, value }], result: undefined });
async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
const replicaOf = (room: Room) => createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
const sealedPack = async (replica: Awaited<ReturnType<typeof replicaOf>>) => (await replica.seal()) ?? new Uint8Array();

describe('a room’s beginning', () => {
  it('[GN1] is one sealed node of zeros, by the authority, that names room, authorities and nonce', async () => {
    const { room, signer } = await openRoom();
    const { nodes, seals } = decodePack(room.genesis.pack);
    const [node] = nodes;
    expect([nodes.length, toHex(node?.room ?? new Uint8Array()), node?.parents, node?.prev]).toEqual([
      1,
      '00'.repeat(32),
      [],
      undefined,
    ]);
    expect(toHex(node?.author ?? new Uint8Array())).toBe(signer.publicKey);
    expect(node?.ops.map(({ key }) => key)).toEqual(['\0genesis']);
    expect(
      await defaultCrypto.verify(
        signer.publicKey,
        sealMessage(openPack(room.genesis.pack).table, 0),
        seals[0]?.signature ?? new Uint8Array(),
      ),
    ).toBe(true);
    await room.transact(put('k'));
    expect(room.get('\0genesis')).toEqual({
      room: 'room',
      authorities: [signer.publicKey],
      nonce: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
  });

  it('[GN1] is named as room by every other node', async () => {
    const { room } = await openRoom();
    await room.transact(put('a'));
    await room.transact(put('b'));
    const nodes = [...room.packs()].flatMap((pack) => decodePack(pack).nodes);
    expect(nodes.map((node) => toHex(node.room))).toEqual(['00'.repeat(32), room.genesis.id, room.genesis.id]);
  });

  it('[GN2] is the same after a restart, written or not, and another for another room or key', async () => {
    const store = memoryStore();
    const { room } = await openRoom(store);
    const { genesis } = (await openRoom(store)).room;
    expect(genesis).toEqual(room.genesis);
    await room.transact(put('k'));
    expect((await openRoom(store)).room.genesis).toEqual(genesis);
    expect((await openRoom(store, 'other')).room.genesis.id).not.toBe(genesis.id);
    expect((await openRoom()).room.genesis.id).not.toBe(genesis.id);
  });

  it('[GN3] is the log’s first node, and there is no log before the first durable one', async () => {
    const store = memoryStore();
    const { room, id } = await openRoom(store);
    expect([await store.log.head(id), room.seq, room.heads.frontier]).toEqual([0, 0, []]);
    await room.transact(put('k'));
    const [record] = await all(store.log.read(id, 0));
    expect([record?.seq, record?.count]).toEqual([0, 2]);
    expect(toHex(decodePack(record?.pack ?? new Uint8Array()).nodes[0]?.id ?? new Uint8Array())).toBe(room.genesis.id);
  });

  it('[GN3] counts as nothing until then: the room has no heads, and the hash of nothing', async () => {
    const { room } = await openRoom(memoryStore());
    const replica = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
    const { room: other } = await openRoom(memoryStore(), 'other');
    expect([room.seq, room.stateHash]).toEqual([0, other.stateHash]);
    await room.establish();
    expect([room.seq, room.heads.frontier, room.stateHash]).toEqual([1, replica.frontier, replica.stateHash]);
  });

  it('[GN3] is not stored for a pack of which nothing is taken', async () => {
    const store = memoryStore();
    const { room, id } = await openRoom(store);
    const verdict = await room.admit(room.genesis.pack, { from: 'peer' });
    expect(verdict.refused).toEqual([]);
    expect(await store.log.head(id)).toBe(0);
  });

  it('[GN1] is nothing that only has its key: whoever sends such a node is refused, whatever it holds', async () => {
    const { room } = await openRoom();
    await room.set('k', 1);
    const said: unknown[] = [null, 1, 'room', [], {}, { room: 'room' }, { room: 'room', authorities: null }];
    for (const value of said) {
      const ops: Op[] = [{ kind: 'set', key: '\0genesis', value: encodeValue(value) }];
      const node = identify({ room: NO_ROOM, author: keyOf('somebody'), parents: [], ops });
      const table = tableOf([node]);
      const signature = await signerOf('somebody').sign(sealMessage(table, 0));
      const verdict = await room.admit(writePack(table, allOf(1), [{ index: 0, signature }]), { from: 'peer' });
      expect(verdict.refused, JSON.stringify(value)).toEqual([{ id: node.id, reason: 'wrong-room' }]);
    }
    expect(room.get('k')).toBe(1);
  });

  it('[GN1] is refused from the log of another room', async () => {
    const store = memoryStore();
    const { room } = await openRoom(store, 'one');
    await room.transact(put('k'));
    const read: NodeLog['read'] = (_, from) => store.log.read('one' as RoomId, from);
    const head: NodeLog['head'] = () => store.log.head('one' as RoomId);
    const swapped: Store = { ...store, log: altered(store.log, { read, head }) };
    await expect(openRoom(swapped, 'other')).rejects.toThrow('has no genesis');
  });
});

describe('a log of which the end is lost', () => {
  it('[ST8] is refused when its room opens', async () => {
    const store = memoryStore();
    const { room, id } = await openRoom(store);
    for (const key of ['k', 'l', 'm']) await room.transact(put(key));
    const read: NodeLog['read'] = (_, from) => only(store.log.read(id, from), room.seq - 1);
    const shorter: Store = { ...store, log: altered(store.log, { read }) };
    await expect(openRoom(shorter)).rejects.toMatchObject({
      fault: 'damaged',
      message: expect.stringContaining('has 4 nodes, and can be read up to 3'),
    });
  });

  it('[ST8] is found by a write to a room that is open', async () => {
    const store = memoryStore();
    const { room, id } = await openRoom(store);
    await room.transact(put('k'));
    let head = room.seq;
    const moved: Store = { ...store, log: altered(store.log, { append: async () => ({ movedTo: (head += 1) }) }) };
    const { room: other } = await openRoom(moved);
    await expect(other.transact(put('l'))).rejects.toMatchObject({ fault: 'damaged' });
    expect(await store.log.head(id)).toBe(2);
  });
});

async function* only(records: AsyncIterable<LogRecord>, end: number): AsyncIterable<LogRecord> {
  for await (const record of records) if (record.seq + record.count <= end) yield record;
}

describe('transactMany', () => {
  it('[ST3] stores a node for each write, all by one append, and refuses one that cannot be stored by itself', async () => {
    const appended: number[] = [];
    const { room } = await openRoom();
    room.onCommit(({ from, to }) => appended.push(to - from));
    await room.transact(put('first'));
    const result = await room.transactMany((write) => {
      expect(room.get('first')).toBeDefined();
      expect(write([{ key: 'a', value: 1 }])).toBe(true);
      expect(() => write([{ key: 'half: \ud800', value: 1 }])).toThrow(Rejection);
      expect(
        write([
          { key: 'b', value: 2 },
          { key: 'c', value: 3 },
        ]),
      ).toBe(true);
      expect(room.get('a')).toBeUndefined();
      return 'done';
    });
    expect([result, room.get('a'), room.get('b'), room.get('c')]).toEqual(['done', 1, 2, 3]);
    expect(appended).toEqual([2, 2]);
    expect(room.heads.frontier).toHaveLength(1);
  });

  it('says when there is no room for more', async () => {
    const { room } = await openRoom();
    const value = 'x'.repeat(900 * 1024);
    let written = 0;
    await room.transactMany((write) => {
      while (write([{ key: `k${written++}`, value }])) expect(written).toBeLessThan(20);
    });
    expect(written).toBeGreaterThan(6);
    expect(room.get(`k${written - 1}`)).toBe(value);
  });
});

describe('transact', () => {
  it('[ST3] stores the writes as one sealed node on all heads', async () => {
    const { room, signer } = await openRoom();
    const [one, two] = [await replicaOf(room), await replicaOf(room)];
    one.set('a', 1);
    two.set('b', 2);
    await room.admit(await sealedPack(one), { from: 'peer' });
    await room.admit(await sealedPack(two), { from: 'peer' });
    expect(room.heads.frontier).toHaveLength(2);
    const { nodeId, seq } = await room.transact(() => ({
      writes: [
        { key: 'c', value: 3 },
        { key: 'a', value: undefined },
      ],
      result: 0,
    }));
    expect([room.heads.frontier, seq, room.seq]).toEqual([[nodeId], 4, 4]);
    expect([...room.entries()]).toEqual([
      ['b', 2],
      ['c', 3],
    ]);
    // What the room keeps of itself is there for who asks for it by name.
    expect([...room.entries('\0')].map(([key]) => key)).toContain('\0genesis');
    const last = openPack([...room.packs()].at(-1) ?? new Uint8Array());
    const seal = last.seals.at(-1);
    expect(nameOf(last.table, seal?.index ?? 0)).toBe(nodeId);
    expect(
      await defaultCrypto.verify(
        signer.publicKey,
        sealMessage(last.table, seal?.index ?? 0),
        seal?.signature ?? new Uint8Array(),
      ),
    ).toBe(true);
  });

  it('[ST3] stores nothing when the decision throws, and the next one goes on', async () => {
    const { room } = await openRoom();
    const refused = room.transact(() => {
      throw new Rejection('full', 'no more');
    });
    const taken = room.transact(put('k'));
    await expect(refused).rejects.toMatchObject({ reason: 'full' });
    await taken;
    expect(room.seq).toBe(2);
  });

  it.each<[string, string, unknown]>([
    ['an empty key', '', 1],
    ['a key with a lone surrogate', 'a\ud800', 1],
    ['a key beyond 4,096 bytes', 'k'.repeat(4097), 1],
    ['a function', 'k', () => 1],
    ['a symbol', 'k', Symbol('s')],
    ['a value beyond 1 MiB', 'k', new Uint8Array(1024 * 1024)],
  ])('[ND5] refuses %s before anything is stored', async (_, key, value) => {
    const { room } = await openRoom();
    await expect(room.transact(put(key, value))).rejects.toMatchObject({ name: 'Rejection', reason: 'invalid-value' });
    expect(room.seq).toBe(0);
  });

  it('[ND4] stores no value that a restart cannot read', async () => {
    const store = memoryStore();
    const { room } = await openRoom(store);
    let nested: unknown = 1;
    for (let depth = 0; depth < 80; depth++) nested = [nested];
    await room.transact(put('deep', nested)).catch(() => undefined);
    await room.transact(put('k'));
    const { room: reopened } = await openRoom(store);
    expect(reopened.heads).toEqual(room.heads);
  });

  it('[ST4] stores no record that a restart cannot read, however much waited together', async () => {
    const store = memoryStore();
    const { room } = await openRoom(store);
    const value = new Uint8Array(1_000_000);
    const count = Math.ceil(PACK_BOUNDS.inflatedBytes / value.length) + 1;
    await Promise.all(Array.from({ length: count }, (_, i) => room.transact(put(`k${i}`, value))));
    const { room: reopened } = await openRoom(store);
    expect(reopened.seq).toBe(room.seq);
  });
});

describe('history', () => {
  const value = new Uint8Array(1_000_000);
  const most = Math.ceil(PACK_BOUNDS.inflatedBytes / value.length) + 1;

  it('[HS5] is sent in packs that every peer can read, however large the values', async () => {
    const { room } = await openRoom();
    for (let i = 0; i < most; i++) await room.transact(put(`k${i}`, value));
    const replica = await replicaOf(room);
    for (const pack of room.packs()) expect((await replica.receive(pack)).refused).toEqual([]);
    expect(replica.frontier).toEqual(room.heads.frontier);
  });

  it('[HS5] is sent in packs that every peer can read, also where a great pack shared its append with others', async () => {
    const { room } = await openRoom();
    const writer = await replicaOf(room);
    for (let i = 0; i < most - 2; i++) writer.set(`great${i}`, value);
    const great = await sealedPack(writer);
    await Promise.all([room.admit(great, { from: 'peer' }), ...later(room, value.subarray(0, 50_000))]);
    const replica = await replicaOf(room);
    for (const pack of room.packs()) expect((await replica.receive(pack)).refused).toEqual([]);
    expect(replica.frontier).toEqual(room.heads.frontier);
  });
});

describe('what a peer may send', () => {
  /** Nodes by one author, sealed, with whatever value bytes a test likes. */
  async function pushRaw(room: Room, ...values: Uint8Array[]) {
    const keys = generateKeys();
    const replica = await createReplica({ genesis: room.genesis.pack, keys });
    replica.set('good', 1);
    const { nodes } = decodePack(await sealedPack(replica));
    const changed = nodes.map((node) => ({
      ...node,
      ops: values.map((value, i): Op => ({ kind: 'set', key: `v${i}`, value })),
    }));
    const { table } = openPack(encodePack({ nodes: changed, seals: [] }));
    const signature = await defaultCrypto.signer(Buffer.from(keys.seed, 'hex')).sign(sealMessage(table, 0));
    return room.admit(writePack(table, allOf(1), [{ index: 0, signature }]), { from: 'peer' });
  }

  it.each([
    ['a map with a nil key', [0x81, 0xc0, 0x01]],
    ['a map with the key __proto__', [0x81, 0xa9, ...Buffer.from('__proto__'), 0x01]],
    ['a timestamp of five bytes', [0xc7, 0x05, 0xff, 0, 0, 0, 0, 0]],
    [
      'a timestamp out of range',
      [0xc7, 0x0c, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    ],
    ['text that is not UTF-8', [0xa2, 0xc3, 0x28]],
    ['an unknown extension', [0xd4, 0x63, 0x00]],
  ])('[ND4] is refused or can be read: %s', async (_, bytes) => {
    const { room, faults } = await openRoom();
    const seen: unknown[] = [];
    room.onCommit(({ entries }) => seen.push(entries));
    await pushRaw(room, Uint8Array.from(bytes)).catch(() => undefined);
    await room.transact(put('after'));
    expect(() => [...room.entries()]).not.toThrow();
    await expect(all(room.history())).resolves.toHaveLength(room.seq);
    expect(faults).toEqual([]);
  });

  it('[MP1] keeps a value’s bytes as they were sent', async () => {
    const { room } = await openRoom();
    const long = Uint8Array.of(0xcd, 0x00, 0x05);
    expect((await pushRaw(room, long)).refused).toEqual([]);
    const sent = [...room.packs()].flatMap((pack) => decodePack(pack).nodes).flatMap(({ ops }) => ops);
    expect(sent.find(({ key }) => key === 'v0')).toEqual({ kind: 'set', key: 'v0', value: long });
    expect(room.get('v0')).toBe(5);
  });
});

/** Writes that arrive over many turns, so that some of them wait together with a pack whose seal is being checked. */
function later(room: Room, turn: unknown): Promise<unknown>[] {
  return Array.from({ length: 30 }, async (_, delay) => {
    for (let i = 0; i < delay; i++) await Promise.resolve();
    await room.transact(put(`later/${delay}`, turn));
  });
}

describe('followers', () => {
  it('[ST3] go on after one of them threw, and so does the room', async () => {
    const { room, faults } = await openRoom();
    const bug = new Error('a bug of the follower');
    room.onCommit(() => {
      throw bug;
    });
    const seen: number[] = [];
    const stop = room.onCommit(({ entries }: Commit) => seen.push(...entries.map(({ seq }) => seq)));
    await room.transact(put('a'));
    await room.transact(put('b'));
    stop();
    await room.transact(put('unheard'));
    expect(seen).toEqual([0, 1, 2]);
    expect(faults).toEqual([bug, bug, bug]);
    expect(room.get('unheard')).toBe(1);
  });

  it('[ST3] hear of every node once and in log order, also of a batch with several origins', async () => {
    const { room } = await openRoom();
    const replica = await replicaOf(room);
    replica.set('p', 1);
    const pack = await sealedPack(replica);
    await room.transact(put('a'));
    const seen: number[] = [];
    room.onCommit(({ entries }) => seen.push(...entries.map(({ seq }) => seq)));
    // The pack's seal is checked first, so a write that waits for the same append may stand before it in the log.
    const mixed = room.admit(pack, { from: 'peer' });
    for (let turn = 0; turn < 20; turn++)
      await Promise.all([room.transact(put(`b${turn}`)), room.transact(put(`c${turn}`))]);
    await mixed;
    for (let turn = 0; turn < 20; turn++) {
      replica.set('p', turn);
      const again = await sealedPack(replica);
      await Promise.all([room.transact(put('d', turn)), room.admit(again, { from: 'peer' }), ...later(room, turn)]);
    }
    expect(seen).toEqual(Array.from({ length: room.seq - 2 }, (_, i) => i + 2));
  });

  it('[PK8] get each origin’s nodes apart, as packs that a replica can merge in that order', async () => {
    const { room } = await openRoom();
    const follower = await replicaOf(room);
    const commits: Commit[] = [];
    room.onCommit((commit) => commits.push(commit));
    const [one, two] = [await replicaOf(room), await replicaOf(room)];
    for (const [replica, name] of [
      [one, 'one'],
      [two, 'two'],
    ] as const)
      for (let i = 0; i < 3; i++) replica.set(`${name}/${i}`, i);
    const packs = [await sealedPack(one), await sealedPack(two)];
    await Promise.all([
      ...packs.map((pack, i) => room.admit(pack, { from: `peer ${i}`, session: `s${i}` })),
      room.transact(put('own')),
    ]);
    const parts = commits.flatMap((commit) => commit.parts);
    expect(new Set(parts.map(({ origin }) => origin.from))).toEqual(new Set(['server', 'peer 0', 'peer 1']));
    for (const { pack } of parts) expect((await follower.receive(pack)).refused).toEqual([]);
    expect([...follower.entries('')]).toEqual([...room.entries('')]);
    expect(follower.frontier).toEqual(room.heads.frontier);
  });
});
