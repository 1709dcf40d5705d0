import { describe, expect, it } from 'vitest';
import { memoryArchives } from '../adapters/memory/memory-archives.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { toUtf8 } from '../codec/bytes/bytes.js';
import type { BlobHash } from '../codec/bytes/blob-hash.js';
import { defaultCrypto } from '../adapters/crypto/default.js';
import { sha256 } from '../codec/bytes/hash.js';
import { toHex } from '../codec/bytes/bytes.js';
import { type Host, createHost } from '../engine.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import { createReplica, generateKeys } from '../peer.js';
import type { Store } from '../ports/store.js';
import { nameOfDeletion, readTombstone, verifyTombstone } from '../room/keeping/tombstone.js';
import { altered } from '../testing/altered.js';
import { all } from '../testing/batteries/battery.js';
import { ManualClock } from '../testing/manual-clock.js';
import { type TestPeer, testPeer } from '../testing/test-peer.js';

const ROOM = 'room' as RoomId;
const DAY = 24 * 60 * 60_000;
const COME_LATER = { type: 'error', code: 'room-deleted' };

interface Made {
  readonly host: Host;
  readonly store: Store;
  readonly clock: ManualClock;
  readonly faults: unknown[];
}

function hostOn(store: Store, { clock = new ManualClock(), days = 30 } = {}): Made {
  const faults: unknown[] = [];
  const archives = { stores: { file: memoryArchives() } };
  const limits = { tombstoneMs: days * DAY };
  const host = createHost({ store, clock, limits, archives, onFault: (fault) => faults.push(fault) });
  return { host, store, clock, faults };
}

async function join(host: Host, room = 'room'): Promise<TestPeer> {
  const peer = testPeer(host, room);
  peer.send({ type: 'hello' });
  while ((await peer.nextOf('pack'))['final'] !== true);
  return peer;
}

async function answer(host: Host, command: object, room_id = 'room'): Promise<Record<string, unknown>> {
  const { events } = await host.submit({ room_id, command: command as Record<string, unknown> });
  return { ...Object.values(events[0]!)[0] };
}

const deleted = (host: Host, room = 'room') => answer(host, { DeleteRoom: { confirm: room } }, room);

const write = (host: Host, room: string, key: string, value: unknown): Promise<void> =>
  host.withRoom(room, (opened) => opened.set(key, value));

async function expectGone(host: Host, room = 'room'): Promise<void> {
  const peer = testPeer(host, room);
  peer.send({ type: 'hello' });
  expect(await peer.next()).toMatchObject(COME_LATER);
  expect(await peer.closed).toMatchObject({ code: 1008 });
  await expect(host.submit({ room_id: room, command: 'GetFrontier' })).rejects.toMatchObject({
    reason: 'room-deleted',
  });
}

/** Stores a blob that the room names, long ago by the time that counts. */
async function putBlob({ host, store }: Made, text: string, room = ROOM): Promise<BlobHash> {
  const hash = toHex(sha256(toUtf8(text))) as BlobHash;
  await host.submit({
    room_id: room,
    command: { BlobSet: { namespace: 'files', hash, data_b64: Buffer.from(text).toString('base64') } },
  });
  expect(await store.blobs.isLinked(room, hash)).toBe(true);
  return hash;
}

/** Blobs of such a store came long ago. */
function agedBlobs(store: Store): Store {
  return {
    ...store,
    blobs: altered(store.blobs, { release: (room) => store.blobs.release(room, 0) }),
  };
}

