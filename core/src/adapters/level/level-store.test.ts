import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toHex, toUtf8 } from '../../codec/bytes/bytes.js';
import { parseRoomId } from '../../codec/bytes/room-id.js';
import { IDS_A_PAGE } from '../../codec/nodes/filed-ids.js';
import { DIGEST_WORDS } from '../../codec/sha256/words.js';
import type { Store } from '../../ports/store.js';
import { levelStore } from './level-store.js';
import { privateFile } from './private-file.js';

let folder = '';
const opened: Store[] = [];
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'weft-level-'))));
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  await rm(folder, { recursive: true });
});

async function open(path = folder): Promise<Store> {
  const store = levelStore(path);
  opened.push(store);
  await store.open();
  return store;
}
async function close(store: Store): Promise<void> {
  opened.splice(opened.indexOf(store), 1);
  await store.close();
}
/** Opens a folder that must be refused, and lets go of whatever was taken meanwhile. */
async function refusal(path = folder): Promise<unknown> {
  const store = levelStore(path);
  opened.push(store);
  return store.open().then(
    () => 'opened',
    (error: unknown) => error,
  );
}
const writePrivate = (name: string, text: string): Promise<void> =>
  writeFile(join(folder, name), text, { mode: 0o600 });
const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);
const room = parseRoomId('room');

