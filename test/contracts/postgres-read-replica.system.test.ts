/**
 * A read replica that is a real standby: the store keeps its word with one, shows at any moment what the database holds, however far
 * behind the standby is, and goes on without it.
 */
import { createHash, randomBytes } from 'node:crypto';
import { type BlobHash, type RoomId, type Store, parseRoomId } from '@weft/core';
import { postgresStore } from '@weft/core/postgres';
import { aheadBattery, blobBattery, storeBattery } from '@weft/core/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { PostgresServer } from '../support/servers/postgres.js';

let primary: PostgresServer;
let standby: PostgresServer;
beforeAll(async () => {
  primary = await PostgresServer.start();
  standby = await primary.copied({ follows: 'readers' });
  await standby.up();
});
afterAll(async () => {
  await standby?.stop();
  await primary.stop();
});

const ROOM = parseRoomId('plans') as RoomId;

/** Bytes by where they were read, and what was told of the standby. */
class Heard {
  bytes = { replica: 0, primary: 0 };
  readonly away: boolean[] = [];

  readonly listener = {
    read: (bytes: number, from: 'replica' | 'primary'): void => void (this.bytes[from] += bytes),
    away: (error: Error | undefined): void => void this.away.push(error !== undefined),
  };
}

async function opened(database: string, heard = new Heard(), at = standby): Promise<Store> {
  const readReplica = { address: at.address(database), listener: heard.listener };
  const store = postgresStore(primary.address(database), { leaseMs: 1500, readReplica });
  await store.open();
  onTestFinished(() => store.close().catch(() => undefined));
  return store;
}

/** Waits until the standby has all that the primary has written. */
async function followed(): Promise<void> {
  const [written] = await primary.ask<{ lsn: string }>('SELECT pg_current_wal_lsn() AS lsn');
  const isThere = `SELECT pg_last_wal_replay_lsn() >= '${written!.lsn}'::pg_lsn AS yes`;
  await expect.poll(() => standby.ask(isThere), { timeout: 30_000 }).toEqual([{ yes: true }]);
}

/** The standby stays where it is, until the test has ended. */
async function behind(): Promise<void> {
  await followed();
  await standby.ask('SELECT pg_wal_replay_pause()');
  await expect
    .poll(() => standby.ask('SELECT pg_get_wal_replay_pause_state() AS state'))
    .toEqual([{ state: 'paused' }]);
}
afterEach(async () => {
  await standby.ask('SELECT pg_wal_replay_resume()');
});

/** A segment of three nodes with two records behind it, an image and a blob, none of them short. */
async function filled(store: Store): Promise<BlobHash> {
  const pack = randomBytes(300_000);
  const behind = [1, 1].map((count) => ({ count, pack: randomBytes(20_000) }));
  expect(await store.log.appendAll(ROOM, 0, [{ count: 3, pack }, ...behind])).toEqual({ seq: 0 });
  expect(await store.log.merge(ROOM, 0, { count: 3, pack })).toBe(true);
  await store.images.put(ROOM, [randomBytes(1_500_000)]);
  return blob(store);
}

async function blob(store: Store): Promise<BlobHash> {
  const bytes = randomBytes(600_000);
  const hash = createHash('sha256').update(bytes).digest('hex') as BlobHash;
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    await Promise.resolve();
    yield bytes;
  };
  await store.blobs.put(hash, chunks(), bytes.length);
  return hash;
}

const digest = (bytes: Uint8Array | undefined): string | undefined =>
  bytes && createHash('sha256').update(bytes).digest('hex');

/** All that is read of the room. */
async function readOf({ log, images, blobs }: Store, hash: BlobHash): Promise<unknown[]> {
  const records: unknown[] = [];
  for await (const { seq, count, pack } of log.read(ROOM, 0)) records.push([seq, count, digest(pack)]);
  const pieces: Uint8Array[] = [];
  for await (const piece of (await blobs.get(hash))?.bytes ?? []) pieces.push(piece.slice());
  return [records, digest(await images.get(ROOM)), digest(Buffer.concat(pieces))];
}

describe('the postgres store with a read replica', () => {
  const ahead = aheadBattery.filter(({ name }) => name.includes('however long'));
  const reading = blobBattery.filter(({ name }) => /come back|range|deleted/.test(name));
  for (const { name, run } of [...storeBattery, ...ahead, ...reading])
    it(name, async () => {
      const database = await primary.database();
      await run(async () => {
        const readReplica = { address: standby.address(database), shortBytes: 0 };
        const store = postgresStore(primary.address(database), { leaseMs: 1500, readReplica });
        await store.open();
        return store;
      });
    });
});