describe('a room that is deleted', () => {
  it('[DE1] is gone with its log, its image and its blobs, and whoever is or comes there is told', async () => {
    const made = hostOn(agedBlobs(memoryStore()));
    const { host, store } = made;
    await write(host, 'room', 'k', 'v');
    const genesis = await host.withRoom('room', async (room) => room.genesis.id);
    const blob = await putBlob(made, 'of the room');
    await host.submit({ room_id: 'room', command: 'CompactRoom' });
    const inside = [await join(host), await join(host)];
    const done = await deleted(host);
    expect(done).toMatchObject({ genesis, blobs_deleted: 1, bytes_deleted: 11, canonical_seq: 3 });
    for (const peer of inside) {
      const told = await peer.nextOf('error');
      expect(told).toMatchObject(COME_LATER);
      expect(await peer.closed).toMatchObject({ code: 1008 });
      const bytes = Buffer.from(String(told['tombstone']), 'base64');
      expect(await verifyTombstone(bytes, defaultCrypto)).toMatchObject({ room: 'room', genesis, seq: 3 });
    }
    expect([await store.log.head(ROOM), await store.images.get(ROOM), await store.blobs.size(blob)]).toEqual([
      0,
      undefined,
      undefined,
    ]);
    await expectGone(host);
    await host.close();
    await expectGone(hostOn(store).host);
  });

  it('[DE1] is deleted by nobody who does not repeat its name, nor when it has no durable fact', async () => {
    const { host, store } = hostOn(memoryStore());
    await write(host, 'room', 'k', 1);
    for (const confirm of [undefined, '', 'Room', 'other', 7])
      await expect(answer(host, { DeleteRoom: { confirm } })).rejects.toMatchObject({ reason: 'invalid-payload' });
    await expect(deleted(host, 'unborn')).rejects.toMatchObject({ reason: 'reject.room_not_found' });
    await host.room('held');
    await write(host, 'held', 'k', 1);
    await expect(deleted(host, 'held')).rejects.toMatchObject({ reason: 'room-held' });
    expect(await all(store.log.rooms())).toEqual(['held', 'room']);
  });

  it('[DE1] answers what was asked before, and tells those who slept', async () => {
    const { host, clock } = hostOn(memoryStore());
    const [sleeper, writer] = [await join(host), await join(host)];
    await write(host, 'room', 'k', 1);
    for (const peer of [sleeper, writer]) await peer.nextOf('pack');
    for (let i = 0; i < 12; i++) {
      clock.advance(60_000);
      await new Promise(setImmediate);
    }
    expect(host.load(ROOM).heads).toBeUndefined();
    await deleted(host);
    for (const peer of [sleeper, writer]) {
      expect(await peer.nextOf('error')).toMatchObject(COME_LATER);
      expect(await peer.closed).toMatchObject({ code: 1008 });
    }
  });

  it('[DE2] keeps its name for as long as its tombstone says, and another room of that name is another one', async () => {
    const { host, clock, store } = hostOn(memoryStore());
    await write(host, 'room', 'secret', 'before');
    const before = await host.withRoom('room', async ({ genesis }) => genesis);
    const mine = await createReplica({ genesis: before.pack, keys: generateKeys() });
    mine.set('k', 'of the room before');
    const { until } = await deleted(host);
    clock.advance(30 * DAY - 1);
    expect(clock.now()).toBe(Number(until) - 1);
    await expectGone(host);
    clock.advance(1);
    await write(host, 'room', 'k', 'anew');
    await host.withRoom('room', async (room) => {
      const { tombstone } = (await store.log.remains(ROOM))!;
      expect(room.constitution.after).toBe(nameOfDeletion(tombstone));
      expect(room.genesis.id).not.toBe(before.id);
      expect([...room.entries()]).toEqual([['k', 'anew']]);
      const { refused } = await room.admit((await mine.seal())!, { from: 'x' });
      expect(refused).toMatchObject([{ reason: 'wrong-room' }]);
    });
    const second = await host.withRoom('room', async ({ genesis }) => genesis.id);
    await deleted(host);
    clock.advance(30 * DAY);
    const third = await host.withRoom('room', async ({ genesis }) => genesis.id);
    expect(new Set([before.id, second, third]).size).toBe(3);
  });

  it('[DE2] keeps its name for good where that is configured', async () => {
    const { host, clock, store } = hostOn(memoryStore(), { days: 0 });
    await write(host, 'room', 'k', 1);
    expect((await deleted(host))['until']).toBeUndefined();
    expect(readTombstone((await store.log.remains(ROOM))!.tombstone).until).toBe(0);
    clock.advance(10_000 * DAY);
    await expectGone(host);
  });

  it('[DE1] leaves its children what they have, blobs that they have not asked for yet included', async () => {
    const made = hostOn(agedBlobs(memoryStore()));
    const { host, store, clock } = made;
    await write(host, 'room', 'k', 'of both');
    const blob = await putBlob(made, 'of both');
    const own = await putBlob(made, 'of both'); // the same
    const parent_checkpoint = await host.withRoom('room', async ({ stateHash, heads }) => ({
      canonical_hash: stateHash,
      frontier: heads.frontier,
    }));
    const child = { child_purpose: 'p', promotion_policy_id: 'promotion-based', parent_checkpoint };
    await answer(host, { CreateTopologyChild: { ...child, child_room_id: 'child' } });
    expect(own).toBe(blob);
    expect(await deleted(host)).toMatchObject({ blobs_deleted: 0 });
    expect(await store.blobs.isLinked('child' as RoomId, blob)).toBe(true);
    await host.withRoom('child', async (room) => {
      expect(room.get('k')).toBe('of both');
      const past = await room.asOf(2);
      expect(past.get('k')).toBe('of both');
    });
    clock.advance(30 * DAY);
    await write(host, 'room', 'k', 'another room');
    expect(await answer(host, { ListTopologyChildren: {} })).toMatchObject({ children: [] });
    expect(await answer(host, { DescribeRoomLineage: {} }, 'child')).toMatchObject({ ancestors: [{}] });
    const proposal = { child_room_id: 'child', child_checkpoint_hash: '0'.repeat(64), payload_ref: 'all' };
    const refused = await host
      .submit({ room_id: 'room', command: { ProposeTopologyPromotion: proposal } })
      .catch(String);
    expect(JSON.stringify(refused)).toContain('promotion_invalid_lineage');
    await host.close();
    const [again] = [hostOn(store, { clock }).host];
    expect(await again.withRoom('child', async (room) => room.get('k'))).toBe('of both');
  });

  it('[DE1] comes back from an archive as it was, once its name is free', async () => {
    const made = hostOn(memoryStore());
    const { host, clock } = made;
    const keys = generateKeys();
    await write(host, 'room', 'k', 'kept');
    await answer(host, { SetRoomKey: { pubkey_hex: keys.publicKey } });
    const was = await host.withRoom('room', async ({ genesis, stateHash }) => [genesis.id, stateHash]);
    await answer(host, { ExportArchive: { archive_ref: 'file://a.weft' } });
    await deleted(host);
    const back = { ImportArchive: { archive_ref: 'file://a.weft', import_mode: 'full_apply' } };
    await expect(answer(host, back)).rejects.toMatchObject({ reason: 'room-deleted' });
    clock.advance(30 * DAY);
    await answer(host, back);
    expect(await host.withRoom('room', async ({ genesis, stateHash }) => [genesis.id, stateHash])).toEqual(was);
    expect(await host.withRoom('room', async ({ facts }) => facts.lock)).toBe(keys.publicKey);
  });

  it('[DE3] is told by another host on the same store, to those inside at its next look or write', async () => {
    const store = memoryStore();
    const clock = new ManualClock();
    const [here, there] = [hostOn(store, { clock }), hostOn(store, { clock })];
    await write(here.host, 'room', 'k', 1);
    const reader = await join(there.host);
    await deleted(here.host);
    await expect(write(there.host, 'room', 'k', 2)).rejects.toMatchObject({ reason: 'room-deleted' });
    expect(await reader.nextOf('error')).toMatchObject(COME_LATER);
    expect(await reader.closed).toMatchObject({ code: 1008 });
    await expectGone(there.host);
    await write(here.host, 'quiet', 'k', 1);
    const quiet = await join(there.host, 'quiet');
    await deleted(here.host, 'quiet');
    clock.advance(60_000);
    expect(await quiet.nextOf('error')).toMatchObject(COME_LATER);
    await expectGone(there.host, 'quiet');
    expect([await store.log.head(ROOM), here.faults, there.faults]).toEqual([0, [], []]);
  });

  it('[DE1] is not deleted by ten who came to it: it is no failure that nobody enters', async () => {
    const { host } = hostOn(memoryStore());
    await write(host, 'room', 'k', 1);
    await deleted(host);
    for (let i = 0; i < 12; i++) await expectGone(host);
    expect(host.quarantined.size).toBe(0);
  });
});

