/** What waits for a write of a process that does not end, and what does not. Each store here stands for a process. */
import type { Store } from '@weft/core';
import { postgresStore } from '@weft/core/postgres';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { CutLink } from '../support/servers/cut-link.js';
import { PostgresServer } from '../support/servers/postgres.js';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.stop());

const ROOM = 'plans' as Parameters<Store['log']['head']>[0];
const PACK = { count: 1, pack: new Uint8Array([1, 2, 3]) };
const OTHER = { count: 1, pack: new Uint8Array([4, 5, 6]) };

async function opened(address: string, at = '127.0.0.1:1'): Promise<Store> {
  const store = postgresStore(address, { leaseMs: 1500, sharedAt: at, patienceMs: 20_000 });
  onTestFinished(() => store.close().catch(() => undefined));
  await store.open();
  return store;
}

const membershipOf = ({ membership }: Store): NonNullable<Store['membership']> => membership!;

/** Somebody else's transaction, which has done this and goes on until it is told to end. */
async function transaction(database: string, text: string, values: readonly string[]): Promise<() => Promise<void>> {
  const client = new pg.Client(server.address(database));
  client.on('error', () => undefined);
  onTestFinished(() => client.end().catch(() => undefined));
  await client.connect();
  await client.query('BEGIN');
  await client.query(text, [...values]);
  return async () => void (await client.query('ROLLBACK'));
}

/** Statements in the database that wait for a lock. */
async function waiting(database: string): Promise<number> {
  const rows = await server.ask(
    `SELECT FROM pg_stat_activity WHERE datname = '${database}' AND wait_event_type = 'Lock'`,
    database,
  );
  return rows.length;
}

async function linkTo(database: string): Promise<{ readonly link: CutLink; readonly address: string }> {
  const link = await CutLink.before(server.port);
  onTestFinished(() => link.close());
  return { link, address: server.address(database).replace(`:${server.port}`, `:${link.port}`) };
}

it('a lease is renewed though a write that holds it waits for another process', async () => {
  const name = await server.database();
  const [a, b] = [await opened(server.address(name), 'one:1'), await opened(server.address(name), 'two:2')];
  const { self } = membershipOf(a);
  const end = await transaction(name, 'INSERT INTO weft.owner (room, process) VALUES ($1, $2)', [
    ROOM,
    membershipOf(b).self.id,
  ]);
  const claimed = membershipOf(a).claim(ROOM);
  await expect.poll(() => waiting(name)).toBe(1);
  const until = async (): Promise<string> =>
    (await server.ask<{ until: string }>(`SELECT until::text FROM weft.lease WHERE name = '${self.id}'`, name))[0]!
      .until;
  for (let renewals = 0, last = await until(); renewals < 10; renewals++, last = await until()) {
    await expect.poll(until).not.toBe(last);
    expect(await membershipOf(b).members()).toHaveLength(2);
  }
  await membershipOf(a).makeSure();
  await end();
  expect(await claimed).toBe(self.id);
});

it('a lease is raised when what was under way has ended, however long that waited', async () => {
  const name = await server.database();
  const { link, address } = await linkTo(name);
  const a = await opened(address);
  await a.log.append(ROOM, 0, PACK);
  const end = await transaction(name, 'SELECT FROM weft.room WHERE room = $1 FOR UPDATE', [ROOM]);
  const appended = a.log.append(ROOM, 1, OTHER);
  await expect.poll(() => waiting(name)).toBe(1);
  // Nobody is told whether it was kept, and what became of it is asked while it still waits.
  link.cut();
  await expect.poll(() => waiting(name)).toBeGreaterThan(1);
  await end();
  expect(await appended).toEqual({ seq: 1 });
  expect(await a.log.head(ROOM)).toBe(2);
});

it('a process that does not hear that its lease was raised has it still, whatever it sends meanwhile', async () => {
  const name = await server.database();
  const { link, address } = await linkTo(name);
  const a = await opened(address);
  await a.log.append(ROOM, 0, PACK);
  const endWrite = await transaction(name, 'SELECT FROM weft.room WHERE room = $1 FOR UPDATE', [ROOM]);
  const appended = a.log.append(ROOM, 1, OTHER);
  await expect.poll(() => waiting(name)).toBe(1);
  let isRaising = false;
  link.onRequest = (bytes) => {
    const text = bytes.toString('latin1');
    if (text.includes('fence = fence + 1')) isRaising = true;
    else if (isRaising && text.includes('COMMIT')) link.become('deaf');
  };
  link.cut();
  await endWrite();
  const fence = async (): Promise<string> =>
    (await server.ask<{ fence: string }>('SELECT fence FROM weft.lease ORDER BY fence DESC LIMIT 1', name))[0]!.fence;
  await expect.poll(fence).toBe('2');
  // It cannot be raised again before what carries the number of before has been answered.
  const { id } = membershipOf(a).self;
  const end = await transaction(name, 'SELECT FROM weft.lease WHERE name = $1 FOR NO KEY UPDATE', [id]);
  let claims = 0;
  link.onRequest = (bytes) => void (claims += bytes.includes('weft.owner') ? 1 : 0);
  link.become('pass');
  link.cut();
  const claimed = membershipOf(a).claim(ROOM);
  await expect.poll(() => claims).toBe(1);
  await Promise.race([claimed, expect.poll(() => waiting(name)).toBeGreaterThan(1)]);
  await end();
  expect(await claimed).toBe(id);
  expect(await appended).toEqual({ seq: 1 });
  expect(await a.log.append(ROOM, 2, PACK)).toEqual({ seq: 2 });
});

