import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryArchives } from '../adapters/memory/memory-archives.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import type { Replica } from '../client/replica/replica.js';
import { toHex, toUtf8 } from '../codec/bytes/bytes.js';
import { decodePack } from '../codec/packs/plain-pack.js';
import { type Host, createHost } from '../engine.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import { createReplica, generateKeys } from '../peer.js';
import type { Store } from '../ports/store.js';
import type { Room } from '../room/room.js';
import { altered } from '../testing/altered.js';
import { ManualClock } from '../testing/manual-clock.js';
import { type TestPeer, testPeer } from '../testing/test-peer.js';

const ROOM = 'room' as RoomId;

interface Made {
  readonly host: Host;
  readonly store: Store;
  readonly faults: unknown[];
}

function hostOn(store: Store = memoryStore(), archives = memoryArchives()): Made {
  const faults: unknown[] = [];
  const options = { clock: new ManualClock(), archives: { stores: { file: archives } } };
  return { host: createHost({ ...options, store, onFault: (fault) => faults.push(fault) }), store, faults };
}

async function answer(host: Host, command: object, room_id = 'room'): Promise<Record<string, unknown>> {
  const { events } = await host.submit({ room_id, command: command as Record<string, unknown> });
  const body = { ...Object.values(events[0]!)[0] };
  if (body['reason_class'] !== undefined) throw new Error(String(body['reason_message']));
  return body;
}

const inRoom = <T>(host: Host, act: (room: Room) => Promise<T> | T, room = 'room'): Promise<T> =>
  host.withRoom(room, async (opened) => act(opened));

async function pull(replica: Replica, room: Room): Promise<void> {
  for await (const pack of room.attestedPacks()) expect((await replica.receive(pack)).refused).toEqual([]);
}

async function replicaOf(host: Host, room = 'room', keys = generateKeys()): Promise<Replica> {
  return inRoom(
    host,
    async (opened) => {
      const replica = await createReplica({ genesis: opened.genesis.pack, keys });
      await pull(replica, opened);
      return replica;
    },
    room,
  );
}

async function push(host: Host, replica: Replica): Promise<void> {
  await inRoom(host, async (room) => {
    expect((await room.admit((await replica.seal())!, { from: 'x' })).refused).toEqual([]);
  });
  replica.confirm();
}

/** All bytes of the log, and of the image. */
async function bytesOf({ log, images }: Store, room = ROOM): Promise<string> {
  let hex = toHex((await images.get(room)) ?? new Uint8Array());
  for await (const { pack } of log.read(room, 0)) hex += toHex(pack);
  return hex;
}

/** Too long and too odd to be deflated away. */
const SECRET = Array.from({ length: 40 }, (_, i) => String.fromCharCode(33 + ((i * 37 + 11) % 90))).join('');
const holdsSecret = async (store: Store, room = ROOM): Promise<boolean> =>
  (await bytesOf(store, room)).includes(toHex(toUtf8(SECRET.slice(5, 30)))) || (await inflatedHas(store, room));

/** Packs are deflated where they are long: what they hold is looked at too. */
async function inflatedHas({ log }: Store, room: RoomId): Promise<boolean> {
  for await (const { pack } of log.read(room, 0))
    for (const { ops } of decodePack(pack).nodes)
      for (const op of ops) if (op.kind === 'set' && Buffer.from(op.value).includes(SECRET)) return true;
  return false;
}

async function join(host: Host): Promise<TestPeer> {
  const peer = testPeer(host, 'room');
  peer.send({ type: 'hello' });
  while ((await peer.nextOf('pack'))['final'] !== true);
  return peer;
}

/** A room in which some values were overwritten, and a text was typed. */
async function overwritten(host: Host): Promise<Replica> {
  const replica = await replicaOf(host);
  for (let i = 0; i < 60; i++) replica.set(`k${i % 4}`, `${SECRET} ${i}`);
  replica.text('t').insert(0, 'a text');
  replica.set('gone', 1);
  replica.delete('gone');
  await push(host, replica);
  for (let i = 0; i < 4; i++) await inRoom(host, (room) => room.set(`k${i}`, `last ${i}`));
  return replica;
}