describe('a folder', () => {
  it('[ST1] syncs every append before it answers', async () => {
    const batch = vi.spyOn(ClassicLevel.prototype, 'batch');
    const store = await open();
    const room = parseRoomId('plans')!;
    for (let head = 0; head < 2; head++) await store.log.append(room, head, { count: 1, pack: toUtf8('a record') });
    expect(batch.mock.calls).toHaveLength(2);
    for (const [, options] of batch.mock.calls as readonly unknown[][]) expect(options).toMatchObject({ sync: true });
  });

  it('[ST4] answers nothing behind a write that has failed, nor beside it, before the database was opened anew', async () => {
    const store = await open();
    const [plans, notes] = [parseRoomId('plans')!, parseRoomId('notes')!];
    const append = (room: typeof plans, head: number) =>
      store.log.append(room, head, { count: 1, pack: toUtf8('a record') });
    await append(plans, 0);
    const refused = new Error('IO error: 000003.log: File too large');
    const batch = vi.spyOn(ClassicLevel.prototype, 'batch');
    batch.mockImplementationOnce((() => Promise.reject(refused)) as never); // of its forms, that of an array
    const opens = vi.spyOn(ClassicLevel.prototype, 'open');
    const both = await Promise.allSettled([append(plans, 1), append(notes, 0)]);
    expect(both.map((one) => one.status === 'rejected' && String(one.reason))).toEqual([
      expect.stringContaining('File too large'),
      expect.stringContaining('a write beside this one has failed; try again'),
    ]);
    expect(opens).not.toHaveBeenCalled();
    await expect(append(plans, 1)).resolves.toEqual({ seq: 1 });
    expect(opens).toHaveBeenCalledTimes(1);
    expect(await store.log.head(plans)).toBe(2);
    expect(await readdir(folder)).not.toContain('space');
  });

  it('[ST5] is made on first use, private to its owner, with its format and its key', async () => {
    const path = join(folder, 'deep', 'er');
    const store = await open(path);
    const seed = await store.authoritySeed();
    expect(await modeOf(path)).toBe('700');
    expect(await readFile(join(path, 'format'), 'utf8')).toBe('1\n');
    expect((await readFile(join(path, 'server.key'), 'utf8')).trim()).toBe(toHex(seed));
    expect([await modeOf(join(path, 'server.key')), await modeOf(join(path, 'format'))]).toEqual(['600', '600']);
    expect((await readdir(path)).sort()).toEqual(['format', 'log', 'server.key']);
  });

  it('has a log that nobody else enters, also where the folder was made for others, and by what wrote its log before', async () => {
    await chmod(folder, 0o755);
    await close(await open());
    expect(await modeOf(join(folder, 'log'))).toBe('700');
    await chmod(join(folder, 'log'), 0o755);
    await open();
    expect(await modeOf(join(folder, 'log'))).toBe('700');
    // What its operator has made of the folder itself stays.
    expect(await modeOf(folder)).toBe('755');
  });

  it('[ST5] is left alone until the store is opened', async () => {
    const path = join(folder, 'unused');
    const store = levelStore(path);
    opened.push(store);
    // Longer than anything that the constructor may have started by itself.
    await mkdir(join(folder, 'other'));
    await readdir(folder);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await readdir(folder)).toEqual(['other']);
  });

  it('[ST4] is refused to a second store here as well, which touches nothing of what the first has filed or writes', async () => {
    const { ids } = (await open()).images;
    const words = crypto.getRandomValues(new Int32Array(IDS_A_PAGE * DIGEST_WORDS));
    const filed = await ids!.add(parseRoomId('room')!, undefined, words);
    await writeFile(join(folder, 'images', 'incoming', 'half'), 'what is being written');
    const files = async (): Promise<string[]> =>
      (await readdir(join(folder, 'images'), { recursive: true })).toSorted();
    const before = await files();
    expect(await refusal()).toMatchObject({ fault: 'locked' });
    expect(await files()).toEqual(before);
    expect(filed.find(words.subarray(0, DIGEST_WORDS), 0)).toBe(0);
  });

  it('[ST5] of a newer format is refused, and nothing in it is touched', async () => {
    await writePrivate('format', '2\n');
    expect(await refusal()).toMatchObject({ name: 'StoreError', fault: 'newer-format' });
    expect(String(await refusal())).toContain('newer Weft (format 2); use that version');
    expect(await readFile(join(folder, 'format'), 'utf8')).toBe('2\n');
    expect(await readdir(folder)).toEqual(['format']);
  });

  it.each(['', 'abc', '-1', '0', 'one\n', '\u0000\u0000'])(
    '[ST5] with the damaged format %j is refused',
    async (text) => {
      await writePrivate('format', text);
      expect(await refusal()).toMatchObject({ fault: 'damaged', message: expect.stringContaining('restore a backup') });
      expect(await readFile(join(folder, 'format'), 'utf8')).toBe(text);
    },
  );

  it.each(['1x', '1 2', '1.9', '1\n\u0000\u0000', '01'])(
    '[ST5] with a format that only begins like one, %j, is refused',
    async (text) => {
      await writePrivate('format', text);
      expect(await refusal()).toMatchObject({ fault: 'damaged' });
    },
  );

  it('[ST5] with a file in its place is refused with what to do', async () => {
    const path = join(folder, 'file');
    await writeFile(path, 'mine');
    expect(await refusal(path)).toMatchObject({ fault: 'unreadable', message: expect.stringContaining(path) });
    expect(await refusal(join(path, 'below'))).toMatchObject({ fault: 'unreadable' });
    expect(await readFile(path, 'utf8')).toBe('mine');
  });

  it('[ST5] with a file in place of its log is refused', async () => {
    await writeFile(join(folder, 'log'), 'mine');
    expect(await refusal()).toMatchObject({ fault: 'unreadable', message: expect.stringContaining(folder) });
    expect(await readFile(join(folder, 'log'), 'utf8')).toBe('mine');
  });
});