describe('a read replica', () => {
  it('gives all that it has, and the primary what it has not got yet', async () => {
    const database = await primary.database();
    const alone = postgresStore(primary.address(database), { leaseMs: 1500 });
    await alone.open();
    const hash = await filled(alone);
    const before = await readOf(alone, hash);
    await alone.close();
    await followed();
    const heard = new Heard();
    const store = await opened(database, heard);
    expect(await readOf(store, hash)).toEqual(before);
    expect(heard.bytes).toEqual({ replica: 300_000 + 40_000 + 1_500_000 + 600_000, primary: 0 });
    await behind();
    heard.bytes = { replica: 0, primary: 0 };
    const pack = randomBytes(50_000);
    expect(await store.log.append(ROOM, 5, { count: 2, pack })).toEqual({ seq: 5 });
    const image = randomBytes(90_000);
    await store.images.put(ROOM, [image]);
    const [records, ...others] = before as [unknown[], ...unknown[]];
    expect(await readOf(store, hash)).toEqual([[...records, [5, 2, digest(pack)]], digest(image), others[1]]);
    // Rows carry a checksum beside their pack.
    expect(heard.bytes).toEqual({ replica: 940_000, primary: 140_008 });
    expect(heard.away).toEqual([]);
  });

  it('that is behind shows nothing of what was removed, replaced or begun anew', async () => {
    const database = await primary.database();
    const store = await opened(database);
    const hash = await filled(store);
    await behind();
    const other = randomBytes(300_000);
    expect(await store.log.merge(ROOM, 0, { count: 3, pack: other })).toBe(true);
    const [[first]] = (await readOf(store, hash)) as [[unknown[]]];
    expect(first).toEqual([0, 3, digest(other)]);
    expect(await store.log.remove(ROOM, randomBytes(9))).toBe(true);
    await store.images.remove(ROOM);
    expect(await store.blobs.delete(hash)).toBe(true);
    expect(await readOf(store, hash)).toEqual([[], undefined, digest(new Uint8Array())]);
    await store.log.unbar(ROOM);
    const anew = [3, 1, 1].map((count, i) => ({ count, pack: randomBytes(i === 0 ? 300_000 : 20_000) }));
    await store.log.appendAll(ROOM, 0, anew);
    const [records] = await readOf(store, hash);
    expect(records).toEqual(anew.map(({ count, pack }, i) => [[0, 3, 4][i], count, digest(pack)]));
  });

  it('that is another database in its place changes nothing that is read', async () => {
    const [database, stranger] = [await primary.database(), await primary.database()];
    const beside = await opened(stranger);
    await filled(beside);
    await beside.close();
    const heard = new Heard();
    const readReplica = { address: primary.address(stranger), listener: heard.listener };
    const store = postgresStore(primary.address(database), { leaseMs: 1500, readReplica });
    await store.open();
    onTestFinished(() => store.close());
    const hash = await filled(store);
    const seen = await readOf(store, hash);
    const alone = postgresStore(primary.address(database), { isReader: true });
    await alone.open();
    onTestFinished(() => alone.close());
    expect(seen).toEqual(await readOf(alone, hash));
    expect(heard.bytes.replica).toBe(0);
  });

  it('that dies or stands still holds nobody up, is told of once, and is read again when it answers', async () => {
    const database = await primary.database();
    await followed();
    const heard = new Heard();
    const store = await opened(database, heard);
    const hash = await filled(store);
    await followed();
    const before = await readOf(store, hash);
    await standby.crash();
    heard.bytes = { replica: 0, primary: 0 };
    for (let i = 0; i < 3; i++) expect(await readOf(store, hash)).toEqual(before);
    expect([heard.bytes.replica, heard.away]).toEqual([0, [true]]);
    await standby.up();
    const again = async (): Promise<number> => {
      heard.bytes = { replica: 0, primary: 0 };
      expect(await readOf(store, hash)).toEqual(before);
      return heard.bytes.primary;
    };
    await expect.poll(again, { timeout: 30_000, interval: 500 }).toBe(0);
    expect(heard.away).toEqual([true, false]);
    const still = standby.freeze(20_000);
    expect(await readOf(store, hash)).toEqual(before);
    expect(heard.away).toEqual([true, false, true]);
    await still;
    await expect.poll(again, { timeout: 30_000, interval: 500 }).toBe(0);
  });

  it('is refused where it will never let us read, and waited for by nobody where it is away', async () => {
    const database = await primary.database();
    const withReplica = (address: string, heard = new Heard()): Promise<Store> => {
      const readReplica = { address, listener: heard.listener };
      const store = postgresStore(primary.address(database), { leaseMs: 1500, readReplica });
      onTestFinished(() => store.close().catch(() => undefined));
      return store.open().then(() => store);
    };
    await expect(withReplica(standby.address(database, 'weft:another'))).rejects.toMatchObject({
      fault: 'unreadable',
      message: expect.stringMatching(/cannot read from the read replica: .* check its name and password/) as string,
    });
    // One that is behind has not got the database yet.
    for (const address of [standby.address('nowhere'), `postgres://weft@127.0.0.1:1/${database}`]) {
      const heard = new Heard();
      const store = await withReplica(address, heard);
      expect(await store.log.head(ROOM)).toBe(0);
      expect([heard.away, heard.bytes.replica]).toEqual([[true], 0]);
      await store.close();
    }
  });
});
