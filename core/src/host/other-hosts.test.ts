/** Hosts on one store that have divided the rooms among them. */
import { expect, it, onTestFinished } from 'vitest';
import { memoryArchives } from '../adapters/memory/memory-archives.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { createHost } from '../engine.js';
import type { Host, HostOptions } from '../engine.js';
import { decodePack } from '../codec/packs/plain-pack.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import type { Segment, Store } from '../ports/store.js';
import { createReplica, generateKeys } from '../peer.js';
import { altered } from '../testing/altered.js';
import type { Room } from '../room/room.js';
import type { Limits } from '../wire/limits.js';
import { testPeer } from '../testing/test-peer.js';

/** Rooms whose names begin with `a` are the first host's, all others the second's. */
function twoHosts(limits: Partial<Limits> = {}): {
  readonly first: Host;
  readonly second: Host;
  readonly store: Store;
  readonly wrote: string[];
  readonly faults: unknown[];
} {
  const store = memoryStore();
  const archives = { stores: { file: memoryArchives() } };
  const wrote: string[] = [];
  const faults: unknown[] = [];
  const hosts: Host[] = [];
  const hostOf = (room: string): 0 | 1 => (room.startsWith('a') ? 0 : 1);
  for (const own of [0, 1])
    hosts.push(
      createHost({
        store,
        limits,
        archives,
        onFault: (error) => faults.push(error),
        others: {
          counted: (name, by) => hosts[1 - own]?.heed(name, by),
          eraseBelow: (child, erasure) => hosts[hostOf(child)]!.eraseBelow(child, erasure),
          serve: (room) => hostOf(room) !== own,
          wrote(room) {
            wrote.push(room);
            void hosts[hostOf(room)]?.look(room);
          },
        },
      }),
    );
  onTestFinished(async () => {
    for (const host of hosts) await host.close();
  });
  const [first, second] = hosts as [Host, Host];
  return { first, second, store, wrote, faults };
}

it('a host reads a room of another one as it is now, and keeps no copy of it', async () => {
  const { first, second } = twoHosts();
  await first.withRoom('a', (room) => room.set('title', 'one'));
  const seen = (): Promise<unknown> => second.withRoom('a', (room) => Promise.resolve(room.get('title')));
  expect(await seen()).toBe('one');
  await first.withRoom('a', (room) => room.set('title', 'two'));
  expect(await seen()).toBe('two');
});

it('what a host writes into a room of another one is heard there at once', async () => {
  const { first, second, wrote } = twoHosts();
  const peer = testPeer(first, 'a');
  peer.send({ type: 'hello' });
  await peer.nextOf('pack');
  await second.withRoom('a', (room) => room.set('title', 'from the other host'));
  expect(wrote).toContain('a');
  await peer.nextOf('pack');
  expect((await first.room('a')).get('title')).toBe('from the other host');
  // And it goes on there: nothing was lost between the two.
  await first.withRoom('a', (room) => room.set('answer', 'heard'));
  expect(await second.withRoom('a', (room) => Promise.resolve(room.get('answer')))).toBe('heard');
});

