/** History that is given up on a real disk and over real sockets: the bytes are gone, and who was there comes back. */
import { randomBytes } from 'node:crypto';
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type RoomClient, createHost, generateKeys, keepRoom } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { tempFolder } from '../support/temp-folder.js';
import { serveHere } from './serving.js';

const VALUE_BYTES = 200_000;
const VALUES = 20;

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function sizeOf(folder: string): Promise<number> {
  let size = 0;
  for (const file of await filesIn(folder)) size += (await stat(file)).size;
  return size;
}

async function isOnDisk(folder: string, bytes: Uint8Array): Promise<boolean> {
  for (const file of await filesIn(folder)) if ((await readFile(file)).includes(Buffer.from(bytes))) return true;
  return false;
}

it('[PN1] [VE1] [DE1] what is pruned, erased and deleted is not on the disk any more, in whatever file', async () => {
  const folder = await tempFolder();
  const host = createHost({ store: levelStore(folder) });
  const values = Array.from({ length: VALUES }, () => new Uint8Array(randomBytes(VALUE_BYTES)));
  const secret = new Uint8Array(randomBytes(500));
  for (const value of values) await host.withRoom('room', (room) => room.set('large', value));
  await host.withRoom('room', (room) => room.set('secret', secret));
  const parent_checkpoint = await host.withRoom('room', async ({ stateHash, heads }) => ({
    canonical_hash: stateHash,
    frontier: heads.frontier,
  }));
  const wanted = { child_room_id: 'child', child_purpose: 'p', promotion_policy_id: 'reference-only' };
  const submit = (room_id: string, command: Record<string, object>) => host.submit({ room_id, command });
  await submit('room', { CreateTopologyChild: { ...wanted, parent_checkpoint } });
  await submit('room', { CompactRoom: {} });
  const before = await sizeOf(folder);
  await submit('room', { EraseValue: { key: 'secret' } });
  expect(await isOnDisk(folder, secret.subarray(50, 450))).toBe(false);
  for (const room of ['room', 'child']) await submit(room, { PruneHistory: {} });
  expect(before).toBeGreaterThan(VALUES * VALUE_BYTES);
  expect(await sizeOf(folder)).toBeLessThan(5 * VALUE_BYTES);
  expect(await isOnDisk(folder, values[3]!.subarray(50, 450))).toBe(false);
  await host.withRoom('child', async (room) => expect(room.get('large')).toEqual(values.at(-1)));
  for (const room of ['room', 'child']) await submit(room, { DeleteRoom: { confirm: room } });
  await host.close();
  expect(await isOnDisk(folder, values.at(-1)!.subarray(50, 450))).toBe(false);
  expect(await sizeOf(folder)).toBeLessThan(VALUE_BYTES);
});

async function until(isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !isSo(); i++) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(isSo()).toBe(true);
}

it('[VE2] [VE4] a client that is there comes again and gives the value up, with what it has not sent yet', async () => {
  const { host, url, faults } = await serveHere('ws');
  const clients: RoomClient[] = [0, 1].map(() => {
    const open = (): WebSocket => new WebSocket(url.replace('<room>', 'room'));
    return keepRoom({ open, keys: generateKeys(), retry: { firstMs: 5, mostMs: 20 } });
  });
  onTestFinished(() => clients.forEach((client) => client.close()));
  const [one, two] = clients as [RoomClient, RoomClient];
  for (const client of clients) await client.joined;
  one.replica.set('secret', 'a name');
  one.replica.set('k', 1);
  await until(() => two.replica.get('k') === 1 && one.synced);
  const erasing = host.submit({ room_id: 'room', command: { EraseValue: { key: 'secret' } } });
  two.replica.set('meanwhile', 2);
  await erasing;
  await until(() => clients.every(({ replica }) => replica.get('secret') === undefined && replica.withheld > 0));
  await until(() => one.replica.get('meanwhile') === 2 && two.synced);
  expect(one.replica.stateHash).toBe(two.replica.stateHash);
  for (const { replica } of clients) expect(Buffer.from(replica.save()).includes('a name')).toBe(false);
  expect(faults).toEqual([]);
});
