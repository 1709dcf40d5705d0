import { describe, expect, it } from 'vitest';
import { defaultCrypto } from '../adapters/crypto/default.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import type { Replica } from '../client/replica/replica.js';
import { type Host, createHost } from '../engine.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import { NODE_BOUNDS } from '../codec/nodes/canonical-node.js';
import { createReplica, generateKeys } from '../peer.js';
import { systemClock } from '../ports/clock.js';
import type { Store } from '../ports/store.js';
import type { Rejection } from '../rejection.js';
import type { Room } from '../room/room.js';
import { lockFact, policyFact, tickFact } from '../room/state/facts.js';
import { altered } from '../testing/altered.js';
import { open } from '../testing/open-rooms.js';
import { type ChildRequest, Children, type ChildrenParts } from './children.js';

const [ROOM, CHILD, GRANDCHILD] = ['room', 'child', 'grandchild'] as RoomId[] as [RoomId, RoomId, RoomId];

const join = (room: Room, keys = generateKeys()): Promise<Replica> =>
  createReplica({ genesis: room.genesis.pack, keys });

async function pull(replica: Replica, room: Room): Promise<void> {
  for (const pack of room.packs()) expect((await replica.receive(pack)).refused).toEqual([]);
}

async function push(replica: Replica, room: Room) {
  const { refused } = await room.admit((await replica.seal())!, { from: 'peer' });
  replica.confirm();
  return refused;
}

async function fork(store: Store, parent: Room, id: RoomId, other: object = {}, about: Partial<ChildRequest> = {}) {
  const children = await childrenOf(store, parent);
  const { checkpoint, ...request } = requestFor(parent, id);
  return (await children.create({ ...request, checkpoint: { ...(checkpoint as object), ...other }, ...about })).lineage;
}

/** Begins a child of a busy room: again, when somebody wrote since it was looked at. */
async function forkBusy(store: Store, parent: Room, id: RoomId) {
  for (let tries = 0; tries < 1000; tries++) {
    const lineage = await fork(store, parent, id).catch((error: unknown) => {
      if ((error as Rejection).reason !== 'reject.lineage_parent_checkpoint_mismatch') throw error;
    });
    if (lineage) return lineage;
  }
  throw new Error('the room never stood still for long enough');
}

const requestFor = (parent: Room, id: RoomId, canonical_hash = parent.stateHash): ChildRequest => ({
  id,
  purpose: 'a test',
  promotionPolicy: 'promotion-based',
  createdBy: 'ann',
  checkpoint: { canonical_hash, frontier: parent.heads.frontier },
});

async function childrenOf(store: Store, room: Room, others: Partial<ChildrenParts> = {}): Promise<Children> {
  const signer = defaultCrypto.signer(await store.authoritySeed());
  const told = (): Promise<undefined> => Promise.resolve(undefined);
  const vacate: ChildrenParts['vacate'] = (_, __, act) => act();
  return new Children({
    room,
    log: store.log,
    blobs: store.blobs,
    signer,
    clock: systemClock,
    told,
    vacate,
    ...others,
  });
}

/** Everything but the system's own keys. */
const valuesOf = (room: Pick<Room, 'entries' | 'text' | 'list'>) => ({
  entries: [...room.entries()],
  text: room.text('t'),
  list: room.list('l'),
});

async function family(store = memoryStore()): Promise<{ store: Store; host: Host; parent: Room; writer: Replica }> {
  const host = createHost({ store });
  const parent = await host.room(ROOM);
  const writer = await join(parent);
  writer.set('k', 1);
  writer.text('t').insert(0, 'parent');
  writer.list('l').push('a', 'b');
  await push(writer, parent);
  return { store, host, parent, writer };
}

