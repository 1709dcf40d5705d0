import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toHex, toUtf8 } from '../../codec/bytes/bytes.js';
import { sha256 } from '../../codec/bytes/hash.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import type { Store } from '../../ports/store.js';
import { levelStore } from './level-store.js';

const [room, other] = ['room', 'other'] as RoomId[] as [RoomId, RoomId];

let folder = '';
let store: Store;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-images-'));
  store = levelStore(folder);
  await store.open();
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

async function reopen(): Promise<void> {
  await store.close();
  store = levelStore(folder);
  await store.open();
}
const pathOf = (id: RoomId): string => join(folder, 'images', `${toHex(sha256(toUtf8(id)))}.image`);
const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);
async function image(id = room): Promise<string | undefined> {
  const bytes = await store.images.get(id);
  return bytes && toHex(bytes);
}

describe('images in a folder', () => {
  it('[ST9] are files of their owner alone, made with the first one, and nothing else stays', async () => {
    expect([await image(), existsSync(join(folder, 'images'))]).toEqual([undefined, false]);
    await store.images.remove(room);
    await store.images.put(room, [toUtf8('state')]);
    await store.images.put(room, [toUtf8('new'), toUtf8('state')]);
    expect(await readdir(join(folder, 'images', 'incoming'))).toEqual([]);
    expect(await modeOf(pathOf(room))).toBe('600');
    expect([await modeOf(join(folder, 'images')), await modeOf(join(folder, 'images', 'incoming'))]).toEqual([
      '700',
      '700',
    ]);
    expect((await readFile(pathOf(room))).toString('latin1')).toMatch(/^WIM1[^]{4}newstate$/);
  });

  it('[ST9] of which any byte has changed, or some are gone or too many, are none', async () => {
    await store.images.put(room, [randomBytes(30)]);
    const file = await readFile(pathOf(room));
    const changed = Array.from(file, (byte, at) => file.with(at, byte ^ (1 << (at % 8))));
    const cut = Array.from(file, (_, length) => file.subarray(0, length));
    for (const bytes of [...changed, ...cut, Buffer.concat([file, Buffer.from([0])])]) {
      await writeFile(pathOf(room), bytes);
      expect(await image()).toBeUndefined();
    }
    await writeFile(pathOf(room), file);
    expect(await image()).toBe(file.subarray(8).toString('hex'));
  });

  it('[ST9] of another room are none, and the next one takes their place', async () => {
    await store.images.put(room, [toUtf8('state')]);
    await copyFile(pathOf(room), pathOf(other));
    expect(await image(other)).toBeUndefined();
    await store.images.put(other, [toUtf8('other')]);
    expect(await image(other)).toBe(toHex(toUtf8('other')));
  });

  it('[ST9] that were being written when the process ended are gone once the folder is opened', async () => {
    await store.images.put(room, [toUtf8('state')]);
    await writeFile(join(folder, 'images', 'incoming', 'half'), 'WIM1');
    await reopen();
    expect(await readdir(join(folder, 'images'))).toEqual([`${toHex(sha256(toUtf8('room')))}.image`]);
    expect(await image()).toBe(toHex(toUtf8('state')));
  });

  it('[ST9] that cannot be written are refused, the old one stays, and the next can be', async () => {
    await store.images.put(room, [toUtf8('old')]);
    await rm(join(folder, 'images', 'incoming'), { recursive: true });
    await writeFile(join(folder, 'images', 'incoming'), 'in the way');
    await expect(store.images.put(room, [toUtf8('new')])).rejects.toMatchObject({
      name: 'StoreError',
      message: expect.stringContaining(`cannot write images in ${join(folder, 'images')}`),
    });
    expect(await image()).toBe(toHex(toUtf8('old')));
    await rm(join(folder, 'images', 'incoming'));
    await store.images.put(room, [toUtf8('new')]);
    expect(await image()).toBe(toHex(toUtf8('new')));
  });

  it('[ST9] whose file cannot be read are not taken for none', async () => {
    await mkdir(pathOf(room), { recursive: true });
    await expect(store.images.get(room)).rejects.toMatchObject({ name: 'StoreError', fault: 'failed' });
  });

  it('[ST9] are not put once the store is closed: another process may have the folder', async () => {
    await store.images.put(room, [toUtf8('old')]);
    const late = store.images.put(
      room,
      Array.from({ length: 5000 }, () => toUtf8('new')),
    );
    const refused = expect(late).rejects.toMatchObject({ message: expect.stringContaining('the store is closed') });
    const incoming = join(folder, 'images', 'incoming');
    for (let turn = 0; turn < 5000 && (await readdir(incoming)).length === 0; turn++);
    await reopen();
    await refused;
    expect(await image()).toBe(toHex(toUtf8('old')));
    expect((await readdir(join(folder, 'images'))).filter((name) => !name.endsWith('.image'))).toEqual([]);
  });
});