it('a process that died in a transaction that goes on keeps nobody from looking who is there, or from working', async () => {
  const name = await server.database();
  const b = membershipOf(await opened(server.address(name), 'two:2'));
  const died = await Promise.all([linkTo(name), linkTo(name)]);
  const [first, second] = await Promise.all(died.map(({ address }) => opened(address)));
  await membershipOf(second!).claim(ROOM);
  const { id } = membershipOf(first!).self;
  const end = await transaction(name, 'SELECT FROM weft.lease WHERE name = $1 FOR KEY SHARE', [id]);
  for (const { link } of died) {
    link.become('closed');
    link.cut();
  }
  let [looks, isOn] = [0, true];
  const looking = (async () => {
    for (; isOn; looks++) await b.members();
  })();
  await expect.poll(() => waiting(name)).toBe(1);
  const before = looks;
  await expect.poll(() => looks).toBeGreaterThan(before + 2);
  await expect.poll(async () => (await b.members()).length).toBe(2);
  // Nobody listens where it was, and every look says so again.
  const out = Array.from({ length: 10 }, () => b.putOut(id));
  expect(await b.claim(ROOM)).toBe(b.self.id);
  expect(await waiting(name)).toBe(1);
  await end();
  await Promise.all(out);
  isOn = false;
  await looking;
  expect(await b.members()).toEqual([b.self]);
});

it.each([
  ['begins to share the database', 'INSERT INTO weft.lease (name, holder, fence, until, address)'],
  ['gives a room up', 'DELETE FROM weft.owner'],
])('whoever dies without a word while he %s keeps the others waiting for no longer than his lease', async (_, last) => {
  const name = await server.database();
  const b = await opened(server.address(name), 'two:2');
  const { link, address } = await linkTo(name);
  // It is off in the middle of a transaction: the database hears no end of it.
  link.onRequest = (bytes) => {
    if (!bytes.includes(last)) return;
    link.become('hold');
    setImmediate(() => {
      link.cut();
      link.become('closed');
    });
  };
  const dying = opened(address, 'one:1').then(async (a) => {
    await membershipOf(a).claim(ROOM);
    await membershipOf(a).release([ROOM]);
  });
  dying.catch(() => undefined);
  const open = `SELECT FROM pg_stat_activity WHERE datname = '${name}' AND state = 'idle in transaction'`;
  await expect.poll(async () => (await server.ask(open, name)).length).toBe(1);
  const c = await opened(server.address(name), 'three:3');
  await expect
    .poll(async () => (await membershipOf(c).members()).map((member) => member.address))
    .not.toContain('one:1');
  expect([membershipOf(b).self.id, membershipOf(c).self.id]).toContain(await membershipOf(b).claim(ROOM));
});

it.each([
  ['what was read has changed', '40001'],
  ['each waits for the other', '40P01'],
])('a lease is given up, and ended, though the database takes that back in favour of others: %s', async (_, code) => {
  const name = await server.database();
  const [a, b] = [await opened(server.address(name), 'one:1'), await opened(server.address(name), 'two:2')];
  const c = await opened(server.address(name), 'three:3');
  await server.ask('CREATE SEQUENCE tries', name);
  await server.ask(
    `CREATE FUNCTION yield() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF nextval('tries') % 3 > 0 THEN RAISE EXCEPTION 'others first' USING ERRCODE = '${code}'; END IF;
       RETURN OLD; END $$`,
    name,
  );
  await server.ask('CREATE TRIGGER yields BEFORE DELETE ON weft.lease FOR EACH ROW EXECUTE FUNCTION yield()', name);
  const left = async (): Promise<unknown> =>
    server.ask('SELECT address FROM weft.lease WHERE name <> $$store$$ ORDER BY 1', name);
  await membershipOf(b).putOut(membershipOf(c).self.id);
  expect(await left()).toEqual([{ address: 'one:1' }, { address: 'two:2' }]);
  await a.close();
  expect(await left()).toEqual([{ address: 'two:2' }]);
});

it('a merge that comes late from a process that was put out changes nothing', async () => {
  const name = await server.database();
  const { link, address } = await linkTo(name);
  const [a, b] = [await opened(address, 'one:1'), await opened(server.address(name), 'two:2')];
  for (let seq = 0; seq < 3; seq++) await a.log.append(ROOM, seq, PACK);
  link.become('hold');
  const merging = a.log.merge(ROOM, 0, { count: 3, pack: new Uint8Array([7]) }).catch((error: unknown) => error);
  await expect.poll(async () => (await membershipOf(b).members()).length).toBe(1);
  expect(await b.log.append(ROOM, 3, OTHER)).toEqual({ seq: 3 });
  link.become('pass');
  link.release();
  expect(await merging).toMatchObject({ fault: 'locked' });
  const records: unknown[] = [];
  for await (const { seq, pack } of b.log.read(ROOM, 0)) records.push([seq, ...pack]);
  expect(records).toEqual([
    [0, ...PACK.pack],
    [1, ...PACK.pack],
    [2, ...PACK.pack],
    [3, ...OTHER.pack],
  ]);
});

it('many who ask at once whether the lease holds are answered by a renewal or two', async () => {
  const name = await server.database();
  const { link, address } = await linkTo(name);
  const membership = membershipOf(await opened(address));
  link.become('hold');
  await expect.poll(() => membership.isSure).toBe(false);
  let renewals = 0;
  link.onRequest = (bytes) => void (renewals += bytes.toString('latin1').split('UPDATE weft.lease').length - 1);
  const sure = Promise.all(Array.from({ length: 100 }, () => membership.makeSure()));
  link.become('pass');
  link.release();
  await sure;
  expect(membership.isSure).toBe(true);
  // Those of its own pace are among them.
  expect(renewals).toBeGreaterThan(0);
  expect(renewals).toBeLessThan(20);
});
