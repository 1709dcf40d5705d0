/** Tables of a store on PostgreSQL: made once, brought forward once, whoever asks at once; and only by the process that may. */
import { parseRoomId } from '@weft/core';
import { migratePostgres, postgresStore } from '@weft/core/postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { PostgresServer } from '../support/servers/postgres.js';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.stop());

/** Steps as a later version could have them: the first ones are those that are there. */
const later = [
  ...Array.from({ length: 3 }, () => ({ about: 'what is there', statements: '' })),
  { about: 'note who came', statements: 'CREATE TABLE weft.note (who text); INSERT INTO weft.note VALUES ($$first$$)' },
  { about: 'note it twice', statements: 'INSERT INTO weft.note VALUES ($$second$$)' },
];

async function made(): Promise<{ readonly name: string; readonly address: string }> {
  const name = await server.database();
  const address = server.address(name);
  const store = postgresStore(address);
  await store.open();
  await store.close();
  return { name, address };
}

const versionIn = async (name: string): Promise<number | undefined> =>
  (await server.ask<{ version: number }>('SELECT version FROM weft.version', name))[0]?.version;

describe('tables of a store', () => {
  it('are made once when several processes open an empty database at once', async () => {
    const address = server.address(await server.database());
    const stores = Array.from({ length: 4 }, () => postgresStore(address, { leaseMs: 1500 }));
    const results = await Promise.allSettled(stores.map((store) => store.open()));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ fault: 'locked' });
    await Promise.all(stores.map((store) => store.close()));
  });

  it.each(['serializable', 'repeatable read'])(
    'are made once, and shared, where transactions are %s unless they say otherwise',
    async (isolation) => {
      const name = await server.database();
      await server.ask(`ALTER DATABASE ${name} SET default_transaction_isolation = '${isolation}'`);
      const address = server.address(name);
      const stores = Array.from({ length: 4 }, (_, i) => postgresStore(address, { sharedAt: `127.0.0.1:${i + 1}` }));
      onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))));
      await Promise.all(stores.map((store) => store.open()));
      const rooms = Array.from({ length: 8 }, (_, i) => parseRoomId(`room-${i}`)!);
      // Each claims all rooms at once: one has each of them, and all agree.
      const owners = await Promise.all(
        stores.map((store) => Promise.all(rooms.map((room) => store.membership!.claim(room)))),
      );
      for (const [room] of rooms.entries()) {
        const named = new Set(owners.map((of) => of[room]));
        expect(named.size).toBe(1);
      }
      // All write at one place of one room: one is kept, and the others hear where it has moved to.
      const pack = { count: 1, pack: new Uint8Array(8) };
      const room = parseRoomId('contended')!;
      const results = await Promise.all(stores.map((store) => store.log.append(room, 0, pack)));
      expect(results.filter((result) => 'seq' in result)).toHaveLength(1);
      expect(results.filter((result) => 'movedTo' in result && result.movedTo === 1)).toHaveLength(3);
    },
  );

  it.each([
    ['what was read has changed', '40001'],
    ['each waits for the other', '40P01'],
  ])('are opened again where the database takes that back in favour of others: %s', async (_, code) => {
    const { name, address } = await made();
    await server.ask('CREATE SEQUENCE tries', name);
    await server.ask(
      `CREATE FUNCTION yield() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF nextval('tries') <= 3 THEN RAISE EXCEPTION 'others first' USING ERRCODE = '${code}'; END IF;
         RETURN NEW; END $$`,
      name,
    );
    await server.ask('CREATE TRIGGER yields BEFORE UPDATE ON weft.lease FOR EACH ROW EXECUTE FUNCTION yield()', name);
    const store = postgresStore(address);
    onTestFinished(() => store.close());
    await store.open();
    expect((await server.ask<{ tries: string }>('SELECT last_value AS tries FROM tries', name))[0]?.tries).toBe('4');
  });

  it('are made by a user who owns the schema and may make none', async () => {
    const name = await server.database();
    await server.ask(`CREATE ROLE tenant LOGIN PASSWORD 'tenant'`);
    await server.ask('CREATE SCHEMA weft AUTHORIZATION tenant', name);
    const store = postgresStore(server.address(name, 'tenant:tenant'));
    await store.open();
    expect(await store.authoritySeed()).toHaveLength(32);
    await store.close();
  });

  it('are brought forward step by step, each once, and said before', async () => {
    const { name, address } = await made();
    const plan = { from: 3, to: 5, steps: ['note who came', 'note it twice'] };
    expect(await migratePostgres(address, { isDry: true, steps: later })).toEqual(plan);
    expect(await versionIn(name)).toBe(3);
    const both = await Promise.allSettled([0, 1].map(() => migratePostgres(address, { steps: later })));
    expect(both.some(({ status }) => status === 'fulfilled')).toBe(true);
    expect(await versionIn(name)).toBe(5);
    expect(await server.ask('SELECT who FROM weft.note ORDER BY who', name)).toEqual([
      { who: 'first' },
      { who: 'second' },
    ]);
    expect(await migratePostgres(address, { steps: later })).toEqual({ from: 5, to: 5, steps: [] });
    await expect(postgresStore(address).open()).rejects.toMatchObject({ fault: 'newer-format' });
  });

  it('keep a step that was taken when the next one fails, and go on from there', async () => {
    const { name, address } = await made();
    const wrong = [...later.slice(0, 4), { about: 'fail', statements: 'CREATE TABLE weft.half (a int); SELECT 1 / 0' }];
    await expect(migratePostgres(address, { steps: wrong })).rejects.toThrow(
      /cannot bring the tables forward.*division/,
    );
    expect(await versionIn(name)).toBe(4);
    expect(await server.ask(`SELECT to_regclass('weft.half') AS half`, name)).toEqual([{ half: null }]);
    expect(await migratePostgres(address, { steps: later })).toMatchObject({ from: 4, to: 5 });
  });

  it('are left alone while a process serves them', async () => {
    const { name, address } = await made();
    const store = postgresStore(address, { leaseMs: 1500 });
    await store.open();
    await expect(migratePostgres(address, { steps: later })).rejects.toMatchObject({ fault: 'locked' });
    expect(await versionIn(name)).toBe(3);
    await store.close();
  });

  it('of the version for one process alone are brought forward, and shared then', async () => {
    const { name, address } = await made();
    await server.ask('DROP TABLE weft.owner, weft.busy', name);
    await server.ask('ALTER TABLE weft.lease DROP COLUMN address', name);
    await server.ask('ALTER TABLE weft.segment DROP COLUMN cold, DROP COLUMN since', name);
    await server.ask('ALTER TABLE weft.image DROP COLUMN cold, DROP COLUMN since', name);
    await server.ask('DROP TABLE weft.cold', name);
    await server.ask(`INSERT INTO weft.segment VALUES ('\\x01', '\\x02')`, name);
    await server.ask('UPDATE weft.version SET version = 1', name);
    await expect(postgresStore(address).open()).rejects.toThrow(/bring it forward with weft migrate/);
    expect(await migratePostgres(address)).toMatchObject({ from: 1, to: 3 });
    const migrated = await server.ask('SELECT since <= now() AS aged, cold FROM weft.segment', name);
    expect(migrated).toEqual([{ aged: true, cold: null }]);
    const shared = [0, 1].map(() => postgresStore(address, { sharedAt: '127.0.0.1:1' }));
    await Promise.all(shared.map((store) => store.open()));
    await expect(postgresStore(address).open()).rejects.toMatchObject({ fault: 'locked' });
    await Promise.all(shared.map((store) => store.close()));
  });

  it('are not made by bringing them forward', async () => {
    await expect(migratePostgres(server.address(await server.database()))).rejects.toThrow(/has no tables of Weft/);
  });
});