const valuesOf = (room: Room | Replica): unknown => [
  ...['k0', 'k1', 'k2', 'k3', 'gone', 'own'].map((key) => room.get(key)),
  typeof room.text('t') === 'string' ? room.text('t') : String(room.text('t')),
];

describe('a history that is pruned', () => {
  it('[PN1] [VE4] has lost what was overwritten, on the disk and in memory, and is the room that it was', async () => {
    const { host, store, faults } = hostOn();
    const writer = await overwritten(host);
    await answer(host, 'CompactRoom' as never);
    const before = await inRoom(host, (room) => ({ hash: room.stateHash, seq: room.seq, values: valuesOf(room) }));
    expect(await holdsSecret(store)).toBe(true);
    const member = await join(host);
    const pruned = await answer(host, { PruneHistory: {} });
    expect(pruned).toMatchObject({ canonical_seq: before.seq, canonical_hash: before.hash, nodes: 61 });
    expect(Number(pruned['bytes_after'])).toBeGreaterThan(0);
    expect(await member.closed).toMatchObject({ code: 1012 });
    expect(await holdsSecret(store)).toBe(false);
    const after = await inRoom(host, (room) => {
      expect(room.facts.pruned).toMatchObject({ seq: before.seq, hash: before.hash, state: 'done' });
      return { values: valuesOf(room), ids: room.heads.frontier.length };
    });
    expect(after).toEqual({ values: before.values, ids: 1 });
    const reader = await replicaOf(host);
    expect(valuesOf(reader)).toEqual(before.values);
    const hash = await inRoom(host, (room) => {
      expect(() => [...room.packs()]).toThrow('attestedPacks');
      return room.stateHash;
    });
    expect(reader.stateHash).toBe(hash);
    // Who has all of it whole agrees.
    await inRoom(host, (room) => pull(writer, room));
    expect(writer.stateHash).toBe(hash);
    expect(faults).toEqual([]);
  });

  it('[PN2] takes what comes late, to the same end as one that was not pruned', async () => {
    const [pruned, whole] = [hostOn(), hostOn()];
    const seed = await whole.store.authoritySeed();
    const other = hostOn({ ...pruned.store, authoritySeed: () => Promise.resolve(seed) });
    const writer = await overwritten(whole.host);
    const late = await replicaOf(whole.host);
    const packs: Uint8Array[] = await inRoom(whole.host, (room) => [...room.packs()]);
    for (const pack of packs) await inRoom(other.host, (room) => room.admit(pack, { from: 'x' }));
    for (const replica of [late, writer]) {
      replica.set('k0', 'late');
      replica.text('t').insert(3, 'late');
      replica.set('own', 1);
    }
    await answer(other.host, { PruneHistory: {} });
    for (const replica of [late, writer]) {
      const pack = (await replica.seal())!;
      for (const { host } of [other, whole])
        await inRoom(host, async (room) => expect((await room.admit(pack, { from: 'x' })).refused).toEqual([]));
    }
    const [one, two] = await Promise.all([other, whole].map(({ host }) => inRoom(host, valuesOf)));
    expect(one).toEqual(two);
    const reader = await replicaOf(other.host);
    expect(reader.stateHash).toBe(await inRoom(other.host, (room) => room.stateHash));
  });

  it('[PN3] names what is gone in a replay, and refuses to say what was before', async () => {
    const { host } = hostOn();
    await overwritten(host);
    const { seq } = await inRoom(host, (room) => room);
    await answer(host, { PruneHistory: { before: seq } });
    const replayed = await answer(host, { ReplayReadRange: { key_prefix: '', from_lamport: 0, limit: 1000 } });
    const items = replayed['items'] as { seq: number; pruned?: true; touched_keys: string[] }[];
    expect(items.filter(({ pruned }) => pruned)).toHaveLength(61);
    expect(items.filter(({ pruned, touched_keys: keys }) => pruned && keys.length > 0)).toEqual([]);
    await inRoom(host, async (room) => {
      const pruned = { reason: 'reject.checkpoint_not_found' };
      for (const at of [1, 10, seq - 1]) await expect(room.asOf(at)).rejects.toMatchObject(pruned);
      expect((await room.asOf(seq)).stateHash).toBe(room.facts.pruned!.hash);
      expect((await room.asOf(0)).get('k0')).toBeUndefined();
    });
    for (const before of [seq - 1, seq + 100])
      await expect(answer(host, { PruneHistory: { before } })).rejects.toMatchObject({ reason: 'invalid-payload' });
    expect(await answer(host, { PruneHistory: { before: seq } })).toMatchObject({ nodes: 0 });
  });

  it('[PN4] goes into archives and children, and comes back', async () => {
    const archives = memoryArchives();
    const { host, store } = hostOn(memoryStore(), archives);
    await overwritten(host);
    await answer(host, { PruneHistory: {} });
    const was = await inRoom(host, (room) => ({ hash: room.stateHash, values: valuesOf(room), seq: room.seq }));
    await answer(host, { ExportArchive: { archive_ref: 'file://a.weft' } });
    await answer(host, { ValidateArchive: { archive_ref: 'file://a.weft', mode: 'full_integrity' } });
    const parent_checkpoint = await inRoom(host, ({ stateHash, heads }) => ({
      canonical_hash: stateHash,
      frontier: heads.frontier,
    }));
    const child = { child_room_id: 'child', child_purpose: 'p', promotion_policy_id: 'promotion-based' };
    await answer(host, { CreateTopologyChild: { ...child, parent_checkpoint } });
    expect(await inRoom(host, valuesOf, 'child')).toEqual(was.values);
    await inRoom(host, (room) => expect(room.asOf(5)).rejects.toMatchObject({ name: 'Rejection' }), 'child');
    const reader = await replicaOf(host, 'child');
    expect(valuesOf(reader)).toEqual(was.values);
    // Into its own place, after everything was lost, and into another room.
    const seed = await store.authoritySeed();
    const again = hostOn({ ...memoryStore(), authoritySeed: () => Promise.resolve(seed) }, archives);
    const back = { ImportArchive: { archive_ref: 'file://a.weft', import_mode: 'full_apply' } };
    await answer(again.host, back);
    const restored = await inRoom(again.host, (room) => ({
      hash: room.stateHash,
      values: valuesOf(room),
      seq: room.seq,
    }));
    expect(restored).toEqual(was);
    await answer(again.host, back, 'other');
    expect(await inRoom(again.host, valuesOf, 'other')).toEqual(was.values);
    for (const room of ['room', 'other']) expect(valuesOf(await replicaOf(again.host, room))).toEqual(was.values);
    expect(again.faults).toEqual([]);
  });

  it('[PN1] is done once at a time, whoever asks for it at once', async () => {
    const { host, store, faults } = hostOn();
    await overwritten(host);
    const was = await inRoom(host, (room) => ({ values: valuesOf(room) }));
    let [open, most] = [0, 0];
    const { images } = store;
    const remove = images.remove.bind(images);
    images.remove = async (room) => {
      most = Math.max(most, ++open);
      for (let turns = 0; turns < 50; turns++) await Promise.resolve();
      await remove(room);
      open--;
    };
    await Promise.all([1, 2, 3].map(() => answer(host, { PruneHistory: {} })));
    expect(most).toBe(1);
    expect(await inRoom(host, (room) => ({ values: valuesOf(room) }))).toEqual(was);
    expect(faults).toEqual([]);
  });

  it('[PN1] is finished by the next host where the process ended in between', async () => {
    for (const stage of ['merge', 'remove'] as const) {
      const store = memoryStore();
      let cut = false;
      const fails = (): Promise<never> => Promise.reject(new Error('the process has ended'));
      const { log, images } = store;
      const merge: typeof log.merge = async (...parts) => (cut ? fails() : log.merge(...parts));
      const remove: typeof images.remove = (room) => (cut ? fails() : images.remove(room));
      const first = hostOn(
        stage === 'merge'
          ? { ...store, log: altered(log, { merge }) }
          : { ...store, images: altered(images, { remove }) },
      );
      await overwritten(first.host);
      await answer(first.host, 'CompactRoom' as never);
      const was = await inRoom(first.host, (room) => ({ values: valuesOf(room) }));
      cut = true;
      await expect(answer(first.host, { PruneHistory: {} })).rejects.toThrow('ended');
      const { host, faults } = hostOn(store);
      expect(await inRoom(host, (room) => ({ values: valuesOf(room) }))).toEqual(was);
      expect([await inRoom(host, (room) => room.facts.pruned?.state), await holdsSecret(store)]).toEqual([
        'done',
        false,
      ]);
      expect(faults).toEqual([]);
    }
  });

  it('[PN2] answers everything at and after any cut as a room that was not pruned', async () => {
    const edits = fc.array(fc.tuple(fc.nat(2), fc.nat(3), fc.boolean(), fc.boolean()), { minLength: 5, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(edits, fc.double({ min: 0, max: 1, noNaN: true }), async (steps, share) => {
        const made = hostOn();
        const replicas = await Promise.all([0, 1, 2].map(() => replicaOf(made.host)));
        for (const [n, [who, key, isText, syncs]] of steps.entries()) {
          const replica = replicas[who]!;
          if (isText) replica.text('t').insert(0, String(n));
          else if (n % 5 === 4) replica.delete(`k${key}`);
          else replica.set(`k${key}`, n);
          await push(made.host, replica);
          if (syncs) await inRoom(made.host, (room) => pull(replica, room));
        }
        const { seq } = await inRoom(made.host, (room) => room);
        const cut = Math.max(1, Math.floor(share * seq));
        const told = async (): Promise<unknown[]> =>
          inRoom(made.host, async (room) => {
            const answers: unknown[] = [];
            for (let at = cut; at <= seq; at++) {
              const view = await room.asOf(at);
              answers.push([view.stateHash, valuesOf(view as never), room.nodes.describe(at - 1).nodeId]);
            }
            return answers;
          });
        const before = await told();
        await answer(made.host, { PruneHistory: { before: cut } });
        expect(await told()).toEqual(before);
        const reader = await replicaOf(made.host);
        expect(reader.stateHash).toBe(await inRoom(made.host, (room) => room.stateHash));
      }),
      { numRuns: 4 },
    );
  });
});

async function valuesWritten(room: Room, key: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { writes } of room.history())
    for (const write of writes) if (write.key === key && write.value !== undefined) found.push(write.value);
  return found;
}

