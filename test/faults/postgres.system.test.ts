/** What a store on PostgreSQL promises while the database, the link to it or its own process fails. */
import { type Store, parseRoomId } from '@weft/core';
import { type PostgresOptions, postgresStore } from '@weft/core/postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { CutLink } from '../support/servers/cut-link.js';
import { PostgresServer } from '../support/servers/postgres.js';

let database: PostgresServer;
let name: string;
beforeAll(async () => {
  database = await PostgresServer.start();
});
afterAll(() => database.stop());
beforeEach(async () => {
  name = await database.database();
});

const room = roomOf('room');
function roomOf(id: string) {
  const found = parseRoomId(id);
  if (!found) throw new Error('not a room id');
  return found;
}

const pack = (text: string) => ({ count: 1, pack: new TextEncoder().encode(text) });

async function opened(options: PostgresOptions = {}, link?: CutLink): Promise<Store> {
  const address = database.address(name).replace(`:${database.port}/`, `:${link?.port ?? database.port}/`);
  const store = postgresStore(address, { leaseMs: 1500, ...options });
  await store.open();
  onTestFinished(() => store.close());
  return store;
}

async function linked(): Promise<CutLink> {
  const link = await CutLink.before(database.port);
  onTestFinished(() => link.close());
  return link;
}

/** Whether a connection has sent an append: its text, or what it carries. */
const sent = (link: CutLink, text: string): Promise<void> =>
  new Promise((resolve) => {
    link.onRequest = (bytes) => {
      if (bytes.includes(text)) resolve();
    };
  });

async function packsOf({ log }: Store, of = room): Promise<string[]> {
  const found: string[] = [];
  for await (const record of log.read(of, 0)) found.push(new TextDecoder().decode(record.pack));
  return found;
}

const headInTable = async (): Promise<number> =>
  Number((await database.ask<{ head: string }>(`SELECT head FROM weft.room WHERE room = 'room'`, name))[0]?.head ?? 0);

describe('an append whose answer never came', () => {
  it('is accepted once when it was kept', async () => {
    const link = await linked();
    const store = await opened({}, link);
    await store.log.append(room, 0, pack('first'));
    const seen = sent(link, 'second');
    link.become('deaf');
    const appended = store.log.append(room, 1, pack('second'));
    await seen;
    await expect.poll(headInTable).toBe(2);
    link.become('pass');
    link.cut();
    expect(await appended).toEqual({ seq: 1 });
    expect(await packsOf(store)).toEqual(['first', 'second']);
    expect(await store.log.append(room, 2, pack('third'))).toEqual({ seq: 2 });
  });

  it('is accepted once when it reaches the database late', async () => {
    const link = await linked();
    const store = await opened({}, link);
    await store.log.append(room, 0, pack('first'));
    const seen = sent(link, 'second');
    link.become('hold');
    const appended = store.log.append(room, 1, pack('second'));
    await seen;
    link.become('pass');
    link.cut();
    expect(await appended).toEqual({ seq: 1 });
    expect(await store.log.append(room, 2, pack('third'))).toEqual({ seq: 2 });
    await link.deliver();
    expect(await packsOf(store)).toEqual(['first', 'second', 'third']);
    expect(await headInTable()).toBe(3);
  });

  it('is not kept when it reaches the database after it was refused', async () => {
    const link = await linked();
    const store = await opened({ patienceMs: 500 }, link);
    await store.log.append(room, 0, pack('first'));
    const seen = sent(link, 'refused');
    link.become('hold');
    const appended = store.log.append(room, 1, pack('refused'));
    const refused = expect(appended).rejects.toMatchObject({ fault: 'away' });
    await seen;
    link.become('closed');
    link.cut();
    await refused;
    link.become('pass');
    expect(await store.log.head(room)).toBe(1);
    await link.deliver();
    expect([await headInTable(), await packsOf(store)]).toEqual([1, ['first']]);
    expect(await store.log.append(room, 1, pack('second'))).toEqual({ seq: 1 });
  });

  it('is refused in time when nobody can be asked, and taken back when it was kept', async () => {
    const link = await linked();
    const store = await opened({ patienceMs: 500 }, link);
    await store.log.append(room, 0, pack('first'));
    const seen = sent(link, 'refused');
    link.become('deaf');
    const appended = store.log.append(room, 1, pack('refused'));
    const refused = expect(appended).rejects.toThrow(/cannot write the log of room room: .* does not answer/);
    await seen;
    await expect.poll(headInTable).toBe(2);
    link.become('closed');
    link.cut();
    await refused;
    await expect(store.log.head(room)).rejects.toMatchObject({ fault: 'away' });
    expect(await headInTable()).toBe(2);
    link.become('pass');
    expect(await store.log.head(room)).toBe(1);
    expect(await packsOf(store)).toEqual(['first']);
    expect(await store.log.append(room, 1, pack('second'))).toEqual({ seq: 1 });
    expect(await packsOf(store)).toEqual(['first', 'second']);
  });
});

