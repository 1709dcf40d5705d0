import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryArchives } from '../adapters/memory/memory-archives.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { richText } from '../client/marks/rich-text.js';
import type { Replica } from '../client/replica/replica.js';
import { Globs } from '../access/glob.js';
import { decodePack, encodePack } from '../codec/packs/plain-pack.js';
import { type Host, createHost } from '../engine.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import { createReplica, generateKeys, openSnapshot } from '../peer.js';
import type { Store } from '../ports/store.js';
import type { Room } from '../room/room.js';
import { altered } from '../testing/altered.js';
import { ManualClock } from '../testing/manual-clock.js';

const SECRET = 'qZ7!xv4Kp2';

function hostOn(store: Store = memoryStore(), archives = memoryArchives()) {
  const faults: unknown[] = [];
  const options = { clock: new ManualClock(), archives: { stores: { file: archives } } };
  return { host: createHost({ ...options, store, onFault: (fault) => faults.push(fault) }), store, archives, faults };
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

function replicaOf(host: Host, room = 'room'): Promise<Replica> {
  return inRoom(
    host,
    async (opened) => {
      const replica = await createReplica({ genesis: opened.genesis.pack, keys: generateKeys() });
      await pull(replica, opened);
      return replica;
    },
    room,
  );
}

async function push(host: Host, replica: Replica): Promise<void> {
  await inRoom(host, async (room) => {
    expect((await room.admit((await replica.seal())!, { from: 'x' })).refused).toEqual([]);
    await pull(replica, room);
  });
  replica.confirm();
}

/** All that the log and the image hold, packs as what they decode to. */
async function holdsSecret({ log, images }: Store, room = 'room' as RoomId): Promise<boolean> {
  const found = [Buffer.from((await images.get(room)) ?? []).toString('latin1')];
  for await (const { pack } of log.read(room, 0)) {
    found.push(Buffer.from(pack).toString('latin1'));
    for (const { ops } of decodePack(pack).nodes)
      for (const op of ops)
        found.push(JSON.stringify(op), ...valuesIn(op).map((value) => Buffer.from(value).toString('latin1')));
  }
  return found.some((text) => text.includes(SECRET));
}

const valuesIn = (op: object): Uint8Array[] =>
  'value' in op ? [op.value as Uint8Array] : 'values' in op ? [...(op.values as Uint8Array[])] : [];

const shown = (room: Room | Replica): unknown => {
  const text = room.text('t');
  const list = room.list('l') as { values?: () => unknown[] } | unknown[];
  return [String(text), Array.isArray(list) ? list : room.resolve('l').list, room.get('k'), room.get('secret')];
};

/** Ann writes what is to go, and bob beside and behind it. */
async function written(host: Host) {
  const [ann, bob] = [await replicaOf(host), await replicaOf(host)];
  const idOf = (replica: Replica): string => replica.frontier[0]!;
  ann.text('t').insert(0, 'begin end');
  await push(host, ann);
  await inRoom(host, (room) => pull(bob, room));
  ann.text('t').insert(6, `<${SECRET}>`);
  await push(host, ann);
  const inText = idOf(ann);
  await inRoom(host, (room) => pull(bob, room));
  bob.text('t').insert(8, 'of bob');
  await push(host, bob);
  ann.list('l').insert(0, 'one', SECRET, 'three');
  await push(host, ann);
  const inList = idOf(ann);
  await inRoom(host, (room) => pull(bob, room));
  bob.list('l').move(1, 0);
  bob.list('l').insert(1, 'behind it');
  await push(host, bob);
  await inRoom(host, (room) => pull(ann, room));
  ann.batch(() => {
    ann.set('secret', SECRET);
    ann.text('t').insert(0, 'kept, ');
  });
  await push(host, ann);
  await inRoom(host, (room) => pull(bob, room));
  return { ann, bob, inText, inList };
}

describe('what is erased of texts and lists', () => {
  it('[VE5] the middle of a text: later edits beside it stay where they are, and nothing of it comes back', async () => {
    const { host, store, faults } = hostOn();
    const { ann, bob, inText } = await written(host);
    await answer(host, 'CompactRoom' as never);
    expect(await holdsSecret(store)).toBe(true);
    expect(String(bob.text('t'))).toBe(`kept, begin <${SECRET[0]}of bob${SECRET.slice(1)}>end`);
    expect(await answer(host, { EraseValue: { key: 't', nodes: [inText] } })).toMatchObject({ nodes: 1 });
    const hash = await inRoom(host, (room) => {
      expect(shown(room)).toEqual(['kept, begin of bobend', [SECRET, 'behind it', 'one', 'three'], undefined, SECRET]);
      return room.stateHash;
    });
    // Who had all of it, who comes anew and who wrote meanwhile agree.
    bob.text('t').insert(bob.text('t').length, '!');
    await push(host, bob);
    for (const replica of [ann, bob, await replicaOf(host)]) {
      await inRoom(host, async (room) => {
        await pull(replica, room);
        expect(replica.stateHash).toBe(room.stateHash);
        expect(await replica.valueRoot()).toHaveLength(64);
        expect(shown(replica)).toEqual(shown(room));
      });
      const kept = Buffer.from(await replica.save()).toString('latin1');
      const again = await createReplica({ saved: replica.save(), keys: generateKeys() });
      expect([shown(again), again.stateHash, kept.length > 0]).toEqual([shown(replica), replica.stateHash, true]);
    }
    expect([hash.length, faults]).toEqual([64, []]);
  });

  it('[VE5] a whole list, an item that was moved later, a register beside a text: gone from log, image and all that is made of them', async () => {
    const { host, store, archives, faults } = hostOn();
    const { ann, inText } = await written(host);
    const fork = async (child_room_id: string) => {
      const parent_checkpoint = await inRoom(host, ({ stateHash, heads }) => ({
        canonical_hash: stateHash,
        frontier: heads.frontier,
      }));
      const child = { child_room_id, child_purpose: 'p', promotion_policy_id: 'promotion-based', parent_checkpoint };
      await answer(host, { CreateTopologyChild: child });
    };
    await fork('before');
    expect(await answer(host, { EraseValue: { key: 'l' } })).toMatchObject({
      nodes: 4,
      children: ['before'],
      left: [],
    });
    expect(await answer(host, { EraseValue: { key: 'secret' } })).toMatchObject({ nodes: 1, children: ['before'] });
    expect(await answer(host, { EraseValue: { key: 't', nodes: [inText] } })).toMatchObject({
      nodes: 1,
      children: ['before'],
    });
    const expected = ['kept, begin of bobend', [], undefined, undefined];
    await answer(host, 'CompactRoom' as never);
    await fork('child');
    await answer(host, { ExportArchive: { archive_ref: 'file://a.weft' } });
    await answer(host, { ValidateArchive: { archive_ref: 'file://a.weft', mode: 'full_integrity' } });
    for (const room of ['room', 'before', 'child'] as const) {
      expect(await holdsSecret(store, room as RoomId), room).toBe(false);
      expect(shown(await replicaOf(host, room)), room).toEqual(expected);
      expect(await inRoom(host, shown, room), room).toEqual(expected);
    }
    const snapshot = await inRoom(host, (room) => room.compact());
    expect((await openSnapshot(snapshot.snapshot)).resolve('t').text).toBe(expected[0]);
    expect(Buffer.from(snapshot.snapshot).includes(SECRET)).toBe(false);
    const was = await inRoom(host, (room) => ({ hash: room.stateHash, seq: room.seq, shown: shown(room) }));
    // The next process on the store, and a room that comes back from its archive.
    const seed = await store.authoritySeed();
    for (const next of [
      hostOn(store),
      hostOn({ ...memoryStore(), authoritySeed: () => Promise.resolve(seed) }, archives),
    ]) {
      if (next.store !== store)
        await answer(next.host, { ImportArchive: { archive_ref: 'file://a.weft', import_mode: 'full_apply' } });
      expect(await inRoom(next.host, (room) => ({ hash: room.stateHash, seq: room.seq, shown: shown(room) }))).toEqual(
        was,
      );
      const { log, images } = next.store;
      await images.remove('room' as RoomId);
      const bare = hostOn({ ...next.store, log, images });
      expect(await inRoom(bare.host, (room) => ({ hash: room.stateHash, seq: room.seq, shown: shown(room) }))).toEqual(
        was,
      );
      expect([...next.faults, ...bare.faults]).toEqual([]);
    }
    // Who comes back with what it was is not believed, and keeps nothing of it.
    await inRoom(host, (room) => pull(ann, room));
    expect(shown(ann)).toEqual(expected);
    expect(Buffer.from(ann.save()).includes(SECRET)).toBe(false);
    expect(faults).toEqual([]);
  });

  it('[VE5] marks lose what they say, and no older one shows again', async () => {
    const { host, store } = hostOn();
    const ann = await replicaOf(host);
    ann.text('t').insert(0, 'some text');
    richText(ann, 't').mark(0, 4, 'comment/1', 'older');
    await push(host, ann);
    richText(ann, 't').mark(0, 4, 'comment/1', SECRET);
    await push(host, ann);
    const [id] = ann.frontier;
    await answer(host, { EraseValue: { key: 't', nodes: [id] } });
    const reader = await replicaOf(host);
    for (const replica of [ann, reader]) {
      await inRoom(host, async (room) => {
        await pull(replica, room);
        expect(room.spans('t')).toEqual([{ text: 'some text', marks: {} }]);
        expect(replica.stateHash).toBe(room.stateHash);
      });
      expect(richText(replica, 't').spans()).toEqual([{ text: 'some text', marks: {} }]);
    }
    expect(await holdsSecret(store)).toBe(false);
  });

  it('[HD4] [SB3] who may not read what is left gets the header alone, and what is left of it once he may', async () => {
    const { host } = hostOn();
    const replica = await replicaOf(host);
    replica.batch(() => {
      replica.text('t').insert(0, SECRET);
      replica.set('docs/canary', 'c4n4ry');
    });
    await push(host, replica);
    replica.text('t').insert(4, 'beside');
    await push(host, replica);
    await answer(host, { EraseValue: { key: 't', nodes: [replica.frontier[0]!] } });
    await answer(host, { EraseValue: { key: 't' } });
    await inRoom(host, async (room) => {
      const read = async (...readable: string[]) => {
        const sight = room.packed.sight({ readable: new Globs(readable) });
        const pack = (await room.packed.read(0, room.seq, { sight }))!;
        const reader = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
        expect((await reader.receive(pack)).refused).toEqual([]);
        const told = decodePack(pack).nodes.flatMap(({ ops }) =>
          ops.map((op) => JSON.stringify(op) + valuesIn(op).map(String)),
        );
        return { reader, told: told.join('\n'), sight: sight! };
      };
      const some = await read('t');
      expect(some.told).not.toContain(String(Buffer.from('c4n4ry')));
      expect(some.told).not.toContain('docs/canary');
      const both = await read('t', 'docs/**');
      expect(both.reader.get('docs/canary')).toBe('c4n4ry');
      expect(both.reader.stateHash).toBe(room.stateHash);
      // Rights that are wider later: what was a header alone comes with what is left.
      const hidden = Array.from({ length: room.seq }, (_, node) => node).filter((node) => some.sight.hides(node));
      expect(hidden.length).toBeGreaterThan(0);
      expect((await some.reader.receive(await room.packed.select(hidden, undefined))).refused).toEqual([]);
      expect([some.reader.get('docs/canary'), some.reader.stateHash]).toEqual(['c4n4ry', room.stateHash]);
    });
  });

  it('[HD4] what is left of a node is taken on the word of an authority alone', async () => {
    const { host } = hostOn();
    const { inText } = await written(host);
    await answer(host, { EraseValue: { key: 't', nodes: [inText] } });
    const reader = generateKeys();
    await inRoom(host, async (room) => {
      for await (const pack of room.attestedPacks()) {
        const opened = decodePack(pack);
        if (!opened.attestation) continue;
        const other = { ...opened.attestation, signature: new Uint8Array(64) };
        const forged = encodePack({ ...opened, attestation: other });
        const fresh = await createReplica({ genesis: room.genesis.pack, keys: reader });
        expect((await fresh.receive(forged)).refused.map(({ reason }) => reason)).toContain('unattested');
        // A word that is honest, and ops that are not what it was given for.
        const nodes = opened.nodes.map((node) =>
          node.withheld === undefined
            ? node
            : { ...node, ops: node.ops.map((op) => ('text' in op ? { ...op, text: 'x'.repeat(op.text.length) } : op)) },
        );
        const changed = await createReplica({ genesis: room.genesis.pack, keys: reader });
        const { refused } = await changed.receive(encodePack({ ...opened, nodes }));
        expect(refused.map(({ reason }) => reason)).toContain('unattested');
      }
    });
  });

  it('[DV1] [VE5] values that lie in the log alone: the erased ones go from there, the others stay readable', async () => {
    const { host, store, faults } = hostOn();
    const ann = await replicaOf(host);
    for (let round = 0; round < 4; round++) {
      ann.batch(() => {
        ann.set('k', `${SECRET} ${'k'.repeat(500_000)} ${round}`);
        ann.set('other', `${'o'.repeat(200_000)} ${round}`);
        ann.text('t').insert(0, `${round}`);
      });
      await push(host, ann);
    }
    await answer(host, 'CompactRoom' as never);
    const { items } = (await answer(host, {
      ReplayReadRange: { key_prefix: 'other', from_lamport: 0, limit: 1000 },
    })) as {
      items: { seq: number }[];
    };
    expect(items).toHaveLength(4);
    expect(await answer(host, { EraseValue: { key: 'k' } })).toMatchObject({ nodes: 4 });
    await answer(host, 'CompactRoom' as never);
    expect(await holdsSecret(store)).toBe(false);
    await inRoom(host, async (room) => {
      const before = await room.asOf(items[1]!.seq + 1);
      expect([before.get('k'), String(before.get('other')).endsWith(' 1'), before.text('t')]).toEqual([
        undefined,
        true,
        '10',
      ]);
      expect([room.get('k'), room.text('t'), String(room.get('other')).endsWith(' 3')]).toEqual([
        undefined,
        '3210',
        true,
      ]);
      const reader = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
      await pull(reader, room);
      await pull(ann, room);
      expect([reader.stateHash, ann.stateHash]).toEqual([room.stateHash, room.stateHash]);
    });
    expect(faults).toEqual([]);
  });

  it('[VE5] is finished by the next host where the process ended in between', async () => {
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
      const { inText } = await written(first.host);
      await answer(first.host, { EraseValue: { key: 'secret' } });
      await answer(first.host, { EraseValue: { key: 'l' } });
      await answer(first.host, 'CompactRoom' as never);
      cut = true;
      await expect(answer(first.host, { EraseValue: { key: 't', nodes: [inText] } })).rejects.toThrow('ended');
      const { host, faults } = hostOn(store);
      expect(await inRoom(host, shown)).toEqual(['kept, begin of bobend', [], undefined, undefined]);
      expect([await holdsSecret(store), faults]).toEqual([false, []]);
    }
  });

  it('[VE5] [MP2] random texts and lists are the same for who had all, who comes anew and the next process', async () => {
    const step = fc.record({
      who: fc.nat(1),
      kind: fc.constantFrom('type', 'cut', 'item', 'move', 'drop', 'mark', 'set', 'sync'),
      at: fc.nat(50),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 30 }), fc.nat(100), async (steps, chosen) => {
        const { host, store, faults } = hostOn();
        const replicas = [await replicaOf(host), await replicaOf(host)];
        for (const { who, kind, at } of steps) {
          const replica = replicas[who]!;
          const [text, list] = [replica.text('t'), replica.list('l')];
          if (kind === 'type') text.insert(at % (text.length + 1), `${SECRET}${at}`);
          if (kind === 'cut' && text.length > 0) text.delete(at % text.length, 1);
          if (kind === 'item') list.insert(at % (list.length + 1), at, SECRET);
          if (kind === 'move' && list.length > 0) list.move(at % list.length, 0);
          if (kind === 'drop' && list.length > 0) list.delete(at % list.length, 1);
          if (kind === 'mark' && text.length > 0) richText(replica, 't').mark(at % text.length, 1, 'bold', at);
          if (kind === 'set') replica.batch(() => (replica.set('k', SECRET), text.insert(0, 'k')));
          if (kind === 'sync') await push(host, replica).catch(() => undefined);
        }
        for (const replica of replicas) await push(host, replica).catch(() => undefined);
        const late = replicas[1]!;
        const { items } = (await answer(host, {
          ReplayReadRange: { key_prefix: '', from_lamport: 0, limit: 1000 },
        })) as {
          items: { node_id: string; touched_keys: string[] }[];
        };
        const some = items.filter(({ touched_keys: keys }) => keys.includes('t')).map(({ node_id: id }) => id);
        late.text('t').insert(Math.min(3, late.text('t').length), 'late');
        const nodes = some.filter((_, index) => (index + chosen) % 2 === 0);
        if (nodes.length > 0) await answer(host, { EraseValue: { key: 't', nodes } });
        await answer(host, { EraseValue: { key: 'l' } });
        await answer(host, { EraseValue: { key: 'k' } });
        await push(host, late);
        const hashes = new Set<string>();
        for (const replica of [...replicas, await replicaOf(host)])
          await inRoom(host, async (room) => {
            await pull(replica, room);
            hashes.add(replica.stateHash).add(room.stateHash);
            expect(String(replica.text('t'))).toBe(room.text('t'));
            expect([replica.resolve('l').list ?? [], replica.get('k')]).toEqual([[], undefined]);
          });
        hashes.add(await inRoom(hostOn(store).host, (room) => room.stateHash));
        expect([hashes.size, faults]).toEqual([1, []]);
      }),
      { numRuns: 8 },
    );
  });
});