describe('a value that is erased', () => {
  it('[VE1] does not come back into a child from the image of its parent, where it is still', async () => {
    const { host, store, faults } = hostOn();
    await inRoom(host, async (room) => {
      for (const value of [SECRET, 'other']) await room.set('k', value);
      await room.set('beside', 1);
    });
    await host.submit({ room_id: 'room', command: 'CompactRoom' });
    const parent_checkpoint = await inRoom(host, ({ stateHash, heads: { frontier } }) => ({
      canonical_hash: stateHash,
      frontier,
    }));
    const child = { child_room_id: 'child', child_purpose: 'p', promotion_policy_id: 'promotion-based' };
    await answer(host, { CreateTopologyChild: { ...child, parent_checkpoint } });
    await answer(host, { EraseValue: { key: 'k' } }, 'child');
    const next = hostOn(store);
    const reader = await replicaOf(next.host, 'child');
    expect([reader.withheld, Buffer.from(reader.save()).includes(SECRET.slice(5, 30))]).toEqual([2, false]);
    await answer(next.host, { EraseValue: { key: 'beside' } }, 'child');
    expect(await holdsSecret(store, 'child' as RoomId)).toBe(false);
    expect([...faults, ...next.faults]).toEqual([]);
  });

  it('[VE1] is not sent to who enters, though its part of the log was sent to others just before', async () => {
    const { host } = hostOn();
    const written = (): Promise<unknown[]> =>
      inRoom(host, async ({ packed }) => {
        const pack = await packed.read(0, packed.endOfPart(0), {});
        const ops = decodePack(pack!).nodes.flatMap((node) => node.ops);
        return ops.flatMap((op) => (op.key === 'k' ? [op.kind] : []));
      });
    await inRoom(host, async (room) => {
      await room.set('k', SECRET);
      for (let i = 0; i < 40; i++) await room.set(`k${i}`, 'x'.repeat(64 * 1024));
    });
    await answer(host, 'CompactRoom' as never);
    await inRoom(host, (room) => room.rest());
    expect(await written()).toEqual(['set']);
    await answer(host, { EraseValue: { key: 'k' } });
    expect(await written()).toEqual([]);
  });

  it('[VE1] is gone from log, image, children and replicas, and what stood beside it stays', async () => {
    const { host, store, faults } = hostOn();
    const replica = await replicaOf(host);
    replica.set('secret', `old ${SECRET}`);
    replica.set('k0', 0);
    await push(host, replica);
    await inRoom(host, (room) =>
      room.transact(() => ({
        writes: [
          { key: 'secret', value: SECRET },
          { key: 'k1', value: 'beside it' },
        ],
        result: undefined,
      })),
    );
    await answer(host, { RegisterQuerySpec: { query_spec_id: 'q', version: '1', descriptor: {} } });
    await answer(host, { BuildProjection: { projection_id: 'p', query_spec_id: 'q' } });
    await answer(host, { PromoteCheckpointToGraph: { selector: { selector: 'latest' } } });
    const parent_checkpoint = await inRoom(host, ({ stateHash, heads }) => ({
      canonical_hash: stateHash,
      frontier: heads.frontier,
    }));
    const child = { child_room_id: 'child', child_purpose: 'p', promotion_policy_id: 'promotion-based' };
    await answer(host, { CreateTopologyChild: { ...child, parent_checkpoint } });
    await answer(host, 'CompactRoom' as never);
    await inRoom(host, (room) => pull(replica, room));
    expect(replica.get('secret')).toBe(SECRET);
    const erased = await answer(host, { EraseValue: { key: 'secret' } });
    expect(erased).toMatchObject({ children: ['child'], left: [] });
    for (const room of ['room', 'child'] as RoomId[]) {
      expect([room, await holdsSecret(store, room)]).toEqual([room, false]);
      const values = await inRoom(host, (opened) => ['secret', 'k0', 'k1'].map((key) => opened.get(key)), room);
      expect(values).toEqual([undefined, 0, 'beside it']);
    }
    await inRoom(host, (room) => pull(replica, room));
    expect([replica.get('secret'), replica.get('k1')]).toEqual([undefined, 'beside it']);
    expect(Buffer.from(replica.save()).includes(SECRET.slice(5, 30))).toBe(false);
    expect(replica.withheld).toBeGreaterThan(1);
    const hash = await inRoom(host, (room) => room.stateHash);
    expect(replica.stateHash).toBe(hash);
    expect((await replicaOf(host)).stateHash).toBe(hash);
    const read = await host.submit({ room_id: 'room', command: { ReadProjection: { projection_id: 'p' } } });
    expect(JSON.stringify(read)).not.toContain(SECRET.slice(5, 30));
    expect(faults).toEqual([]);
  });

  it('[VE2] does not come back with a replica that has it, nor with an archive made later, and may be set anew', async () => {
    const { host, store } = hostOn();
    const replica = await replicaOf(host);
    replica.set('secret', SECRET);
    await push(host, replica);
    const saved = replica.save();
    const keys = generateKeys();
    const packs = await inRoom(host, (room) => [...room.packs()]);
    await answer(host, { ExportArchive: { archive_ref: 'file://before.weft' } });
    await answer(host, { EraseValue: { key: 'secret' } });
    const before = { archive_ref: 'file://before.weft', import_mode: 'full_apply' };
    await answer(host, { ImportArchive: before });
    await inRoom(host, async (room) => expect(await valuesWritten(room, 'secret')).toEqual([]));
    for (const pack of packs) await inRoom(host, (room) => room.admit(pack, { from: 'x' }));
    expect([await holdsSecret(store), await inRoom(host, (room) => room.get('secret'))]).toEqual([false, undefined]);
    // A replica that hears of it first, and is given the node afterwards.
    const reader = await replicaOf(host);
    for (const pack of packs) await reader.receive(pack);
    expect(Buffer.from(reader.save()).includes(SECRET.slice(5, 30))).toBe(false);
    const old = await createReplica({ saved, keys });
    await inRoom(host, (room) => pull(old, room));
    expect(Buffer.from(old.save()).includes(SECRET.slice(5, 30))).toBe(false);
    expect(await answer(host, { EraseValue: { key: 'secret' } })).toMatchObject({ nodes: 0 });
    reader.set('secret', 'another');
    await push(host, reader);
    expect(await inRoom(host, (room) => room.get('secret'))).toBe('another');
    expect(await answer(host, { EraseValue: { key: 'secret' } })).toMatchObject({ nodes: 1 });
    expect(await inRoom(host, (room) => room.get('secret'))).toBeUndefined();
  });

  it('[VE4] does not come back with what somebody asks of the room as it was before', async () => {
    const { host, store, faults } = hostOn();
    const replica = await replicaOf(host);
    replica.set('secret', SECRET);
    await push(host, replica);
    const before = await inRoom(host, (room) => room);
    await answer(host, { EraseValue: { key: 'secret' } });
    expect(await holdsSecret(store)).toBe(false);
    await expect(before.compact()).rejects.toMatchObject({ reason: 'room-replaced' });
    await expect(before.set('k', 1)).rejects.toMatchObject({ reason: 'room-replaced', retryMs: 500 });
    await expect(before.fork(() => Promise.resolve())).rejects.toMatchObject({ reason: 'room-replaced' });
    expect([await holdsSecret(store), faults]).toEqual([false, []]);
    await answer(host, 'CompactRoom' as never);
    expect(await holdsSecret(store)).toBe(false);
  });

  it('[VE3] keys of the system are not erased, and of what was written in one node with a text the rest stays', async () => {
    const { host, store } = hostOn();
    const replica = await replicaOf(host);
    replica.transact(() => {
      replica.text('t').insert(0, 'x');
      replica.set('secret', SECRET);
      replica.set('beside', 1);
    });
    await push(host, replica);
    await expect(answer(host, { EraseValue: { key: '\0lock' } })).rejects.toMatchObject({ reason: 'invalid-payload' });
    expect(await answer(host, { EraseValue: { key: 'nothing' } })).toMatchObject({ nodes: 0 });
    const [author] = await inRoom(host, (room) => [room.past.present.why('beside')?.author]);
    expect(await answer(host, { EraseValue: { key: 'secret' } })).toMatchObject({ nodes: 1 });
    await inRoom(host, (room) => {
      expect([room.get('secret'), room.get('beside'), room.text('t')]).toEqual([undefined, 1, 'x']);
      expect(room.past.present.why('beside')?.author).toBe(author);
    });
    expect(await holdsSecret(store)).toBe(false);
    expect(await answer(host, { EraseValue: { key: 'secret' } })).toMatchObject({ nodes: 0 });
  });
});