describe('an append that the database takes back in favour of others', () => {
  /** From now on so many appends fail with an error of that code. */
  async function yields(tries: number, code: string): Promise<void> {
    await database.ask('CREATE SEQUENCE tries', name);
    await database.ask(
      `CREATE FUNCTION yield() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF nextval('tries') <= ${tries} THEN RAISE EXCEPTION 'others first' USING ERRCODE = '${code}'; END IF;
         RETURN NEW; END $$`,
      name,
    );
    await database.ask('CREATE TRIGGER yields BEFORE UPDATE ON weft.room FOR EACH ROW EXECUTE FUNCTION yield()', name);
  }

  it('is tried some more times when its time is over already, and kept once', async () => {
    const store = await opened({ patienceMs: 0 });
    await store.log.append(room, 0, pack('first'));
    await yields(7, '40001');
    expect(await store.log.append(room, 1, pack('second'))).toEqual({ seq: 1 });
    expect(await packsOf(store)).toEqual(['first', 'second']);
  });

  it.each([
    ['others change what it has read', '40001', /in favour of others again and again \(others first\)/],
    ['it and another one wait for each other', '40P01', /in favour of others again and again \(others first\)/],
    ['a statement takes longer than an administrator lets it', '57014', /is too slow .* \(others first\)/],
    ['a lock is waited for longer than an administrator lets it', '55P03', /is too slow .* \(others first\)/],
  ])('is refused as by a database that is away where that goes on: %s', async (_, code, said) => {
    const store = await opened({ patienceMs: 300 });
    await store.log.append(room, 0, pack('first'));
    await yields(1_000_000, code);
    const refused = store.log.append(room, 1, pack('second'));
    await expect(refused).rejects.toThrow(said);
    await expect(refused).rejects.toMatchObject({ fault: 'away' });
    await database.ask('DROP TRIGGER yields ON weft.room', name);
    expect(await store.log.append(room, 1, pack('second'))).toEqual({ seq: 1 });
    expect(await packsOf(store)).toEqual(['first', 'second']);
  });
});

describe('a process that has lost the lease', () => {
  it('writes nothing any more, however late, and reads nothing either', async () => {
    const link = await linked();
    const old = await opened({ leaseMs: 600 }, link);
    await old.log.append(room, 0, pack('old'));
    const seen = sent(link, 'stale');
    link.become('hold');
    const appended = old.log.append(room, 1, pack('stale'));
    const refused = expect(appended).rejects.toMatchObject({ fault: 'locked' });
    await seen;
    const taken = await opened();
    expect(await taken.log.append(room, 1, pack('new'))).toEqual({ seq: 1 });
    link.become('pass');
    await link.deliver();
    await refused;
    expect(await packsOf(taken)).toEqual(['old', 'new']);
    for (const asked of [
      () => old.log.append(room, 2, pack('again')),
      () => old.log.head(room),
      () => old.log.remove(room, new Uint8Array(1)),
      () => old.images.put(room, [new Uint8Array(1)]),
      () => packsOf(old),
    ])
      await expect(asked()).rejects.toMatchObject({ fault: 'locked' });
    expect(await taken.log.append(room, 2, pack('newer'))).toEqual({ seq: 2 });
    expect(await packsOf(taken)).toEqual(['old', 'new', 'newer']);
  });
});

describe('a statement that fails', () => {
  it('is refused whole, and rooms that were to be written with it go on', async () => {
    const store = await opened();
    const others = ['a', 'b', 'c'].map(roomOf);
    // Rows of one room fail as they do on a full disk.
    await database.ask(
      `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
       CREATE TRIGGER fail BEFORE INSERT ON weft.record FOR EACH ROW WHEN (NEW.room = 'room') EXECUTE FUNCTION fail()`,
      name,
    );
    const results = await Promise.allSettled([room, ...others].map((one) => store.log.append(one, 0, pack('first'))));
    expect(results[0]).toMatchObject({ reason: { fault: 'full', message: expect.stringContaining('free space') } });
    expect(results.slice(1).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
    expect([await store.log.head(room), await packsOf(store)]).toEqual([0, []]);
    await database.ask('DROP TRIGGER fail ON weft.record', name);
    expect(await store.log.append(room, 0, pack('first'))).toEqual({ seq: 0 });
  });
});

describe('rows that are not what was written', () => {
  it.each([
    ['a record', 'UPDATE weft.record SET pack = set_byte(pack, 0, 1)'],
    ['a record of another place', 'UPDATE weft.record SET count = 2; UPDATE weft.room SET head = 2'],
    ['a segment', 'UPDATE weft.segment SET pack = set_byte(pack, 0, 1)'],
    ['a segment that is gone', 'DELETE FROM weft.segment'],
  ])('%s is refused as damaged, with its room', async (what, change) => {
    const store = await opened();
    await store.log.append(room, 0, pack('first'));
    if (what.includes('segment')) await store.log.merge(room, 0, pack('first'));
    await database.ask(change, name);
    await expect(packsOf(store)).rejects.toMatchObject({ fault: 'damaged', message: /room room is damaged at 0/ });
  });

  it('an image counts as none', async () => {
    const store = await opened();
    await store.images.put(room, [new Uint8Array(9)]);
    await database.ask('UPDATE weft.image SET bytes = set_byte(bytes, 0, 1)', name);
    expect(await store.images.get(room)).toBeUndefined();
  });
});

describe('PostgreSQL that is killed under load', () => {
  it('keeps what was acknowledged, and the rooms go on', async () => {
    const store = await opened({ patienceMs: 100_000 });
    const rooms = Array.from({ length: 12 }, (_, i) => roomOf(`room-${i}`));
    let isOver = false;
    const written = await Promise.all([
      ...rooms.map(async (one) => {
        let head = 0;
        while (!isOver) {
          const result = await store.log.append(one, head, pack(`${one} ${head}`));
          expect(result).toEqual({ seq: head });
          head++;
        }
        return head;
      }),
      (async () => {
        for (let round = 0; round < 3; round++) {
          await expect.poll(() => store.log.head(rooms[0]!)).toBeGreaterThan(5 * (round + 1));
          await database.crash();
          await database.up();
        }
        isOver = true;
        return 0;
      })(),
    ]);
    for (const [i, one] of rooms.entries())
      expect(await packsOf(store, one)).toEqual(Array.from({ length: written[i]! }, (_, n) => `${one} ${n}`));
  });
});
