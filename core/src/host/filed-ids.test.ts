import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as path } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { levelStore } from '../adapters/level/level-store.js';
import { memoryArchives } from '../adapters/memory/memory-archives.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import { type Host, createHost } from '../engine.js';
import { createReplica, generateKeys } from '../peer.js';
import type { Store } from '../ports/store.js';
import type { Room } from '../room/room.js';
import { ManualClock } from '../testing/manual-clock.js';
import { type TestPeer, testPeer } from '../testing/test-peer.js';

const [ROOM, CHILD] = ['room', 'child'] as RoomId[] as [RoomId, RoomId];

let folder = '';
let faults: unknown[] = [];
let host: Host;
let store: Store;
const archives = memoryArchives();
beforeEach(async () => {
  folder = await mkdtemp(path(tmpdir(), 'weft-filed-'));
  faults = [];
  begin();
});
afterEach(async () => {
  await host.close();
  await rm(folder, { recursive: true });
});

function begin(): void {
  store = levelStore(folder);
  host = createHost({
    store,
    clock: new ManualClock(),
    archives: { stores: { file: archives } },
    leastDormant: 0,
    leastFiled: 1000, // so that what a child writes is worth none by itself
    onFault: (fault) => faults.push(fault),
  });
}
async function restart(): Promise<void> {
  await host.close();
  begin();
}

async function answer(command: object | string, room_id: string = ROOM): Promise<Record<string, unknown>> {
  const { events } = await host.submit({ room_id, command: command as Record<string, unknown> });
  const body = { ...Object.values(events[0]!)[0] };
  if (body['reason_class'] !== undefined) throw new Error(String(body['reason_message']));
  return body;
}
const inRoom = <T>(act: (room: Room) => Promise<T> | T, room: string = ROOM): Promise<T> =>
  host.withRoom(room, async (opened) => act(opened));
async function versionOf(room: RoomId): Promise<number | undefined> {
  await host.ready();
  return (await store.images.get(room))?.[0];
}
async function files(): Promise<string[]> {
  const all = await readdir(path(folder, 'images'), { recursive: true });
  return all.filter((name) => name.includes('.ids/')).map((name) => path(folder, 'images', name));
}

/** Overwrites a few keys many times; all of it lies in files then. */
async function overwrite(room: string = ROOM, nodes = 1200): Promise<void> {
  await inRoom(async (opened) => {
    await opened.transactMany((write) => {
      for (let i = 0; i < nodes; i++) write([{ key: `k${i % 7}`, value: `${room} ${i}` }]);
    });
  }, room);
  await restart();
}
async function fork(): Promise<void> {
  const parent_checkpoint = await inRoom(({ stateHash, heads }) => ({
    canonical_hash: stateHash,
    frontier: heads.frontier,
  }));
  const child = { child_room_id: CHILD, child_purpose: 'p', promotion_policy_id: 'promotion-based' };
  await answer({ CreateTopologyChild: { ...child, parent_checkpoint } });
}

/** What a room is, of which who reads all of it says the same, and finds each of its nodes by its id. */
async function stateOf(room: string = ROOM): Promise<unknown> {
  return inRoom(async (opened) => {
    const reader = await createReplica({ genesis: opened.genesis.pack, keys: generateKeys() });
    for await (const pack of opened.attestedPacks()) expect((await reader.receive(pack)).refused).toEqual([]);
    expect(reader.stateHash).toBe(opened.stateHash);
    const ids = Array.from({ length: opened.seq }, (_, seq) => opened.nodes.describe(seq).nodeId);
    expect(opened.nodes.numbersOf(ids)).toEqual([...ids.keys()]);
    return { seq: opened.seq, hash: opened.stateHash, heads: opened.heads, values: [...opened.entries('k')], ids };
  }, room);
}
/** Entry of a peer who has everything. */
async function join(): Promise<TestPeer> {
  const peer = testPeer(host, ROOM);
  const known = await inRoom(({ heads }) => heads.frontier);
  peer.send({ type: 'hello', known });
  while ((await peer.nextOf('pack'))['final'] !== true);
  return peer;
}

describe('rooms whose old ids lie in files', () => {
  it('[ID1] a child reads those of its parent until it has its own, and keeps what it has when the parent is deleted', async () => {
    await overwrite();
    expect([await versionOf(ROOM), (await files()).length]).toEqual([6, 1]);
    await fork();
    const was = await stateOf(CHILD);
    await restart();
    expect(await versionOf(CHILD)).toBeUndefined();
    expect(await stateOf(CHILD)).toEqual(was);
    await answer({ DeleteRoom: { confirm: ROOM } });
    expect(await files()).toEqual([]);
    expect(await stateOf(CHILD)).toEqual(was); // read while it had them open
    await restart();
    expect(await stateOf(CHILD)).toEqual(was);
    await overwrite(CHILD, 900);
    const later = await stateOf(CHILD);
    expect([await versionOf(CHILD), (await files()).length]).toEqual([6, 1]);
    await restart();
    expect([await stateOf(CHILD), faults]).toEqual([later, []]);
  });

  it('[ID1] a child has files of its own with its first image, though its parent has not changed', async () => {
    await overwrite();
    await fork();
    await overwrite(CHILD, 700);
    expect([await versionOf(ROOM), await versionOf(CHILD), (await files()).length]).toEqual([6, 6, 2]);
    const [parent, child] = [await stateOf(), await stateOf(CHILD)];
    await answer({ DeleteRoom: { confirm: CHILD } }, CHILD);
    expect((await files()).length).toBe(1);
    await restart();
    expect([await stateOf(), parent === child, faults]).toEqual([parent, false, []]);
  });

  it('[ID1] what is erased or given up leaves the room that it was, and files are made anew', async () => {
    await overwrite();
    for (const giveUp of [{ EraseValue: { key: 'k3' } }, { PruneHistory: {} }]) {
      await answer(giveUp);
      const was = await stateOf();
      await restart();
      expect(await stateOf()).toEqual(was);
      await overwrite();
      expect([await versionOf(ROOM), (await files()).length]).toEqual([6, 1]);
    }
    expect(faults).toEqual([]);
  });

  it('[ID1] an archive has all that there is, and comes back as it was', async () => {
    await overwrite();
    const was = await stateOf();
    await answer({ ExportArchive: { archive_ref: 'file://a.weft' } });
    await answer({ ValidateArchive: { archive_ref: 'file://a.weft', mode: 'full_integrity' } });
    await answer({ ImportArchive: { archive_ref: 'file://a.weft', import_mode: 'full_apply' } }, 'other');
    expect(((await stateOf('other')) as { values: unknown }).values).toEqual((was as { values: unknown }).values);
    expect([await stateOf(), faults]).toEqual([was, []]);
  });

  it('[ID2] who is in a room whose file is damaged is sent away, and comes back to what its log says', async () => {
    await overwrite();
    const was = await stateOf();
    await restart();
    const [file] = await files();
    const bytes = await readFile(file!);
    await writeFile(file!, bytes.fill(0, 256 * 32, 1024 * 32));
    const member = await join();
    await expect(inRoom((room) => room.nodes.describe(700))).rejects.toThrow('is damaged: it was removed');
    await expect(inRoom((room) => room.set('k1', 'lost'))).rejects.toThrow('is damaged');
    expect(await member.closed).toMatchObject({ code: 1012 });
    expect([await stateOf(), faults.length, await files()]).toEqual([was, 1, []]);
    await inRoom((room) => room.set('k1', 'kept'));
    expect(await inRoom((room) => room.get('k1'))).toBe('kept');
  });
});