it('both write into one room at the same time, and nothing is lost', async () => {
  const { first, second } = twoHosts();
  await Promise.all(
    [first, second].flatMap((host, at) =>
      Array.from({ length: 20 }, (_, i) => host.withRoom('a', (room) => room.set(`${at}/${i}`, i))),
    ),
  );
  const keys = await first.withRoom('a', async (room) => {
    await room.look();
    return [...room.entries('')].filter(([key]) => /^[01]\//.test(key)).length;
  });
  expect(keys).toBe(40);
});

/** A child of the first host's room, which is the second's, and was deleted there; what brings it back, asked of the first. */
async function deletedChild({ first, second }: ReturnType<typeof twoHosts>) {
  const ask = async (host: Host, room_id: string, variant: string, payload: object) => {
    const { events } = await host.submit({ room_id, command: { [variant]: payload } });
    return events[0]!;
  };
  await first.withRoom('a', (room) => room.set('k', 1));
  const parent_checkpoint = await first.withRoom('a', async ({ stateHash, heads }) => ({
    canonical_hash: stateHash,
    frontier: heads.frontier,
  }));
  const wanted = { child_room_id: 'b', child_purpose: 'p', promotion_policy_id: 'promotion-based' };
  await ask(first, 'a', 'CreateTopologyChild', { ...wanted, parent_checkpoint });
  const genesis = await second.withRoom('b', async (room) => room.genesis.id);
  const archive = { archive_ref: 'file://b.weft' };
  await ask(second, 'b', 'ExportArchive', archive);
  await ask(second, 'b', 'DeleteRoom', { confirm: 'b' });
  await new Promise((resolve) => setTimeout(resolve, 2));
  return { genesis, restore: () => ask(first, 'b', 'ImportArchive', { ...archive, import_mode: 'full_apply' }) };
}

it('[AR9] a child comes back from its archive for whoever asks at another host than its own', async () => {
  const hosts = twoHosts({ tombstoneMs: 1 });
  const { genesis, restore } = await deletedChild(hosts);
  expect(await restore()).toHaveProperty('ArchiveImported');
  expect(await hosts.second.withRoom('b', async (room) => room.genesis.id)).toBe(genesis);
});

it('[AR9] a child does not come back that way while somebody is in the room that has its name', async () => {
  const hosts = twoHosts({ tombstoneMs: 1 });
  const { restore } = await deletedChild(hosts);
  const peer = testPeer(hosts.second, 'b');
  peer.send({ type: 'hello' });
  await peer.nextOf('pack');
  expect(await restore()).toHaveProperty('ArchiveImportRejected');
});

it('peers are let in by the host of the room alone', async () => {
  const { second } = twoHosts();
  const peer = testPeer(second, 'a');
  peer.send({ type: 'hello' });
  expect(await peer.nextOf('error')).toMatchObject({ code: 'room-held' });
});

it('history of a room is given up by its own host, and children elsewhere are named', async () => {
  const { first, second } = twoHosts();
  const room = await first.room('a');
  await room.set('secret', 'gone');
  const command = (name: string, about: object) => ({ room_id: 'a', command: { [name]: about } });
  const parent_checkpoint = { canonical_hash: room.stateHash, frontier: room.heads.frontier };
  const child = { child_room_id: 'b', child_purpose: 'p', promotion_policy_id: 'promotion-based', parent_checkpoint };
  expect((await first.submit(command('CreateTopologyChild', child))).events[0]).toHaveProperty('ChildRoomCreated');
  expect(await second.withRoom('b', (opened) => Promise.resolve(opened.get('secret')))).toBe('gone');
  await expect(second.submit(command('PruneHistory', {}))).rejects.toMatchObject({ reason: 'room-held' });
});

/** What a log still holds of a key's values. */
async function valuesIn({ log }: Store, room: string, key: string): Promise<number> {
  let found = 0;
  for await (const { pack } of log.read(room as RoomId, 0))
    for (const { ops } of decodePack(pack).nodes)
      found += ops.filter((op) => op.key === key && op.kind === 'set').length;
  return found;
}

/** What a log still holds of a key's text. */
async function textsIn({ log }: Store, room: string, key: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { pack } of log.read(room as RoomId, 0))
    for (const { ops } of decodePack(pack).nodes)
      for (const op of ops) if (op.key === key && op.kind === 'text-insert') found.push(op.text);
  return found;
}

const WRITES_DOWN = {
  'is compacted': (copy: Room) => copy.compact(),
  'is put away': (copy: Room) => copy.rest(),
  'is written to, and then compacted': async (copy: Room) => {
    await copy.set('beside', 1);
    await copy.compact();
  },
  'looks at what was written, and is compacted': async (copy: Room) => {
    await copy.look();
    await copy.compact();
  },
  'gets a child': (copy: Room) => copy.fork((_, put) => put('c' as RoomId, { count: 1, pack: copy.genesis.pack })),
};

it.each(Object.entries(WRITES_DOWN))(
  '[VE1] what was erased by the host of a room does not come back from a copy elsewhere that %s',
  async (_, writesDown) => {
    const { first, second, store, faults } = twoHosts();
    await first.withRoom('a', async (room) => {
      for (let i = 0; i < 3; i++) await room.set('secret', `no ${i}`);
      await room.set('other', 'stays');
    });
    await second.withRoom('a', async (copy) => {
      await first.submit({ room_id: 'a', command: { EraseValue: { key: 'secret' } } });
      await writesDown(copy).catch((error: unknown) => expect(error).toMatchObject({ name: 'Rejection' }));
    });
    expect(await valuesIn(store, 'a', 'secret')).toBe(0);
    expect(await valuesIn(store, 'c', 'secret')).toBe(0);
    expect(await first.withRoom('a', (room) => Promise.resolve([...room.entries()]))).toContainEqual([
      'other',
      'stays',
    ]);
    expect(faults).toEqual([]);
  },
);

