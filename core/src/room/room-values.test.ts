import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { levelStore } from '../adapters/level/level-store.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import type { Replica } from '../client/replica/replica.js';
import { toHex } from '../codec/bytes/bytes.js';
import { decodePack } from '../codec/packs/plain-pack.js';
import { BlobRef } from '../crdt/registers.js';
import { type Host, createHost } from '../engine.js';
import { RUN_NODES } from '../graph/seal.js';
import { createReplica, generateKeys } from '../peer.js';
import type { Room } from './room.js';

const replicaOf = (room: Room, keys = generateKeys()): Promise<Replica> =>
  createReplica({ genesis: room.genesis.pack, keys });
const valuesOf = (room: Room) => ({
  text: room.text('doc'),
  other: room.text('other'),
  list: room.list('doc'),
  entries: [...room.entries()],
  heads: room.heads,
});

async function push(replica: Replica, room: Room): Promise<void> {
  const pack = await replica.seal();
  if (!pack) throw new Error('there is nothing to push');
  expect((await room.admit(pack, { from: 'peer' })).refused).toEqual([]);
  replica.confirm();
}

/** What the room has that the replica has not. */
async function pull(replica: Replica, room: Room): Promise<void> {
  for (const pack of room.packs(replica.frontier)) expect((await replica.receive(pack)).refused).toEqual([]);
}

/** Two devices of one author and somebody else write to one text and one list of the room. */
async function fill(room: Room): Promise<void> {
  const keys = generateKeys();
  const writers = [await replicaOf(room, keys), await replicaOf(room, keys), await replicaOf(room)];
  for (let round = 0; round < 6; round++) {
    for (const [number, replica] of writers.entries()) {
      const [text, list] = [replica.text('doc'), replica.list('doc')];
      text.insert((round * 5) % (text.length + 1), `${number}-${round}€ `);
      if (round % 2 === 1) text.delete(0, 2);
      list.push(`${number}-${round}`, round);
      if (list.length > 3) list.move(0, 2);
      if (list.length > 6) list.delete(4);
      replica.set('doc', round);
    }
    for (const replica of writers) await push(replica, room);
    await room.set('server', round);
    if (round !== 2) for (const replica of writers) await pull(replica, room);
  }
}

describe('a room’s texts and lists', () => {
  it('[MP2] are those of the replicas that pushed to it, and of a newcomer', async () => {
    const room = await createHost({ store: memoryStore() }).room('room');
    await fill(room);
    const newcomer = await replicaOf(room);
    await pull(newcomer, room);
    expect(room.text('doc')).toContain('2-5€ ');
    expect(room.text('doc')).toBe(newcomer.text('doc').toString());
    expect(room.list('doc')).toEqual(newcomer.list('doc').toArray());
    expect(room.list('doc').length).toBeGreaterThan(10);
    newcomer.text('doc').delete(0, newcomer.text('doc').length);
    await push(newcomer, room);
    expect(room.text('doc')).toBe('');
  });

  it('[ST4] are the same after a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'weft-values-'));
    const opened: Host[] = [];
    onTestFinished(async () => {
      for (const host of opened) await host.close();
      await rm(folder, { recursive: true });
    });
    const open = (): Promise<Room> => {
      const host = createHost({ store: levelStore(folder) });
      opened.push(host);
      return host.room('room');
    };
    const room = await open();
    await fill(room);
    const before = valuesOf(room);
    await opened.pop()?.close();
    const reopened = await open();
    expect(valuesOf(reopened)).toEqual(before);
    // Whoever was there before goes on, and so does a replica that only knows the old history.
    const replica = await replicaOf(reopened);
    await pull(replica, reopened);
    replica.text('doc').insert(0, 'after the restart ');
    await push(replica, reopened);
    expect(reopened.text('doc')).toBe(`after the restart ${before.text}`);
  });

  it('[MP4] are apart from the register of their key; a register may name a blob', async () => {
    const room = await createHost({ store: memoryStore() }).room('room');
    const replica = await replicaOf(room);
    const hash = 'ab'.repeat(32);
    replica.setBlob('doc', hash);
    replica.text('doc').insert(0, 'text');
    replica.list('doc').push('item');
    await push(replica, room);
    expect([room.get('doc'), room.text('doc'), room.list('doc')]).toEqual([new BlobRef(hash), 'text', ['item']]);
    expect([...replica.entries('doc')]).toEqual([['doc', new BlobRef(hash)]]);
    for (const wrong of ['', 'ab', 'ab'.repeat(33), 'x'.repeat(64)]) {
      expect(() => replica.setBlob('doc', wrong), wrong).toThrow();
      expect(replica.get('doc')).toEqual(new BlobRef(hash));
    }
    expect(await replica.seal()).toBeUndefined();
    await room.set('doc', 'plain');
    expect([room.get('doc'), room.text('doc'), room.list('doc')]).toEqual(['plain', 'text', ['item']]);
  });

  it('[MP3] are not among the registers, and asking for one makes none', async () => {
    const room = await createHost({ store: memoryStore() }).room('room');
    const replica = await replicaOf(room);
    replica.text('doc').insert(0, 'a');
    await push(replica, room);
    const heads = room.heads;
    expect([room.text('never'), room.list('never'), room.get('doc')]).toEqual(['', [], undefined]);
    expect([...room.entries()].map(([key]) => key)).toEqual([]);
    expect(room.heads).toEqual(heads);
  });
});

describe('history', () => {
  it('[PK9] has the last seal of each chain alone, and runs longer than a server would take of a peer', async () => {
    const room = await createHost({ store: memoryStore() }).room('room');
    const [one, two] = [await replicaOf(room), await replicaOf(room)];
    const edits = RUN_NODES + 200;
    for (const replica of [one, two]) {
      for (let i = 0; i < edits; i++) {
        replica.text('doc').insert(0, '.');
        if (i % 300 === 0) await push(replica, room);
      }
      await push(replica, room);
    }
    const newcomer = await replicaOf(room);
    for (const pack of room.packs()) {
      const { nodes, seals } = decodePack(pack);
      const lastOf = new Map(nodes.map(({ author }, index) => [toHex(author), index]));
      expect(seals.map(({ index }) => index)).toEqual([...lastOf.values()].sort((a, b) => a - b));
      expect((await newcomer.receive(pack)).refused).toEqual([]);
    }
    expect(newcomer.text('doc').length).toBe(2 * edits);
    expect(newcomer.frontier).toEqual(room.heads.frontier);
    const [{ nodes, seals }] = [...room.packs()].map((pack) => decodePack(pack)) as [ReturnType<typeof decodePack>];
    expect(nodes.length).toBeGreaterThan(2 * RUN_NODES);
    expect(seals).toHaveLength(3);
  });

  it('[PK9] seals both branches of a fork, wherever the peer stands', async () => {
    const room = await createHost({ store: memoryStore() }).room('room');
    const keys = generateKeys();
    const [here, there] = [await replicaOf(room, keys), await replicaOf(room, keys)];
    const early = await replicaOf(room);
    here.text('doc').insert(0, 'base ');
    await push(here, room);
    for (const replica of [there, early]) await pull(replica, room);
    for (let i = 0; i < 3; i++) {
      here.text('doc').insert(0, `here${i} `);
      there.text('doc').insert(0, `there${i} `);
      for (const replica of [there, here]) await push(replica, room);
    }
    const late = await replicaOf(room);
    for (const replica of [early, late, here, there]) {
      await pull(replica, room);
      expect(replica.text('doc').toString()).toBe(room.text('doc'));
    }
    for (const word of ['base', 'here2', 'there2']) expect(room.text('doc')).toContain(word);
  });
});
