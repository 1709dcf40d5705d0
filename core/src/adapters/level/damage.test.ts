/** What the disk has changed or lost is refused as damaged, and never read as if it had been written. */
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Level } from 'level';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { concatBytes, toHex } from '../../codec/bytes/bytes.js';
import { sha256 } from '../../codec/bytes/hash.js';
import type { RoomId } from '../../codec/bytes/room-id.js';
import type { Store } from '../../ports/store.js';
import { all } from '../../testing/batteries/battery.js';
import { levelStore } from './level-store.js';
import type { LogDatabase } from './log-database.js';

const [room, other] = ['room', 'other'] as RoomId[] as [RoomId, RoomId];
// Packs that are equal in every run: LevelDB ends the process by an assertion where a changed byte makes a key too short for it.
const packs = Array.from({ length: 6 }, (_, at) => concatBytes([sha256(Uint8Array.of(at)), new Uint8Array(8)]));
const segment = concatBytes(packs.slice(0, 4));
const segmentName = toHex(sha256(segment));

/** Distance of the bytes that are changed, one at a time. */
const STEP = process.env['TESTS_LONG'] ? 7 : 21;

let parent = '';
let folder = '';
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'weft-damage-'));
  folder = join(parent, 'whole');
  await using(async ({ log }) => {
    for (const [seq, pack] of packs.entries()) await log.append(room, seq, { count: 1, pack });
    expect(await log.merge(room, 0, { count: 2, pack: concatBytes(packs.slice(0, 2)) })).toBe(true);
    expect(await log.merge(room, 2, { count: 2, pack: concatBytes(packs.slice(2, 4)) })).toBe(true);
  });
});
afterEach(() => rm(parent, { recursive: true }));

async function using<T>(use: (store: Store) => Promise<T>, path = folder): Promise<T> {
  const store = levelStore(path);
  try {
    await store.open();
    return await use(store);
  } finally {
    await store.close();
  }
}