/** Somebody who has what a log holds, and writes behind that one record after the other. */
async function peerOf({ log }: Store, genesis: Uint8Array): Promise<(value: number) => Promise<Segment>> {
  const replica = await createReplica({ genesis, keys: generateKeys() });
  for await (const { pack } of log.read('a' as RoomId, 0)) await replica.receive(pack);
  return async (value) => {
    replica.set('beside', value);
    const pack = (await replica.seal())!;
    replica.confirm(pack);
    return { count: decodePack(pack).nodes.length, pack };
  };
}

it('[PN1] a copy elsewhere finishes what a host had begun, however often the room is written to meanwhile', async () => {
  const store = memoryStore();
  const dies = (): Promise<never> => Promise.reject(new Error('the process has ended'));
  const dying = createHost({ store: { ...store, log: altered(store.log, { merge: dies }) }, onFault: () => undefined });
  const genesis = await dying.withRoom('a', async (room) => {
    for (let i = 0; i < 3; i++) await room.set('k', i);
    return room.genesis.pack;
  });
  await expect(dying.submit({ room_id: 'a', command: { PruneHistory: {} } })).rejects.toThrow('the process has ended');

  const peer = await peerOf(store, genesis);
  let [merges, writes] = [0, 0];
  const merge: Store['log']['merge'] = async (...segment) => {
    // The log becomes one segment before; then that is written anew.
    if (++merges > 1 && writes < 6)
      await store.log.append('a' as RoomId, await store.log.head('a' as RoomId), await peer(++writes));
    return store.log.merge(...segment);
  };
  const faults: unknown[] = [];
  const elsewhere = createHost({
    store: { ...store, log: altered(store.log, { merge }) },
    others: {
      serve: () => true,
      wrote: () => undefined,
      counted: () => undefined,
      eraseBelow: (child) => Promise.resolve({ children: [], left: [child] }),
    },
    onFault: (error) => faults.push(error),
  });
  onTestFinished(() => elsewhere.close());
  expect(await elsewhere.withRoom('a', (room) => Promise.resolve(room.facts.pruned?.state))).toBe('done');
  expect([faults, await valuesIn(store, 'a', 'k'), await valuesIn(store, 'a', 'beside')]).toEqual([[], 1, 6]);
});

/** A host by itself, one of two, which serves every room or none. */
function hostOf(store: Store, serves: boolean): { readonly host: Host; readonly faults: unknown[] } {
  const faults: unknown[] = [];
  const others: HostOptions['others'] = {
    serve: () => !serves,
    wrote: () => undefined,
    counted: () => undefined,
    eraseBelow: (child) => Promise.resolve({ children: [], left: [child] }),
  };
  const host = createHost({ store, others, onFault: (error) => faults.push(error) });
  onTestFinished(() => host.close());
  return { host, faults };
}

function signal(): { readonly come: Promise<void>; readonly give: () => void } {
  let give = (): void => undefined;
  const come = new Promise<void>((resolve) => (give = resolve));
  return { come, give };
}

it('[VE1] a text that is being erased is not written down again by a copy elsewhere, which finishes that too', async () => {
  const store = memoryStore();
  const { log } = store;
  const [reads, isRewritten, merges] = [signal(), signal(), signal()];
  const copying = hostOf(
    {
      ...store,
      log: altered(log, {
        merge: async (...segment) => {
          reads.give();
          await isRewritten.come;
          return log.merge(...segment).finally(merges.give);
        },
      }),
    },
    false,
  );
  let [own, copy]: [number, Promise<unknown> | undefined] = [0, undefined];
  const { host, faults } = hostOf(
    {
      ...store,
      log: altered(log, {
        merge: async (...segment) => {
          copy ??= copying.host.withRoom('a', () => Promise.resolve());
          await reads.come;
          own++;
          return log.merge(...segment);
        },
        append: async (...record) => {
          if (own > 0) isRewritten.give();
          if (own > 0) await merges.come;
          return log.append(...record);
        },
      }),
    },
    true,
  );
  await host.withRoom('a', (room) => room.edit((edits) => edits.insertText('t', 'a secret')));
  await host.submit({ room_id: 'a', command: { EraseValue: { key: 't' } } });
  await copy!.catch((error: unknown) => expect(error).toMatchObject({ reason: 'room-replaced' }));
  expect([await textsIn(store, 'a', 't'), faults, copying.faults]).toEqual([['********'], [], []]);
});

