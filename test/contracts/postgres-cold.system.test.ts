/**
 * The cold tier of a real database: the store keeps its word with all that can be cold in a cold store, nothing is lost wherever a move
 * ends, and what the cold store loses or alters is named and never read.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type ColdStore, type RoomId, type Store, createHost, parseRoomId } from '@weft/core';
import { postgresStore } from '@weft/core/postgres';
import { MemoryCold, aheadBattery, storeBattery } from '@weft/core/testing';
import { s3Cold } from '@weft/server';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { LocalS3, s3Keys } from '../support/servers/local-s3.js';
import { PostgresServer } from '../support/servers/postgres.js';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.stop());

const ROOM = parseRoomId('plans') as RoomId;
const CHILD = parseRoomId('plans-b') as RoomId;

async function opened(address: string, cold?: ColdStore, sharedAt?: string): Promise<Store> {
  const store = postgresStore(address, { leaseMs: 1500, cold, sharedAt });
  await store.open();
  onTestFinished(() => store.close().catch(() => undefined));
  return store;
}

const newAddress = async (): Promise<string> => server.address(await server.database());

/** Store in which all that can be cold is so, as soon as it is there. */
function freezing(store: Store): Store {
  const { log, images } = store;
  const moved = async <T>(done: Promise<T>): Promise<T> => {
    const result = await done;
    await store.cold!.move(0);
    return result;
  };
  const bound = <T extends object>(target: T, over: Partial<T>): T =>
    new Proxy(target, {
      get: (_, name) => {
        const value: unknown = Reflect.get(over, name) ?? Reflect.get(target, name);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  const frozenLog = bound(log, {
    merge: (room, from, segment, head) => moved(log.merge(room, from, segment, head)),
  });
  const frozenImages = bound(images, { put: (room, bytes) => moved(images.put(room, bytes)) });
  return bound(store, { log: frozenLog, images: frozenImages });
}

describe('a store on PostgreSQL, cold', () => {
  const ahead = aheadBattery.filter(({ name }) => name.includes('however long'));
  for (const { name, run } of [...storeBattery, ...ahead])
    it(name, async () => {
      const [address, cold] = [await newAddress(), new MemoryCold()];
      await run(async () => {
        const store = postgresStore(address, { leaseMs: 1500, cold });
        await store.open();
        return freezing(store);
      });
    });
});

/** Three nodes as one segment, and one behind it, with an image. */
async function filled(store: Store, room = ROOM): Promise<void> {
  const pack = randomBytes(4000);
  await store.log.appendAll(room, 0, [
    { count: 3, pack },
    { count: 1, pack: randomBytes(100) },
  ]);
  await store.log.merge(room, 0, { count: 3, pack });
  await store.images.put(room, [randomBytes(1_500_000)]);
}

/** All that the store answers about a room. */
async function readOf({ log, images }: Store, room = ROOM): Promise<unknown> {
  const records: unknown[] = [];
  for await (const { seq, count, pack } of log.read(room, 0))
    records.push([seq, count, Buffer.from(pack).toString('hex')]);
  return [records, await log.size(room), Buffer.from((await images.get(room)) ?? []).toString('base64')];
}

describe('the cold tier of a database', () => {
  it('has what has not changed for so long, and the database no byte of it', async () => {
    const [name, cold] = [await server.database(), new MemoryCold()];
    const store = await opened(server.address(name), cold);
    await filled(store);
    const before = await readOf(store);
    expect(await store.cold!.move(3_600_000)).toEqual({ objects: 0, bytes: 0 });
    expect(await store.cold!.move(0)).toEqual({ objects: 2, bytes: 1_504_000 });
    expect(await store.cold!.usage()).toEqual({ objects: 2, bytes: 1_504_000, leftovers: 0 });
    const left = `SELECT (SELECT count(*) FROM weft.segment WHERE pack IS NOT NULL) AS packs,
      (SELECT sum(octet_length(bytes)) FROM weft.image) AS bytes`;
    expect(await server.ask(left, name)).toEqual([{ packs: '0', bytes: null }]);
    expect(await readOf(store)).toEqual(before);
    await store.close();
    expect(await readOf(await opened(server.address(name), cold))).toEqual(before);
  });

  it('is read once for many who read at once', async () => {
    const cold = new MemoryCold();
    const store = await opened(await newAddress(), cold);
    await filled(store);
    await store.cold!.move(0);
    let asked = 0;
    const { get } = cold;
    cold.get = (name) => {
      asked++;
      return get.call(cold, name);
    };
    await Promise.all(Array.from({ length: 50 }, () => readOf(store)));
    await readOf(store);
    expect(asked).toBe(2);
  });

  it('loses what is replaced, removed or shared by nobody any more, and nothing else', async () => {
    const cold = new MemoryCold();
    const store = await opened(await newAddress(), cold);
    await filled(store);
    await store.log.fork(CHILD, { room: ROOM, at: 3 }, { count: 1, pack: randomBytes(10) });
    await store.cold!.move(0);
    const child = await readOf(store, CHILD);
    expect(await store.log.merge(ROOM, 0, { count: 3, pack: randomBytes(50) })).toBe(true);
    await store.images.put(ROOM, [randomBytes(10)]);
    await store.log.reclaim();
    expect(await readOf(store, CHILD)).toEqual(child);
    expect([...cold.objects.keys()].map((object) => object.split('/')[0])).toEqual(['segments']);
    await store.log.remove(CHILD, randomBytes(4));
    await store.log.reclaim();
    expect(cold.objects.size).toBe(0);
    expect(await store.cold!.usage()).toEqual({ objects: 0, bytes: 0, leftovers: 0 });
  });

  it('keeps for the next move what cannot be removed now, and says how much that is', async () => {
    const cold = new MemoryCold();
    const store = await opened(await newAddress(), cold);
    await filled(store);
    await store.cold!.move(0);
    const { remove } = cold;
    cold.remove = () => Promise.reject(new Error('away'));
    await store.log.remove(ROOM, randomBytes(4));
    await store.images.remove(ROOM);
    await store.log.reclaim();
    expect(await store.cold!.usage()).toMatchObject({ objects: 0, leftovers: 2 });
    await expect(store.cold!.move(0)).rejects.toThrow('away');
    cold.remove = remove;
    await store.cold!.move(0);
    expect([cold.objects.size, (await store.cold!.usage()).leftovers]).toEqual([0, 0]);
  });

  it('is named when it lacks something or has other bytes, which are never read', async () => {
    const cold = new MemoryCold();
    const store = await opened(await newAddress(), cold);
    await filled(store);
    const before = await readOf(store);
    await store.cold!.move(0);
    const objects = new Map(cold.objects);
    const cases: [string, () => void][] = [
      ['has no', () => cold.objects.clear()],
      [
        'has other bytes as',
        () => objects.forEach((bytes, name) => cold.objects.set(name, bytes.slice().fill(1, 7, 8))),
      ],
      ['has other bytes as', () => objects.forEach((bytes, name) => cold.objects.set(name, bytes.subarray(1)))],
    ];
    for (const [said, harm] of cases) {
      harm();
      const message = new RegExp(
        `room plans is damaged at 0: the cold store memory ${said} segments/.*; restore it`,
        's',
      );
      await expect(readOf(store)).rejects.toMatchObject({ fault: 'damaged', message: expect.stringMatching(message) });
      await expect(store.images.get(ROOM)).resolves.toBeUndefined();
      await expect(store.cold!.bringBack()).rejects.toMatchObject({ fault: 'damaged' });
    }
    objects.forEach((bytes, name) => cold.objects.set(name, bytes));
    expect(await readOf(store)).toEqual(before);
  });

  it('has a room shut whose segment it has lost, and no other; one that does not answer shuts none', async () => {
    const cold = new MemoryCold();
    const address = await newAddress();
    const fill = createHost({ store: postgresStore(address, { leaseMs: 1500, cold }) });
    for (const name of ['lost', 'kept']) await (await fill.room(name)).set('title', name);
    await fill.close();
    const store = await opened(address, cold);
    for (const room of ['lost', 'kept'] as RoomId[]) {
      for await (const { count, pack } of store.log.read(room, 0)) {
        await store.log.merge(room, 0, { count, pack });
        break;
      }
      await store.images.remove(room);
      await store.cold!.move(0);
      if (room === 'lost') cold.objects.clear();
    }
    await store.close();
    const { get } = cold;
    const host = createHost({ store: postgresStore(address, { leaseMs: 1500, cold }) });
    onTestFinished(() => host.close());
    await host.ready();
    cold.get = () => Promise.reject(new Error('no answer for 60 s'));
    await expect(host.room('kept')).rejects.toThrow(/no answer/);
    cold.get = get;
    expect((await host.room('kept')).get('title')).toBe('kept');
    await expect(host.room('lost')).rejects.toThrow(/has no segments/);
    await expect(host.room('lost')).rejects.toThrow(/quarantined/);
  });

  it.each([['goes on'], ['ends before the upload does']])(
    '[VE1] a segment whose upload is on its way when a value is erased brings nothing back, where the process %s',
    async (what) => {
      const [bucket, address] = [await LocalS3.start(), await newAddress()];
      const coldAt = (): ColdStore => s3Cold(`s3://blobs/cold?endpoint=${bucket.url}`, s3Keys);
      const store = postgresStore(address, { leaseMs: 1500, cold: coldAt() });
      const host = createHost({ store });
      const secret = new Uint8Array(randomBytes(3000));
      const part = secret.subarray(100, 140);
      await host.withRoom(ROOM, async (room) => {
        await room.set('secret', secret);
        await room.set('kept', 'here');
      });
      for await (const { count, pack } of store.log.read(ROOM, 0)) {
        await store.log.merge(ROOM, 0, { count, pack });
        break;
      }
      const { arrived, release } = bucket.holdUploads();
      const moving = store.cold!.move(0).catch(() => undefined);
      await arrived;
      await host.submit({ room_id: 'plans', command: { EraseValue: { key: 'secret' } } });
      // Upload of a process that dies here: it arrives all the same.
      if (what === 'goes on') release();
      const closed = what === 'goes on' ? moving.then(() => host.close()) : host.close();
      if (what !== 'goes on') release();
      await moving;
      await closed;
      const after = await opened(address, coldAt());
      await after.cold!.move(0);
      expect(await bucket.keysWith(part)).toEqual([]);
      expect(await bucket.keys()).not.toEqual([]);
      await after.close();
      const next = createHost({ store: postgresStore(address, { leaseMs: 1500, cold: coldAt() }) });
      onTestFinished(() => next.close());
      const again = await next.room('plans');
      expect([again.get('secret'), again.get('kept')]).toEqual([undefined, 'here']);
    },
  );

  it('is not done without where it is in use, until all is brought back', async () => {
    const [address, cold] = [await newAddress(), new MemoryCold()];
    const store = await opened(address, cold);
    await filled(store);
    const before = await readOf(store);
    await store.cold!.move(0);
    await store.close();
    const refused = postgresStore(address, { leaseMs: 1500 });
    await expect(refused.open()).rejects.toThrow(/part of .* lies in a cold store: name it, with --cold-store/);
    const back = await opened(address, cold);
    expect(await back.cold!.bringBack()).toEqual({ objects: 2, bytes: 1_504_000 });
    expect(cold.objects.size).toBe(0);
    await back.close();
    expect(await readOf(await opened(address))).toEqual(before);
  });

  it('is moved to by one of several processes at a time, while the others read', async () => {
    const [address, cold] = [await newAddress(), new MemoryCold()];
    const [a, b] = [await opened(address, cold, 'one:1'), await opened(address, cold, 'two:2')];
    for (let i = 0; i < 20; i++) await filled(a, `room-${i}` as RoomId);
    const reads = async (): Promise<unknown> =>
      Promise.all(Array.from({ length: 20 }, (_, i) => readOf(b, `room-${i}` as RoomId)));
    const before = await reads();
    const moves = Promise.all([a.cold!.move(0), b.cold!.move(0), a.cold!.move(0)]);
    expect(await reads()).toEqual(before);
    const done = (await moves).filter((moved) => moved !== undefined);
    expect(done.reduce((sum, { objects }) => sum + objects, 0)).toBe(40);
    expect(cold.objects.size).toBe(40);
    expect(await reads()).toEqual(before);
    // What another process has put in the place of what this one reads is found.
    await a.log.merge('room-0' as RoomId, 0, { count: 3, pack: randomBytes(9) });
    await a.log.reclaim();
    expect(await readOf(b, 'room-0' as RoomId)).toEqual(await readOf(a, 'room-0' as RoomId));
  });

  it('moved by a process that lost its lease meanwhile, is not noted', async () => {
    const [address, cold] = [await newAddress(), new MemoryCold()];
    const [a, b] = [await opened(address, cold, 'one:1'), await opened(address, cold, 'two:2')];
    await filled(a);
    const { put } = cold;
    cold.put = async (name, bytes) => {
      await b.membership!.putOut(a.membership!.self.id);
      await put.call(cold, name, bytes);
    };
    await expect(a.cold!.move(0)).rejects.toThrow(/was shared on without this process/);
    expect(await b.cold!.usage()).toMatchObject({ objects: 0, leftovers: 1 });
    cold.put = put;
    expect(await b.cold!.move(0)).toMatchObject({ objects: 2 });
    expect(cold.objects.size).toBe(2);
  });
});

describe('a move to the cold store', () => {
  const script = fileURLToPath(new URL('move-until-killed.mjs', import.meta.url));
  const move = async (address: string, bucket: string, what: string, which: number): Promise<boolean> =>
    promisify(execFile)(process.execPath, [
      script,
      address,
      bucket,
      s3Keys.accessKey,
      s3Keys.secretKey,
      what,
      `${which}`,
    ]).then(
      () => false,
      (error: { signal?: string }) => {
        if (error.signal === 'SIGKILL') return true;
        throw error;
      },
    );

  it('that is killed at any step leaves nothing lost, nor anything that nobody knows of', async () => {
    const service = await LocalS3.start();
    const bucket = `s3://blobs/cold?endpoint=${service.url}`;
    const cold = s3Cold(bucket, s3Keys);
    const address = await newAddress();
    const rooms = ['one', 'two'] as RoomId[];
    const store = await opened(address, cold);
    for (const room of rooms) await filled(store, room);
    const before = await Promise.all(rooms.map((room) => readOf(store, room)));
    await store.close();
    const steps: [string, number][] = [
      ...['put', 'put-done', 'get', 'get-done'].map((what): [string, number] => [what, 1]),
      ['put', 2],
      ['remove', 1],
      ['remove-done', 1],
    ];
    for (const [what, which] of steps) {
      expect(await move(address, bucket, what, which), `${what} ${which}`).toBe(true);
      const after = await opened(address, cold);
      expect(await Promise.all(rooms.map((room) => readOf(after, room)))).toEqual(before);
      await after.close();
    }
    expect(await move(address, bucket, 'never', 1)).toBe(false);
    const last = await opened(address, cold);
    expect(await last.cold!.usage()).toMatchObject({ objects: 4, leftovers: 0 });
    expect(await service.keys()).toHaveLength(4);
    expect(await Promise.all(rooms.map((room) => readOf(last, room)))).toEqual(before);
    expect(await last.cold!.bringBack()).toMatchObject({ objects: 4 });
    expect(await service.keys()).toEqual([]);
  });
});