describe('a child room', () => {
  it('[TP1] begins with all that its parent holds, and each goes its own way [fault 40]', async () => {
    const { store, host, parent, writer } = await family();
    const { seq, stateHash, heads } = parent;
    const lineage = await fork(store, parent, CHILD);
    const child = await host.room(CHILD);
    expect(valuesOf(child)).toEqual(valuesOf(parent));
    expect(lineage).toMatchObject({
      parent_room_id: ROOM,
      parent_genesis: parent.genesis.id,
      parent_checkpoint: { selector: 'seq', canonical_seq: seq, canonical_hash: stateHash, frontier: heads.frontier },
      adopted: [parent.genesis.id],
    });
    expect([parent.seq, parent.stateHash, child.seq]).toEqual([seq, stateHash, seq + 1]);
    const inChild = await join(child);
    await pull(inChild, child);
    inChild.text('t').insert(6, ' and child');
    inChild.set('k', 2);
    expect(await push(inChild, child)).toEqual([]);
    writer.text('t').delete(0, 3);
    expect(await push(writer, parent)).toEqual([]);
    expect([child.text('t'), child.get('k'), parent.text('t'), parent.get('k')]).toEqual([
      'parent and child',
      2,
      'ent',
      1,
    ]);
  });

  it('[TP1] is the same after a restart, from its log, from its parent’s image, and from its own', async () => {
    const { store, parent } = await family();
    const filler = await join(parent);
    for (let i = 0; i < 600; i++) filler.set(`k${i % 20}`, i);
    await push(filler, parent);
    await parent.set('\0lock', { key: 'ab'.repeat(32) });
    await parent.rest();
    await fork(store, parent, CHILD);
    const answers = async (changed: Store) => {
      const child = await createHost({ store: changed }).room(CHILD);
      const reader = await join(child);
      await pull(reader, child);
      expect([reader.frontier, reader.stateHash]).toEqual([child.heads.frontier, child.stateHash]);
      return { seq: child.seq, heads: child.heads, hash: child.stateHash, lock: child.facts.lock, ...valuesOf(child) };
    };
    const fromLog = await answers({ ...store, images: memoryStore().images });
    expect(await answers(store)).toEqual(fromLog);
    const child = await createHost({ store }).room(CHILD);
    await child.rest();
    expect(await store.images.get(CHILD)).toBeUndefined(); // the parent's is as good
    await parent.set('later', 1);
    for (let i = 0; i < 600; i++) filler.set('more', i);
    await push(filler, parent);
    await parent.rest();
    await store.images.remove(CHILD);
    expect(await answers(store)).toEqual(fromLog); // the parent's image goes further than the child does
  });

  it('[TP2] takes its parent’s nodes as its own, and neither takes new ones of the other', async () => {
    const { store, host, parent, writer } = await family();
    await fork(store, parent, CHILD);
    const child = await host.room(CHILD);
    const inChild = await join(child);
    await pull(inChild, child);
    inChild.set('k', 'child');
    const ofChild = (await inChild.seal())!;
    writer.set('k', 'parent');
    const ofParent = (await writer.seal())!;
    const verdicts = [await parent.admit(ofChild, { from: 'x' }), await child.admit(ofParent, { from: 'x' })];
    expect(verdicts.map(({ refused }) => refused.map(({ reason }) => reason))).toEqual([
      ['wrong-room'],
      ['wrong-room'],
    ]);
    const again = [...parent.packs()][0]!;
    expect(await child.admit(again, { from: 'x' })).toMatchObject({ accepted: 0, duplicates: parent.seq, refused: [] });
  });

  it('[TP3] takes over who may enter and write, and nothing else that its parent’s authority has said', async () => {
    const { store, host, parent } = await family();
    const key = generateKeys().publicKey;
    const policy = { default: 'deny' as const, rules: [] };
    const facts = [
      lockFact(key, 'ann'),
      policyFact(policy, 'ann'),
      tickFact({ intervalMs: 10, intentPrefix: 'i/' }, 'ann'),
    ];
    await parent.transact(() => ({ writes: facts, result: undefined }));
    await fork(store, parent, CHILD);
    const child = await host.room(CHILD);
    expect([child.facts.lock, child.facts.policy, child.facts.tick]).toEqual([key, policy, undefined]);
    expect((await child.asOf(child.seq)).stateHash).toBe(child.stateHash);
    const inChild = await join(child);
    await pull(inChild, child);
    inChild.set('k', 2);
    expect((await push(inChild, child)).map(({ reason }) => reason)).toEqual(['policy-denied']);
    // What is changed in one is not changed in the other.
    await child.transact(() => ({ writes: [lockFact(undefined, 'bob')], result: undefined }));
    await parent.transact(() => ({ writes: [policyFact({ default: 'allow', rules: [] }, 'ann')], result: undefined }));
    expect([parent.facts.lock, child.facts.lock, child.facts.policy]).toEqual([key, undefined, policy]);
  });

  it('[TP3] says of its own what its request gives, in place of what its parent does', async () => {
    const { store, host, parent } = await family();
    const [key, other] = [generateKeys().publicKey, generateKeys().publicKey];
    const policy = { default: 'deny' as const, rules: [] };
    const said = [lockFact(key, 'ann'), policyFact(policy, 'ann')];
    await parent.transact(() => ({ writes: said, result: undefined }));
    const none = { ...policyFact(policy, 'bob'), value: undefined };
    await fork(store, parent, CHILD, {}, { facts: [lockFact(other, 'bob'), none] });
    const { facts } = await host.room(CHILD);
    expect([facts.lock, facts.policy]).toEqual([other, undefined]);
    const child = await host.room(CHILD);
    expect([...child.entries(none.key)]).toEqual([]);
    // Its parent's policy, which stands in what came along, governs nothing here.
    const inChild = await join(child);
    await pull(inChild, child);
    inChild.set('k', 2);
    expect(await push(inChild, child)).toEqual([]);
  });

  it('[TP1] is of a checkpoint whose hash is in capital letters, and which a position names', async () => {
    const { store, parent } = await family();
    await fork(store, parent, CHILD, { canonical_hash: parent.stateHash.toUpperCase() });
    const at = (seq: number) => ({ frontier: [`seq:${seq}`] });
    expect((await fork(store, parent, GRANDCHILD, at(parent.seq))).parent_room_id).toBe(ROOM);
    const reason = 'reject.lineage_parent_checkpoint_mismatch';
    await expect(fork(store, parent, 'later' as RoomId, at(parent.seq + 1))).rejects.toMatchObject({ reason });
  });

  it('[TP1] begins behind as many heads of its parent as a node takes', async () => {
    const { store, host, parent } = await family();
    await parent.transact(() => ({ writes: [lockFact(generateKeys().publicKey, 'ann')], result: undefined }));
    for (let i = 0; i < NODE_BOUNDS.parents + 1; i++) {
      const writer = await join(parent);
      writer.set(`k${i}`, i);
      expect(await push(writer, parent)).toEqual([]);
    }
    expect(parent.heads.frontier.length).toBeGreaterThan(NODE_BOUNDS.parents);
    await fork(store, parent, CHILD);
    const child = await host.room(CHILD);
    expect(valuesOf(child)).toEqual(valuesOf(parent));
    expect(child.facts.lock).toBe(parent.facts.lock);
    const reader = await join(child);
    await pull(reader, child);
    expect(reader.stateHash).toBe(child.stateHash);
  });

  it('[TP1] may have children itself, whose lineage is told to the end', async () => {
    const { store, host, parent } = await family();
    await fork(store, parent, CHILD);
    const child = await host.room(CHILD);
    await child.set('only', 'child');
    await fork(store, child, GRANDCHILD);
    const grandchild = await host.room(GRANDCHILD);
    expect([grandchild.get('only'), grandchild.text('t')]).toEqual(['child', 'parent']);
    const reader = await join(grandchild);
    await pull(reader, grandchild);
    expect([reader.frontier, reader.stateHash]).toEqual([grandchild.heads.frontier, grandchild.stateHash]);
    const ancestors = await (await childrenOf(store, grandchild)).ancestors();
    expect(ancestors.map((lineage) => lineage.parent_room_id)).toEqual([CHILD, ROOM]);
    expect(ancestors[0]!.adopted).toEqual([child.genesis.id, parent.genesis.id]);
    const ofParent = await childrenOf(store, parent);
    expect([await ofParent.ancestors(), (await ofParent.list()).map(({ id }) => id)]).toEqual([[], [CHILD]]);
  });

  it('[TP1] is begun while its parent is written to, at one moment of it', async () => {
    const { store, host, parent, writer } = await family();
    for (let i = 0; i < 20; i++) {
      const writes = Array.from({ length: 20 }, (_, n) => parent.set(`n${n}`, i));
      writer.text('t').insert(0, 'x');
      const [lineage] = await Promise.all([
        forkBusy(store, parent, `c${i}` as RoomId),
        push(writer, parent),
        ...writes,
      ]);
      const child = await host.room(`c${i}`);
      const reader = await join(child);
      await pull(reader, child);
      expect(reader.stateHash).toBe(child.stateHash);
      expect(child.seq).toBe(lineage.parent_checkpoint.canonical_seq + 1);
    }
    expect(await (await childrenOf(store, parent)).list()).toHaveLength(20);
  });

  it.each<[string, string, (store: Store, parent: Room) => Promise<unknown>]>([
    [
      'a parent that nobody has written to',
      'reject.lineage_parent_not_found',
      async (store) => fork(store, await createHost({ store }).room('empty'), CHILD, { frontier: ['00'.repeat(32)] }),
    ],
    ['a room that is there', 'reject.lineage_child_already_exists', (store, parent) => fork(store, parent, ROOM)],
    [
      'a name that only hosts use',
      'reject.lineage_invalid_checkpoint',
      (store, parent) => fork(store, parent, '~room' as RoomId),
    ],
    [
      'a policy that nobody knows',
      'reject.lineage_policy_unknown',
      (store, parent) => fork(store, parent, CHILD, {}, { promotionPolicy: 'other' }),
    ],
    [
      'a purpose that says nothing',
      'reject.lineage_invalid_checkpoint',
      (store, parent) => fork(store, parent, CHILD, {}, { purpose: '' }),
    ],
    [
      'another hash',
      'reject.lineage_parent_checkpoint_mismatch',
      (store, parent) => fork(store, parent, CHILD, { canonical_hash: '00'.repeat(32) }),
    ],
    [
      'a node that the parent does not have',
      'reject.lineage_parent_checkpoint_mismatch',
      (store, parent) => fork(store, parent, CHILD, { frontier: ['00'.repeat(32)] }),
    ],
  ])('[TP1] is refused for %s', async (_, reason, act) => {
    const { store, parent } = await family();
    await expect(act(store, parent)).rejects.toMatchObject({ reason });
    expect(await store.log.head(CHILD)).toBe(0);
  });

  it('[TP1] is listed for no room that is not there, nor are ancestors', async () => {
    const store = memoryStore();
    const nobody = await childrenOf(store, await createHost({ store }).room('empty'));
    const reason = 'reject.room_not_found';
    await expect(nobody.list()).rejects.toMatchObject({ reason });
    await expect(nobody.ancestors()).rejects.toMatchObject({ reason });
  });

  it('[TP1] that is deleted while the children are listed is none of them', async () => {
    const { store, parent } = await family();
    for (const id of [CHILD, 'other' as RoomId]) await fork(store, parent, id);
    const log = altered(store.log, {
      async *forks(room) {
        for await (const id of store.log.forks(room)) {
          if (id === CHILD) await store.log.remove(id, new Uint8Array());
          yield id;
        }
      },
    });
    const children = await childrenOf({ ...store, log }, parent);
    expect((await children.list()).map(({ id }) => id)).toEqual(['other']);
  });

  it('[TP1] has no ancestors beyond one that is deleted while they are looked for', async () => {
    const { store, parent } = await family();
    await fork(store, parent, CHILD);
    await fork(store, await open(store, { id: CHILD }), GRANDCHILD);
    let asked = 0;
    const log = altered(store.log, {
      // It is there when its genesis is compared, and gone when it is to say whose child it is.
      async origin(room) {
        if (room === CHILD && ++asked === 2) await store.log.remove(room, new Uint8Array());
        return store.log.origin(room);
      },
    });
    const children = await childrenOf({ ...store, log }, await open(store, { id: GRANDCHILD }));
    expect(await children.ancestors()).toMatchObject([{ parent_room_id: CHILD }]);
    expect(asked).toBe(2);
  });

  it('[TP1] begins at a checkpoint that was told, as long as nothing but facts of queries was written since', async () => {
    const { store, parent } = await family();
    const [hash, seq] = [parent.stateHash, parent.seq];
    const told = (asked: string) => Promise.resolve(asked === hash ? seq : undefined);
    const children = await childrenOf(store, parent, { told });
    await parent.set('\0query/x', 1);
    expect(parent.stateHash).not.toBe(hash);
    expect(await children.create(requestFor(parent, CHILD, hash))).toMatchObject({ id: CHILD });
    await parent.set('k', 2);
    await expect(children.create(requestFor(parent, 'other' as RoomId, hash))).rejects.toMatchObject({
      reason: 'reject.lineage_parent_checkpoint_mismatch',
    });
  });

  it('[TP1] of a name that another host holds is said to be in use there, and one that came meanwhile to exist', async () => {
    const { store, parent } = await family();
    const begin = async (vacate: ChildrenParts['vacate']) =>
      (await childrenOf(store, parent, { vacate })).create(requestFor(parent, CHILD));
    const reason = 'reject.lineage_child_already_exists';
    await expect(begin(() => Promise.resolve(false))).rejects.toMatchObject({
      reason,
      message: expect.stringContaining('is in use on another host') as string,
    });
    await expect(
      begin(async () => {
        await fork(store, await open(store, { id: ROOM }), CHILD);
        return false;
      }),
    ).rejects.toMatchObject({ reason, message: expect.stringContaining('exists already') as string });
  });

  it('[TP1] is begun once when two ask for it', async () => {
    const { store, parent } = await family();
    const both = await Promise.allSettled([fork(store, parent, CHILD), fork(store, parent, CHILD)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('[TP7] is not what a room becomes that was open under its name, if the store has let it come into being', async () => {
    const { store, parent } = await family();
    const before = await open(store, { id: CHILD });
    const told: unknown[] = [];
    before.onCommit((commit) => told.push(commit));
    await fork(store, parent, CHILD);
    const bogus = await join(before);
    bogus.set('bogus', 1);
    const replaced = { reason: 'room-replaced' };
    await expect(before.admit((await bogus.seal())!, { from: 'x' })).rejects.toMatchObject(replaced);
    await expect(before.set('k', 1)).rejects.toMatchObject(replaced);
    await expect(before.establish()).rejects.toMatchObject(replaced);
    expect([before.seq, before.get('k'), [...before.packs()].length, told]).toEqual([0, undefined, 0, []]);
    const child = await open(store, { id: CHILD });
    expect(valuesOf(child)).toEqual(valuesOf(parent));
  });
});
