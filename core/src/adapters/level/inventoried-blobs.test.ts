import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Level } from 'level';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BlobHash, parseBlobHash } from '../../codec/bytes/blob-hash.js';
import { parseRoomId } from '../../codec/bytes/room-id.js';
import type { BlobStore } from '../../ports/blob-store.js';
import type { Store } from '../../ports/store.js';
import { all } from '../../testing/batteries/battery.js';
import { onDisk } from './disk.js';
import { levelStore } from './level-store.js';

const HOUR = 3_600_000;
let folder = '';
let store: Store;
let blobs: BlobStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-blobs-'));
  await reopen();
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});
async function reopen(): Promise<void> {
  await store?.close();
  store = levelStore(folder);
  await store.open();
  blobs = store.blobs;
}

const room = parseRoomId('room') ?? raise('not a room id');
function raise(message: string): never {
  throw new Error(message);
}
function hashOf(bytes: Uint8Array): BlobHash {
  return parseBlobHash(createHash('sha256').update(bytes).digest('hex')) ?? raise('not a hash');
}
const pathOf = (hash: BlobHash): string => join(folder, 'blobs', hash.slice(0, 2), hash.slice(2));
const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);
async function* from(...chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}
async function put(bytes: Uint8Array): Promise<BlobHash> {
  const hash = hashOf(bytes);
  await blobs.put(hash, from(bytes), bytes.length);
  return hash;
}
async function age(hash: BlobHash, ms: number): Promise<void> {
  const then = new Date(Date.now() - ms);
  await utimes(pathOf(hash), then, then);
}
/** Files of this process that are open within the folder. */
function openFiles(): number {
  return readdirSync('/proc/self/fd').filter((fd) => openedAs(fd)?.startsWith(folder)).length;
}

/** Path of an open file; undefined when it was closed meanwhile. */
function openedAs(fd: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return undefined;
  }
}

