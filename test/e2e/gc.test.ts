/** What `weft gc` deletes, and what it never does. */
import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Host, type RoomId, BlobRef, createHost, generateKeys, keepRoom, parseBlobHash } from '@weft/core';
import { levelStore } from '@weft/core/level';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import WebSocket from 'ws';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/programs/weft-process.js';
import { WeftRun, weftJson } from '../support/programs/weft-run.js';

interface Found {
  readonly rooms: number;
  readonly letGo: number;
  readonly deleted: number;
  readonly bytes: number;
}

afterEach(() => void vi.useRealTimers());

async function gc(folder: string, ...args: string[]): Promise<Found> {
  return (await weftJson('gc', '--store', folder, ...args)) as Found;
}

/** A data folder that is filled in this process. */
class Filled {
  readonly folder: string;
  readonly store: ReturnType<typeof levelStore>;
  readonly host: Host;

  private constructor(folder: string) {
    this.folder = folder;
    this.store = levelStore(folder);
    this.host = createHost({ store: this.store });
  }

  static async open(folder: string): Promise<Filled> {
    const filled = new Filled(folder);
    await filled.host.ready();
    return filled;
  }

  /** Uploads a blob, as a peer of the room would. */
  async upload(room: string, how: 'stage' | 'link' = 'link'): Promise<string> {
    const bytes = randomBytes(1000);
    const hash = parseBlobHash(createHash('sha256').update(bytes).digest('hex'))!;
    async function* source(): AsyncGenerator<Uint8Array> {
      yield bytes;
    }
    await this.store.blobs.put(hash, source(), bytes.length);
    await this.store.blobs[how](room as RoomId, hash);
    return hash;
  }

  async refer(id: string, hash: string): Promise<void> {
    const room = await this.host.room(id);
    await room.transact(() => ({ writes: [{ key: 'file', held: new BlobRef(hash) }], result: undefined }));
  }

  async set(id: string, value: unknown): Promise<void> {
    await (await this.host.room(id)).set('value', value);
  }
}

/** An hour is the grace period of these tests: what the clock says is set, once it has run out. */
function graceIsOver(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 3_600_000 });
}

async function blobsIn(folder: string): Promise<string[]> {
  const names = await readdir(join(folder, 'blobs'), { recursive: true });
  return names.flatMap((name) => (/^[0-9a-f]{2}\/[0-9a-f]{62}$/.test(name) ? [name.replace('/', '')] : [])).sort();
}

it('keeps what any log has ever mentioned, however, and what is new; the rest goes a grace period after it was let go', async () => {
  const folder = join(await tempFolder(), 'data');
  const filled = await Filled.open(folder);
  const kept = {
    referred: await filled.upload('one'),
    overwritten: await filled.upload('one'),
    named: await filled.upload('one'),
    elsewhere: await filled.upload('one'),
    ofChild: await filled.upload('child'),
  };
  await filled.refer('one', kept.overwritten);
  await filled.refer('one', kept.referred);
  await filled.set('one', { url: `https://example.org/${kept.named}?x` });
  await filled.set('two', kept.elsewhere);
  const parent = await filled.host.room('one');
  const child = {
    child_room_id: 'child',
    child_purpose: 'a draft',
    promotion_policy_id: 'reference-only',
    parent_checkpoint: { canonical_hash: parent.stateHash, frontier: parent.heads.frontier },
  };
  await filled.host.submit({ room_id: 'one', command: { CreateTopologyChild: child } });
  await filled.refer('child', kept.ofChild);
  // What its parent had at the fork is listed in a blob that its first record names.
  const list = (await filled.host.room('child')).get('\0blobs') as BlobRef;
  const idle = await filled.upload('one');
  const staged = await filled.upload('one', 'stage');
  await filled.host.close();

  const stays = [...Object.values(kept), list.hash];
  expect(await gc(folder)).toEqual({ rooms: 3, letGo: 1, deleted: 0, bytes: 0 });
  expect(await gc(folder, '--delete')).toEqual({ rooms: 3, letGo: 0, deleted: 0, bytes: 0 });
  graceIsOver();
  expect(await gc(folder, '--grace', '1h')).toEqual({ rooms: 3, letGo: 1, deleted: 1, bytes: 1000 });
  expect(await blobsIn(folder)).toEqual([...stays, idle, staged].sort());
  expect(await gc(folder, '--grace', '1h', '--delete')).toEqual({ rooms: 3, letGo: 1, deleted: 1, bytes: 1000 });
  expect(await blobsIn(folder)).toEqual([...stays, idle].sort());
  graceIsOver();
  expect(await gc(folder, '--grace', '1h', '--delete')).toEqual({ rooms: 3, letGo: 0, deleted: 1, bytes: 1000 });
  expect(await blobsIn(folder)).toEqual(stays.sort());
});