describe('the authority key', () => {
  it.each(['', 'abc', 'zz'.repeat(32), 'ab'.repeat(31), 'ab'.repeat(33), `${'ab'.repeat(32)} ${'ab'.repeat(32)}`])(
    '[ST5] that is damaged, %j, is refused and never replaced',
    async (text) => {
      await writePrivate('server.key', text);
      const store = await open();
      await expect(store.authoritySeed()).rejects.toMatchObject({
        fault: 'damaged',
        message: expect.stringContaining('64 hex characters; restore it'),
      });
      expect(await readFile(join(folder, 'server.key'), 'utf8')).toBe(text);
    },
  );

  it('[ST5] that cannot be read is refused with what to do', async () => {
    await mkdir(join(folder, 'server.key'));
    const store = await open();
    await expect(store.authoritySeed()).rejects.toMatchObject({
      name: 'StoreError',
      message: expect.stringContaining('server.key'),
    });
  });

  it('[ST5] is taken as it stands, in either case, with or without a line end', async () => {
    for (const text of ['AB'.repeat(32), `${'ab'.repeat(32)}\r\n`]) {
      await writePrivate('server.key', text);
      const store = await open();
      expect(toHex(await store.authoritySeed())).toBe('ab'.repeat(32));
      await close(store);
    }
  });

  it('[ST5] is one, however many ask for it at once', async () => {
    const store = await open();
    const seeds = await Promise.all(Array.from({ length: 8 }, () => store.authoritySeed()));
    expect(new Set(seeds.map(toHex)).size).toBe(1);
    expect((await readdir(folder)).sort()).toEqual(['format', 'log', 'server.key']);
  });
});

describe('a private file', () => {
  it('[ST5] is written once: of many that race one wins and all read it', async () => {
    const path = join(folder, 'file');
    const texts = await Promise.all(Array.from({ length: 8 }, (_, i) => privateFile(path, `${i}`)));
    expect(new Set(texts)).toEqual(new Set([await readFile(path, 'utf8')]));
    expect(await readdir(folder)).toEqual(['file']);
    expect(await privateFile(path, 'later')).toBe(texts[0]);
  });

  it('[ST5] that others can read is refused, not repaired: whoever could read it may hold the secret', async () => {
    const path = join(folder, 'file');
    await writeFile(path, 'theirs');
    for (const mode of [0o640, 0o604, 0o660, 0o644]) {
      await chmod(path, mode);
      await expect(privateFile(path, 'mine')).rejects.toMatchObject({
        fault: 'unreadable',
        message: expect.stringContaining(`chmod 600 ${path}`),
      });
      expect(await modeOf(path)).toBe(mode.toString(8));
    }
    await chmod(path, 0o400);
    expect(await privateFile(path, 'mine')).toBe('theirs');
  });

  it('[ST5] is not followed through a symbolic link, nor read when it is far too large', async () => {
    await writePrivate('target', 'theirs');
    await symlink(join(folder, 'target'), join(folder, 'link'));
    await expect(privateFile(join(folder, 'link'), 'mine')).rejects.toMatchObject({ fault: 'unreadable' });
    await symlink(join(folder, 'nowhere'), join(folder, 'dangling'));
    await expect(privateFile(join(folder, 'dangling'), 'mine')).rejects.toMatchObject({ fault: 'unreadable' });
    await writePrivate('large', 'x'.repeat(5000));
    await expect(privateFile(join(folder, 'large'), 'mine')).rejects.toMatchObject({ fault: 'damaged' });
  });
});

describe('the log', () => {
  it('[ST4] reports an append that cannot be written, and knows its head again afterwards', async () => {
    if (!room) throw new Error('not a room id');
    const store = await open();
    await store.log.append(room, 0, { count: 2, pack: toUtf8('x') });
    await close(store);
    await expect(store.log.append(room, 2, { count: 1, pack: toUtf8('y') })).rejects.toMatchObject({ fault: 'failed' });
    const again = await open();
    expect(await again.log.head(room)).toBe(2);
    expect(await again.log.append(room, 2, { count: 1, pack: toUtf8('z') })).toEqual({ seq: 2 });
  });

  it('[ST1] goes on where it was, far beyond what one digit counts', async () => {
    if (!room) throw new Error('not a room id');
    const store = await open();
    let head = 0;
    for (const count of [15, 1, 240, 3, 65_000, 500]) {
      await store.log.append(room, head, { count, pack: toUtf8(String(count)) });
      head += count;
    }
    await close(store);
    const again = await open();
    expect(await again.log.head(room)).toBe(head);
    const seqs: number[] = [];
    for await (const { seq } of again.log.read(room, 255)) seqs.push(seq);
    expect(seqs).toEqual([16, 256, 259, 65_259]);
  });
});