describe('blobs in a folder', () => {
  it('[BL1] are files of their owner alone, named by their hash, made with the first one', async () => {
    expect(existsSync(join(folder, 'blobs'))).toBe(false);
    const bytes = randomBytes(1000);
    const hash = await put(bytes);
    expect(await readFile(pathOf(hash))).toEqual(bytes);
    expect(await modeOf(pathOf(hash))).toBe('600');
    for (const name of ['', hash.slice(0, 2), 'incoming'])
      expect(await modeOf(join(folder, 'blobs', name))).toBe('700');
    expect(await readdir(join(folder, 'blobs', 'incoming'))).toEqual([]);
  });

  it('[BL1] that are refused leave no file', async () => {
    const hash = hashOf(randomBytes(10));
    await expect(blobs.put(hash, from(randomBytes(70_000)), 100_000)).rejects.toMatchObject({ fault: 'hash-mismatch' });
    await expect(blobs.put(hash, from(randomBytes(70_000)), 10)).rejects.toMatchObject({ fault: 'too-large' });
    expect(await readdir(join(folder, 'blobs'))).toEqual(['incoming']);
    expect(await readdir(join(folder, 'blobs', 'incoming'))).toEqual([]);
  });

  it('[BL1] are never reached by another name', async () => {
    await writeFile(join(folder, 'precious'), 'mine');
    for (const name of ['../precious', '..', '', 'AB'.repeat(32), `${'ab'.repeat(31)}/.`]) {
      const hash = name as BlobHash;
      await expect(blobs.size(hash)).rejects.toThrow('64 lower-case hex');
      await expect(blobs.get(hash)).rejects.toThrow('64 lower-case hex');
      await expect(blobs.delete(hash)).rejects.toThrow('64 lower-case hex');
      await expect(blobs.link(room, hash)).rejects.toThrow('64 lower-case hex');
      await expect(blobs.put(hash, from(), 0)).rejects.toMatchObject({ fault: 'hash-mismatch' });
    }
    expect(await readFile(join(folder, 'precious'), 'utf8')).toBe('mine');
  });

  it('[BL5] that were cut short by a crash are removed at the next open, and nothing else is', async () => {
    const hash = await put(randomBytes(100));
    await writeFile(join(folder, 'blobs', 'incoming', 'left-over'), 'half a blo');
    await writeFile(join(folder, 'blobs', 'note'), 'mine');
    await writeFile(join(folder, 'blobs', hash.slice(0, 2), 'not-a-hash'), 'mine');
    await reopen();
    expect(await all(blobs.all())).toEqual([hash]);
    expect(existsSync(join(folder, 'blobs', 'incoming'))).toBe(false);
    expect(await readFile(join(folder, 'blobs', 'note'), 'utf8')).toBe('mine');
    expect(await blobs.size(await put(randomBytes(100)))).toBe(100);
  });

  it('[BL1] that the disk has damaged are replaced when they are put again', async () => {
    const bytes = randomBytes(300_000);
    const hash = await put(bytes);
    const content = await blobs.get(hash);
    await truncate(pathOf(hash), 200_000);
    await expect(all(content?.bytes ?? from())).rejects.toMatchObject({ name: 'StoreError', fault: 'damaged' });
    await put(bytes);
    expect(Buffer.concat(await all((await blobs.get(hash))?.bytes ?? from()))).toEqual(bytes);
  });

  it.runIf(process.platform === 'linux')(
    '[BL2] hold no file open for readers that stop early or never begin',
    async () => {
      const hash = await put(randomBytes(500_000));
      const before = openFiles();
      for (let i = 0; i < 50; i++) {
        await blobs.get(hash);
        for await (const _ of (await blobs.get(hash))?.bytes ?? from()) break;
        await blobs.put(hash, from(randomBytes(10)), 100).catch(() => undefined);
      }
      expect(openFiles()).toBe(before);
    },
  );

  it('[BL4] are idle since they were last put or taken from a room', async () => {
    const hash = await put(randomBytes(10));
    await age(hash, 2 * HOUR);
    expect(await all(blobs.unlinked(HOUR))).toEqual([hash]);
    expect(await all(blobs.unlinked(3 * HOUR))).toEqual([]);
    await blobs.link(room, hash);
    expect(await all(blobs.unlinked(HOUR))).toEqual([]);
    await blobs.unlink(room, hash);
    expect(await blobs.collect(hash, HOUR)).toBe(false);
    await age(hash, 2 * HOUR);
    expect(await blobs.collect(hash, HOUR)).toBe(true);
    expect(existsSync(pathOf(hash))).toBe(false);
  });

  it('[BL16] weigh what they weigh where an older version has entered them, and no more where it has removed them', async () => {
    const [kept, gone] = [await put(randomBytes(100)), await put(randomBytes(50))];
    await blobs.link(room, kept, 'ann');
    await blobs.link(room, gone, 'ann');
    await store.close();
    const database = new Level<string, Uint8Array>(join(folder, 'log'), { valueEncoding: 'view' });
    for (const key of [`w!room!${kept}`, `k!ann!room!${kept}`, `i!room!${gone}`, `b!${gone}!room`])
      await database.del(key);
    await database.close();
    await reopen();
    const ask = (size: number, by?: string) =>
      blobs.reserve({ room, hash: hashOf(Uint8Array.of(size)), size, by }, { room: 150, key: 150, server: 1000 });
    expect(await ask(51)).toEqual({ lacks: 'room' });
    const space = await ask(50, 'ann');
    if ('lacks' in space) throw new Error(`there is no space: ${space.lacks}`);
    space.leave();
    const other = parseRoomId('other')!;
    expect(
      await blobs.reserve({ room: other, hash: kept, size: 150, by: 'ann' }, { room: 150, key: 150, server: 1000 }),
    ).not.toHaveProperty('lacks');
  });

  it('[BL4] that are put again are not idle', async () => {
    const bytes = randomBytes(10);
    const hash = await put(bytes);
    await age(hash, 2 * HOUR);
    await put(bytes);
    expect(await blobs.collect(hash, HOUR)).toBe(false);
  });

  it('[BL5] whose upload outlives the store are refused and leave no file', async () => {
    const bytes = randomBytes(50_000);
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield bytes.subarray(0, 20_000);
      await store.close();
      yield bytes.subarray(20_000);
    }
    await expect(blobs.put(hashOf(bytes), slow(), bytes.length)).rejects.toMatchObject({ name: 'StoreError' });
    expect(await readdir(join(folder, 'blobs', 'incoming'))).toEqual([]);
    expect(existsSync(pathOf(hashOf(bytes)))).toBe(false);
  });

  it('[BL5] that cannot be written say where and why', async () => {
    await writeFile(join(folder, 'blobs'), 'a file where the folder should be');
    const done = blobs.put(hashOf(randomBytes(3)), from(randomBytes(3)), 3);
    await expect(done).rejects.toMatchObject({
      name: 'StoreError',
      message: expect.stringContaining(`cannot write blobs in ${join(folder, 'blobs')}`),
    });
    await rm(join(folder, 'blobs'));
    await mkdir(join(folder, 'blobs', 'ab'), { recursive: true });
    expect(await blobs.size(await put(randomBytes(3)))).toBe(3);
  });

  it.each([
    ['ENOSPC', 'full', 'the disk is full; free space'],
    ['EDQUOT', 'full', 'raise the quota'],
    ['EACCES', 'unreadable', 'give the folder and all in it to the user that runs Weft'],
    ['EROFS', 'unreadable', 'the disk is read-only'],
    ['EMFILE', 'failed', 'ulimit -n'],
    ['EIO', 'failed', 'the disk fails (the disk said EIO); nothing more is taken until it works again'],
  ])('[BL5] a disk that answers %s is %s, with what to do', async (code, fault, remedy) => {
    const cause = Object.assign(new Error(`the disk said ${code}`), { code });
    const failing = onDisk('write blobs in /data', () => Promise.reject(cause));
    await expect(failing).rejects.toMatchObject({
      name: 'StoreError',
      fault,
      message: expect.stringMatching(new RegExp(`^cannot write blobs in /data: .*${remedy.replace(/[()]/g, '.')}`)),
      cause,
    });
  });
});
