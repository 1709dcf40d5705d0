/** Followers in the process of a host: from where their cursor is, across everything that becomes of a room. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileCursor } from '../adapters/level/file-cursor.js';
import { memoryStore } from '../adapters/memory/memory-store.js';
import { createHost } from '../engine.js';
import type { Cursor, LogPosition } from '../ports/cursor.js';
import type { WrittenPage } from '../query/followed-log.js';
import { ManualClock } from '../testing/manual-clock.js';

interface Kept extends Cursor {
  position: LogPosition | undefined;
}

const cursorAt = (start?: LogPosition): Kept => ({
  position: start,
  read() {
    return Promise.resolve(this.position);
  },
  note(position) {
    this.position = position;
    return Promise.resolve();
  },
});

const upTo = (to: number): number[] => Array.from({ length: to }, (_, seq) => seq);
const within = { timeout: 60_000, interval: 1 };

const hostOn = (store = memoryStore()) => createHost({ store, clock: new ManualClock() });

const write = (host: ReturnType<typeof hostOn>, ...keys: string[]): Promise<number> =>
  host.withRoom('room', async (room) => {
    for (const key of keys) await room.set(key, key);
    return room.seq;
  });

describe('a follower in the process', () => {
  it('[RP8] is told what is there and what comes, across emptied rooms and restarts, once each', async () => {
    const store = memoryStore();
    const cursor = cursorAt();
    const heard: number[] = [];
    const take = ({ after, position, items }: WrittenPage): void => {
      expect(after).toBe(cursor.position?.seq ?? 0);
      heard.push(...items.map(({ seq }) => seq));
      expect(position.seq).toBe(heard.at(-1)! + 1);
    };
    let host = hostOn(store);
    await write(host, 'a', 'b');
    const following = host.follow('room', { cursor, take });
    const there = await write(host, 'a', 'c');
    await expect.poll(() => heard, within).toEqual(upTo(there));
    await host.submit({ room_id: 'room', command: { PruneHistory: {} } });
    const later = await write(host, 'd');
    await expect.poll(() => heard, within).toEqual(upTo(later));
    await following.stop();
    await following.ended;
    await write(host, 'e');
    await host.close();
    host = hostOn(store);
    const again = host.follow('room', { cursor, take });
    const end = await write(host, 'f');
    await expect.poll(() => heard, within).toEqual(upTo(end));
    await host.close();
    await again.ended;
    expect(cursor.position?.seq).toBe(end);
  });

  it('[RP8] keeps its cursor in a file, and refuses one that is none', async () => {
    const path = join(await mkdtemp(join(tmpdir(), 'weft-cursor-')), 'cursor.json');
    let host = hostOn();
    const heard: number[] = [];
    const take = ({ items }: WrittenPage): void => void heard.push(...items.map((item) => item.seq));
    const seq = await write(host, 'a', 'b');
    const first = host.follow('room', { cursor: fileCursor(path), take });
    await expect.poll(() => heard, within).toEqual(upTo(seq));
    await first.stop();
    const second = host.follow('room', { cursor: fileCursor(path), take });
    const end = await write(host, 'c');
    await expect.poll(() => heard, within).toEqual(upTo(end));
    await second.stop();
    expect(await fileCursor(path).read()).toMatchObject({ seq: end });
    await host.close();
    host = hostOn(); // another room of that name
    await write(host, 'a', 'b', 'c');
    await expect(host.follow('room', { cursor: fileCursor(path), take }).ended).rejects.toMatchObject({
      reason: 'reject.checkpoint_not_found',
    });
    await writeFile(path, '{"seq":-1}');
    await expect(host.follow('room', { cursor: fileCursor(path), take }).ended).rejects.toThrow('no position of a log');
    expect(heard).toEqual(upTo(end));
    await host.close();
  });

  it('[RP8] that throws ends with that, and is told the same again', async () => {
    const host = hostOn();
    const cursor = cursorAt();
    const seq = await write(host, 'a');
    const failing = host.follow('room', {
      cursor,
      take() {
        throw new Error('not today');
      },
    });
    await expect(failing.ended).rejects.toThrow('not today');
    expect(cursor.position).toBeUndefined();
    const heard: number[] = [];
    host.follow('room', { cursor, take: ({ items }) => void heard.push(...items.map((item) => item.seq)) });
    await expect.poll(() => heard, within).toEqual(upTo(seq));
    await host.close();
  });

  it('[RP8] holds back what comes until it has taken what came before, a page of 200 nodes at a time', async () => {
    const host = hostOn();
    const sizes: number[] = [];
    let go = (): void => undefined;
    const first = new Promise<void>((resolve) => (go = resolve));
    const cursor = cursorAt();
    const take = async ({ items }: WrittenPage): Promise<void> => {
      sizes.push(items.length);
      await first;
    };
    await write(host, 'a');
    host.follow('room', { cursor, take });
    await expect.poll(() => sizes, within).toEqual([2]);
    const end = await write(host, ...upTo(450).map((n) => `k${n}`));
    expect(sizes).toEqual([2]);
    go();
    await expect.poll(() => cursor.position?.seq, within).toBe(end);
    expect(sizes).toEqual([2, 200, 200, 50]);
    await host.close();
  });

  it('[RP8] ends with the reason where the room is deleted, shut, or not the one that it followed', async () => {
    const host = hostOn();
    const cursor = cursorAt();
    const seq = await write(host, 'a');
    const deleted = host.follow('room', { cursor, take: () => undefined });
    await expect.poll(() => cursor.position?.seq, within).toBe(seq);
    const [ended] = await Promise.all([
      deleted.ended.then(
        () => 'resolved',
        (error: unknown) => error,
      ),
      host.submit({ room_id: 'room', command: { DeleteRoom: { confirm: 'room' } } }),
    ]);
    expect(ended).toMatchObject({ reason: 'room-deleted' });

    const other = hostOn();
    const end = await write(other, 'a');
    const foreign = cursorAt({ seq: end, node: cursor.position!.node });
    await expect(other.follow('room', { cursor: foreign, take: () => undefined }).ended).rejects.toMatchObject({
      reason: 'reject.checkpoint_not_found',
    });
    await other.quarantine('room', 'a look');
    await expect(other.follow('room', { cursor: cursorAt(), take: () => undefined }).ended).rejects.toMatchObject({
      reason: 'room-quarantined',
    });
    expect(() => other.follow('no room/..', { cursor, take: () => undefined })).toThrow('is not a room id');
    await Promise.all([host.close(), other.close()]);
  });
});