it('[VE1] a host that reads its image while a copy elsewhere erases what stands in it does not go by that image', async () => {
  const store = memoryStore();
  const dies = (): Promise<never> => Promise.reject(new Error('the process has ended'));
  const before = hostOf({ ...store, images: altered(store.images, { remove: dies }) }, true);
  await before.host.withRoom('a', async (room) => {
    await room.set('k', 'a secret');
    await room.compact();
  });
  const erasing = before.host.submit({ room_id: 'a', command: { EraseValue: { key: 'k' } } });
  await expect(erasing).rejects.toThrow('the process has ended');

  const copying = hostOf(store, false);
  const get: Store['images']['get'] = async (room) => {
    const image = await store.images.get(room);
    if (room === 'a' && image) await copying.host.withRoom(room, () => Promise.resolve());
    return image;
  };
  const next = hostOf({ ...store, images: altered(store.images, { get }) }, true);
  await next.host.withRoom('a', (room) => room.compact());
  expect(Buffer.from((await store.images.get('a' as RoomId))!).includes('a secret')).toBe(false);
  expect([await valuesIn(store, 'a', 'k'), next.faults, copying.faults]).toEqual([0, [], []]);
});

it('[VE1] a value is erased from children of other hosts too, and those that could not be emptied are named', async () => {
  const { first, second, store, faults } = twoHosts();
  await first.withRoom('a', (room) => room.set('secret', 'no'));
  const fork = async (host: Host, parent: string, child_room_id: string) => {
    const parent_checkpoint = await host.withRoom(parent, ({ stateHash, heads }) =>
      Promise.resolve({ canonical_hash: stateHash, frontier: heads.frontier }),
    );
    const wanted = { child_room_id, child_purpose: 'p', promotion_policy_id: 'reference-only', parent_checkpoint };
    await host.submit({ room_id: parent, command: { CreateTopologyChild: wanted } });
  };
  await fork(first, 'a', 'b');
  await fork(second, 'b', 'a-below');
  await fork(second, 'b', 'b-held');
  await second.room('b-held');
  const erased = await first.submit({ room_id: 'a', command: { EraseValue: { key: 'secret' } } });
  expect(erased).toMatchObject({
    events: [{ ValueErased: { nodes: 1, children: ['b', 'a-below'], left: ['b-held'] } }],
  });
  for (const room of ['a', 'b', 'a-below']) expect(await valuesIn(store, room, 'secret')).toBe(0);
  expect(await valuesIn(store, 'b-held', 'secret')).toBe(1);
  expect(faults).toEqual([]);
});

it('[VE1] a child whose host dies while it erases is named among those that hold the value still', async () => {
  const store = memoryStore();
  const others: HostOptions['others'] = {
    serve: (room) => room === 'b',
    wrote: () => undefined,
    counted: () => undefined,
    eraseBelow: () => Promise.reject(new Error('the other process is gone')),
  };
  const host = createHost({ store, others });
  onTestFinished(() => host.close());
  await host.withRoom('a', (room) => room.set('secret', 'no'));
  const parent_checkpoint = await host.withRoom('a', ({ stateHash, heads }) =>
    Promise.resolve({ canonical_hash: stateHash, frontier: heads.frontier }),
  );
  const wanted = { child_purpose: 'p', promotion_policy_id: 'reference-only', parent_checkpoint };
  for (const child_room_id of ['b', 'c'])
    await host.submit({ room_id: 'a', command: { CreateTopologyChild: { ...wanted, child_room_id } } });
  const erased = await host.submit({ room_id: 'a', command: { EraseValue: { key: 'secret' } } });
  expect(erased).toMatchObject({ events: [{ ValueErased: { nodes: 1, children: ['c'], left: ['b'] } }] });
});

it.each([
  [{ hostConnections: 2 }, 'the server has its 2 connections'],
  [{ addressConnections: 2 }, 'this address has its 2 connections'],
])('[LM10] connections count for the bounds of all hosts together: %j', async (limits, why) => {
  const { first, second } = twoHosts(limits);
  const enter = (host: Host, room: RoomId) => {
    const frames: unknown[] = [];
    const socket = { send: (frame: unknown) => frames.push(frame) > 0, close: () => undefined };
    return { connection: host.connect(room, socket, [], { address: '192.0.2.1', headers: {} }), frames };
  };
  const [a, b] = ['a' as RoomId, 'b' as RoomId];
  const one = enter(first, a);
  enter(second, b);
  const third = enter(second, b);
  await expect.poll(() => third.frames).toEqual([expect.stringContaining(why)]);
  third.connection.closed();
  one.connection.closed();
  const fourth = enter(second, b);
  fourth.connection.receive(JSON.stringify({ type: 'hello' }));
  await expect.poll(() => fourth.frames[0]).toEqual(expect.stringContaining('"welcome"'));
});
