import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../adapters/memory/memory-store.js';
import { decodePack, encodePack } from '../../codec/packs/plain-pack.js';
import { createHost } from '../../engine.js';
import { createReplica, generateKeys } from '../../peer.js';
import type { Room } from '../../room/room.js';
import type { Replica } from './replica.js';

const newRoom = (): Promise<Room> => createHost({ store: memoryStore() }).room('room');
const join = (room: Room, keys = generateKeys()): Promise<Replica> =>
  createReplica({ genesis: room.genesis.pack, keys });
const sealed = async (replica: Replica): Promise<Uint8Array> =>
  (await replica.seal()) ?? encodePack({ nodes: [], seals: [] });
const push = async (replica: Replica, room: Room) => room.admit(await sealed(replica), { from: 'peer' });
const entries = (of: Pick<Replica, 'entries'>): unknown[] => [...of.entries()];
const putter = (room: Room, key: string, value: unknown): Promise<unknown> =>
  room.transact(() => ({ writes: [{ key, value }], result: undefined }));

describe('a replica', () => {
  it('[RE1] shows its own writes at once, and seals them all at the end', async () => {
    const replica = await join(await newRoom());
    replica.set('b', 1);
    replica.set('a', { deep: [1, 2] });
    replica.set('c', 1);
    replica.delete('c');
    expect(entries(replica)).toEqual([
      ['a', { deep: [1, 2] }],
      ['b', 1],
    ]);
    expect([replica.get('c'), [...replica.entries('a')].length]).toEqual([undefined, 1]);
    const { nodes, seals } = decodePack(await sealed(replica));
    expect([nodes.length, seals.map(({ index }) => index)]).toEqual([4, [3]]);
  });

  it('[MP4] resolves a key to what it holds of each kind', async () => {
    const room = await newRoom();
    const replica = await join(room);
    expect(replica.resolve('k')).toEqual({});
    replica.set('k', 1);
    replica.text('k').insert(0, 'text');
    replica.list('k').push('a', 'b');
    replica.set('gone', 1);
    replica.delete('gone');
    await push(replica, room);
    for (const held of [replica, room]) {
      expect(held.resolve('k')).toEqual({ value: 1, text: 'text', list: ['a', 'b'] });
      expect(held.resolve('gone')).toEqual({});
    }
  });

  it('[RE1] offers what it wrote until it is confirmed, under the same seals', async () => {
    const replica = await join(await newRoom());
    replica.set('a', 1);
    const first = await sealed(replica);
    expect(await sealed(replica)).toEqual(first);
    replica.set('b', 2);
    const both = decodePack(await sealed(replica));
    expect([both.nodes.length, both.seals.map(({ index }) => index)]).toEqual([2, [0, 1]]);
    expect(both.seals[0]?.signature).toEqual(decodePack(first).seals[0]?.signature);
    replica.set('c', 3);
    replica.confirm();
    expect(decodePack(await sealed(replica)).nodes).toHaveLength(1);
    replica.confirm();
    expect(await replica.seal()).toBeUndefined();
  });

  it('[SL2] closes a run every 1,024 nodes', async () => {
    const room = await newRoom();
    const replica = await join(room);
    for (let i = 0; i < 2500; i++) replica.set('k', i);
    const pack = await sealed(replica);
    expect(decodePack(pack).seals.map(({ index }) => index)).toEqual([1023, 2047, 2499]);
    const verdict = await room.admit(pack, { from: 'peer' });
    expect([verdict.accepted, room.get('k')]).toEqual([2500, 2499]);
  });

  it('[RE1] and the server reach one state, whoever wrote and in whatever order it came', async () => {
    const room = await newRoom();
    const replicas = await Promise.all(Array.from({ length: 3 }, () => join(room)));
    for (const [number, replica] of replicas.entries()) {
      for (let i = 0; i < 5; i++) replica.set(`shared/${i % 2}`, `${number}-${i}`);
      replica.delete(`shared/${number % 2}`);
    }
    for (const replica of replicas) await push(replica, room);
    await putter(room, 'server', 1);
    for (const replica of [...replicas, await join(room)]) {
      for (const pack of room.packs()) expect((await replica.receive(pack)).refused).toEqual([]);
      expect(entries(replica)).toEqual(entries(room));
      expect(replica.frontier).toEqual(room.heads.frontier);
    }
  });

  it('[RE1] judges as the server does, reason by reason', async () => {
    const [room, other] = [await newRoom(), await newRoom()];
    const [writer, stranger] = [await join(room), await join(other)];
    writer.set('good', 1);
    writer.set('good', 2);
    stranger.set('k', 1);
    const good = decodePack(await sealed(writer));
    writer.set('_topology/x', 1);
    writer.set('later', 1);
    const foreign = decodePack(await sealed(writer));
    for (const pack of [
      { ...good, seals: [] },
      { ...good, seals: [{ index: 1, signature: new Uint8Array(64) }] },
      { nodes: good.nodes.slice(1), seals: [{ ...(good.seals[0] ?? { signature: new Uint8Array(64) }), index: 0 }] },
      decodePack(await sealed(stranger)),
      good,
      foreign,
      good,
    ]) {
      const reader = await join(room);
      for (const held of room.packs()) await reader.receive(held);
      const here = await reader.receive(encodePack(pack));
      const there = await room.admit(encodePack(pack), { from: 'peer' });
      expect(here.refused).toEqual(there.refused);
      expect([here.accepted, here.duplicates]).toEqual([there.accepted, there.duplicates]);
    }
  });

  it('[AD1] takes the same pack twice as once', async () => {
    const room = await newRoom();
    await putter(room, 'k', 1);
    const replica = await join(room);
    for (const pack of [...room.packs(), ...room.packs()]) await replica.receive(pack);
    expect([replica.get('k'), replica.frontier]).toEqual([1, room.heads.frontier]);
  });

  it('[SL1] of the same author in two places makes a fork that both keep', async () => {
    const room = await newRoom();
    const keys = generateKeys();
    const [here, there] = [await join(room, keys), await join(room, keys)];
    here.set('k', 'here');
    there.set('k', 'there');
    const packs = [await sealed(here), await sealed(there)];
    for (const pack of packs) expect((await room.admit(pack, { from: 'peer' })).refused).toEqual([]);
    for (const replica of [here, there]) for (const pack of packs) await replica.receive(pack);
    expect([here.get('k'), here.frontier]).toEqual([there.get('k'), there.frontier]);
    here.set('after', 1);
    expect((await push(here, room)).refused).toEqual([]);
  });

  it('[SL1] can always be pushed, also when the author wrote elsewhere in the middle of a run', async () => {
    const room = await newRoom();
    const keys = generateKeys();
    const [here, there] = [await join(room, keys), await join(room, keys)];
    here.set('one', 'here');
    there.set('two', 'there');
    const pack = await sealed(there);
    await room.admit(pack, { from: 'peer' });
    await here.receive(pack);
    here.set('three', 'here');
    expect((await push(here, room)).refused).toEqual([]);
    expect([room.get('one'), room.get('two'), room.get('three')]).toEqual(['here', 'there', 'here']);
  });

  it.each(['', 'a\ud800', 'k'.repeat(4097)])('[ND5] refuses the key %j and stays as it was', async (key) => {
    const replica = await join(await newRoom());
    const before = replica.frontier;
    expect(() => replica.set(key, 1)).toThrow(expect.objectContaining({ reason: 'invalid-value' }));
    expect([replica.frontier, await replica.seal()]).toEqual([before, undefined]);
  });

  it('[ND4] refuses a value that the server could not read, when it is written', async () => {
    const replica = await join(await newRoom());
    let nested: unknown = 1;
    for (let depth = 0; depth < 80; depth++) nested = [nested];
    expect(() => replica.set('k', nested)).toThrow(expect.objectContaining({ reason: 'invalid-value' }));
    expect(() => replica.set('k', () => 1)).toThrow(expect.objectContaining({ reason: 'invalid-value' }));
  });

  it('[GN1] opens only on a genesis under its own seal', async () => {
    const room = await newRoom();
    await putter(room, 'k', 1);
    const keys = generateKeys();
    const { nodes, seals } = decodePack(room.genesis.pack);
    const all = [...room.packs()].flatMap((pack) => decodePack(pack).nodes);
    for (const pack of [
      { nodes, seals: [] },
      { nodes, seals: seals.map((seal) => ({ ...seal, signature: new Uint8Array(64) })) },
      { nodes: [], seals: [] },
      { nodes: all.slice(1), seals },
      { nodes: all, seals },
    ]) {
      await expect(createReplica({ genesis: encodePack(pack), keys })).rejects.toMatchObject({
        reason: 'genesis-mismatch',
      });
    }
  });
});