async function inDatabase<T>(use: (database: LogDatabase) => Promise<T>): Promise<T> {
  const database: LogDatabase = new Level(join(folder, 'log'), { keyEncoding: 'utf8', valueEncoding: 'view' });
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

const seq = (at: number): string => at.toString(16).padStart(14, '0');
const read = async (id = room, path = folder): Promise<Uint8Array[]> =>
  using(async ({ log }) => (await all(log.read(id, 0))).map(({ pack }) => pack), path);
const damagedAt = (position: number): object => ({
  name: 'StoreError',
  fault: 'damaged',
  message: `the log of room room is damaged at position ${position}; restore the data folder from a backup`,
});

describe('a value of the database', () => {
  it.each([
    ['a record', `n!room!${seq(4)}`, 4],
    ['the place of a segment', `g!room!${seq(0)}`, 0],
    ['the bytes of a segment', undefined, 2],
  ])('[ST8] %s: is refused when any byte of it has changed, or some are gone', async (_, named, position) => {
    const key = named ?? `s!${toHex(sha256(concatBytes(packs.slice(2, 4))))}`;
    const value = (await inDatabase((database) => database.get(key))) ?? new Uint8Array();
    const changed = Array.from(value, (byte, at) => value.with(at, byte ^ (1 << (at % 8))));
    for (const bytes of [...changed, value.subarray(0, -1), value.subarray(0, 3), new Uint8Array()]) {
      await inDatabase((database) => database.put(key, bytes));
      await expect(read()).rejects.toMatchObject(damagedAt(position));
    }
    await inDatabase((database) => database.put(key, value));
    expect(concatBytes(await read())).toEqual(concatBytes(packs));
  });

  it('[ST8] is refused in the place of another, even where all of its bytes are right', async () => {
    await inDatabase(async (database) => {
      const value = await database.get(`n!room!${seq(5)}`);
      await database.put(`n!room!${seq(4)}`, value ?? new Uint8Array());
    });
    await expect(read()).rejects.toMatchObject(damagedAt(4));
  });

  it.each([
    ['the bytes of a segment', 's!', 0],
    ['the place of the first segment', 'g!', 0],
    ['a record that another follows', 'n!', 4],
  ])('[ST8] is missed: %s', async (_, table, position) => {
    await inDatabase(async (database) => {
      for (const key of await database.keys({ gte: table, lt: `${table}~`, limit: table === 's!' ? 2 : 1 }).all())
        await database.del(key);
    });
    await expect(read()).rejects.toMatchObject(damagedAt(position));
    if (table === 'n!')
      await using(async ({ log }) => expect(await log.merge(room, 4, { count: 2, pack: segment })).toBe(false));
  });

  it('[ST8] that is damaged does not keep other rooms from being read, nor what comes before it', async () => {
    await using(({ log }) => log.append(other, 0, { count: 1, pack: segment }));
    await inDatabase((database) => database.put(`n!room!${seq(5)}`, new Uint8Array(9)));
    expect((await read(other)).map(toHex)).toEqual([toHex(segment)]);
    await using(async ({ log }) => {
      const found: number[] = [];
      const reading = (async () => {
        for await (const record of log.read(room, 0)) found.push(record.seq);
      })();
      await expect(reading).rejects.toMatchObject(damagedAt(5));
      expect(found).toEqual([0, 2, 4]);
      await expect(log.head(room)).rejects.toMatchObject({ fault: 'damaged' });
      await expect(log.size(room)).rejects.toMatchObject({ fault: 'damaged' });
      await expect(log.append(room, 6, { count: 1, pack: segment })).rejects.toMatchObject({ fault: 'damaged' });
    });
  });

  it('[ST7] that is shared is made whole by whoever merges the same segment again', async () => {
    const merged = { count: 4, pack: segment };
    await using(async ({ log }) => expect(await log.merge(room, 0, merged)).toBe(true));
    await inDatabase((database) => database.put(`s!${segmentName}`, segment.with(0, ~(segment[0] ?? 0))));
    await expect(read()).rejects.toMatchObject(damagedAt(0));
    await using(async ({ log }) => {
      await log.append(other, 0, merged);
      expect(await log.merge(other, 0, merged)).toBe(true);
    });
    expect(concatBytes(await read())).toEqual(concatBytes(packs));
  });

  it('[ST7] that no room has any more goes, with all that led to it', async () => {
    await using(async ({ log }) => expect(await log.merge(room, 0, { count: 6, pack: segment })).toBe(true));
    expect(await inDatabase((database) => database.keys().all())).toEqual([
      `g!room!${seq(0)}`,
      `r!${segmentName}!room!${seq(0)}`,
      `s!${segmentName}`,
    ]);
  });
});

describe('a table file of the database', () => {
  it('[ST8] of which any byte has changed never gives other bytes than were written', async () => {
    await read(); // opening has made a table of what was written
    const [name = ''] = (await readdir(join(folder, 'log'))).filter((file) => file.endsWith('.ldb'));
    const whole = await readFile(join(folder, 'log', name));
    const written = toHex(concatBytes(packs));
    const outcomes = new Set<string>();
    for (let at = 0; at < whole.length; at += STEP) {
      const copy = join(parent, `changed-${at}`);
      await cp(folder, copy, { recursive: true });
      await writeFile(join(copy, 'log', name), whole.with(at, (whole[at] ?? 0) ^ 0x15));
      const found = await read(room, copy).catch((error: unknown) => error);
      if (Array.isArray(found)) expect(written.startsWith(toHex(concatBytes(found))), `byte ${at}`).toBe(true);
      else expect(found).toMatchObject({ name: 'StoreError' });
      outcomes.add(Array.isArray(found) ? 'read' : 'refused');
    }
    expect([...outcomes].sort()).toEqual(['read', 'refused']);
  });
});