describe('a deletion that was cut short', () => {
  const stages: readonly [string, 'whole' | 'deleted', (store: Store) => Store][] = [
    ['before the log is gone', 'whole', (store) => ({ ...store, log: altered(store.log, { remove: fails }) })],
    ['before the image is', 'deleted', (store) => ({ ...store, images: altered(store.images, { remove: fails }) })],
    ['before the blobs are', 'deleted', (store) => ({ ...store, blobs: altered(store.blobs, { release: fails }) })],
  ];

  function fails(): Promise<never> {
    return Promise.reject(new Error('the process has ended'));
  }

  it.each(stages)('[DE1] %s leaves a room that is %s, and the next host finishes it', async (_, left, cut) => {
    const store = agedBlobs(memoryStore());
    const made = hostOn(cut(store));
    await write(made.host, 'room', 'k', 'v');
    const blob = await putBlob(made, 'of the room');
    await made.host.submit({ room_id: 'room', command: 'CompactRoom' });
    const peer = await join(made.host);
    if (left === 'whole') {
      await expect(deleted(made.host)).rejects.toThrow('the process has ended');
      expect((await peer.closed).code).toBe(1012);
      expect(await made.host.withRoom('room', async (room) => room.get('k'))).toBe('v');
      expect(await store.blobs.size(blob)).toBe(11);
    } else {
      expect(await deleted(made.host)).toMatchObject({ blobs_deleted: 0 });
      expect((await peer.closed).code).toBe(1008);
      expect(await store.log.head(ROOM)).toBe(0);
      await expectGone(made.host);
      expect(made.faults).toMatchObject([{ message: 'the process has ended' }]);
    }
    const { host, faults } = hostOn(store);
    await expectGone(host);
    expect([await store.images.get(ROOM), await store.blobs.size(blob), faults]).toEqual([undefined, undefined, []]);
    const audit = await host.withRoom('room2', async () => undefined).then(() => all(store.log.rooms()));
    expect(audit).toEqual(['~host']);
  });

  it('[DE2] leaves no image to whoever begins another room of that name', async () => {
    const store = memoryStore();
    const clock = new ManualClock();
    let isFull = true;
    const remove = (id: RoomId): Promise<void> => (isFull ? fails() : store.images.remove(id));
    const { host } = hostOn({ ...store, images: altered(store.images, { remove }) }, { clock });
    await write(host, 'room', 'k', 'old');
    await host.submit({ room_id: 'room', command: 'CompactRoom' });
    expect(await store.images.get(ROOM)).toBeDefined();
    await deleted(host);
    isFull = false;
    clock.advance(30 * DAY);
    await write(host, 'room', 'other', 'new');
    expect(await host.withRoom('room', async (room) => [room.get('k'), room.get('other')])).toEqual([undefined, 'new']);
  });

  it('[DE1] does not delete another room that was begun under the name meanwhile', async () => {
    const store = memoryStore();
    const clock = new ManualClock();
    const cut = { ...store, blobs: altered(store.blobs, { release: fails }) };
    const first = hostOn(cut, { clock });
    await write(first.host, 'room', 'k', 'old');
    await deleted(first.host);
    clock.advance(30 * DAY);
    await write(first.host, 'room', 'k', 'new');
    const { host } = hostOn(store, { clock });
    expect(await host.withRoom('room', async (room) => room.get('k'))).toBe('new');
  });
});