it('takes what was uploaded to a room to which nothing was ever written', async () => {
  const folder = join(await tempFolder(), 'data');
  const filled = await Filled.open(folder);
  await filled.set('one', 1);
  await filled.upload('bare');
  await filled.host.close();
  graceIsOver();
  expect(await gc(folder, '--grace', '1h', '--delete')).toEqual({ rooms: 1, letGo: 1, deleted: 0, bytes: 0 });
  graceIsOver();
  expect(await gc(folder, '--grace', '1h', '--delete')).toEqual({ rooms: 1, letGo: 0, deleted: 1, bytes: 1000 });
  expect(await blobsIn(folder)).toEqual([]);
});

it('may be killed at any moment: what is mentioned is there and readable, and in the end the rest is gone', async () => {
  const folder = join(await tempFolder(), 'data');
  const filled = await Filled.open(folder);
  const kept: string[] = [];
  for (let i = 0; i < 100; i++) {
    await filled.upload('one');
    kept.push(await filled.upload('one'));
  }
  await filled.set('one', kept);
  await filled.host.close();
  await new Promise((resolve) => setTimeout(resolve, 1100));
  const begun = performance.now();
  await gc(folder, '--grace', '1s'); // which only looks
  const whole = performance.now() - begun;
  let killed = 0;
  for (let round = 0; round < 8; round++) {
    const weft = new WeftProcess(['gc', '--store', folder, '--delete', '--grace', '1s']);
    await new Promise((resolve) => setTimeout(resolve, (Math.random() + 0.25) * whole));
    if ((await weft.kill('SIGKILL')).signal === 'SIGKILL') killed++;
    const again = await Filled.open(folder);
    const linked: string[] = [];
    for await (const hash of again.store.blobs.linked('one' as RoomId)) linked.push(hash);
    const there = new Set(await blobsIn(folder));
    expect(kept.filter((hash) => !linked.includes(hash) || !there.has(hash))).toEqual([]);
    expect(linked.filter((hash) => !there.has(hash))).toEqual([]);
    await again.host.close();
  }
  expect(killed).toBeGreaterThan(0);
  await gc(folder, '--delete', '--grace', '1s');
  await new Promise((resolve) => setTimeout(resolve, 1100));
  await gc(folder, '--delete', '--grace', '1s');
  expect(await blobsIn(folder)).toEqual(kept.sort());
});

it('asks the server that runs, and leaves to peers what they are uploading', async () => {
  const folder = join(await tempFolder(), 'data');
  const weft = new WeftRun(['serve', '--listen', '127.0.0.1:0', '--store', folder]);
  const [, url = ''] = await weft.line(/^(ws:\S+\/)<room>$/);
  const client = keepRoom({ open: () => new WebSocket(`${url}one`), keys: generateKeys() });
  onTestFinished(() => client.close());
  await client.joined;
  const bytes = randomBytes(1000);
  client.replica.set('k', 1);
  await client.push();
  const hash = await client.putBlob(bytes);
  expect(await gc(folder, '--delete')).toEqual({ rooms: 1, letGo: 0, deleted: 0, bytes: 0 });
  client.replica.setBlob('file', hash);
  await client.push();
  graceIsOver();
  expect(await gc(folder, '--delete', '--grace', '1h')).toEqual({ rooms: 1, letGo: 0, deleted: 0, bytes: 0 });
  expect(Buffer.from((await client.getBlob(hash)) ?? []).equals(bytes)).toBe(true);
});
