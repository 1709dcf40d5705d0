/** Copies of the database: one that follows and takes over at another address, and one of an earlier moment, out of a base backup and WAL. */
import { chmod, chown } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { CutLink } from '../support/servers/cut-link.js';
import { Load } from '../support/load.js';
import { PostgresServer, type PostgresSettings } from '../support/servers/postgres.js';
import { selfSigned } from '../support/servers/self-signed.js';
import { Served, keep, known, logIsSound } from '../support/servers/served.js';
import { tempFolder } from '../support/temp-folder.js';

/** A database, and a standby without which nothing is acknowledged. */
async function followed(settings: PostgresSettings = {}) {
  const primary = await PostgresServer.start({ settings });
  onTestFinished(() => primary.stop());
  const address = primary.address(await primary.database());
  const standby = await primary.copied({ follows: 'second' });
  onTestFinished(() => standby.stop());
  await standby.up();
  await primary.ask(`ALTER SYSTEM SET synchronous_standby_names = 'second'`);
  await primary.ask('SELECT pg_reload_conf()');
  await expect
    .poll(() => primary.ask(`SELECT application_name, sync_state FROM pg_stat_replication`))
    .toEqual([{ application_name: 'second', sync_state: 'sync' }]);
  return { primary, standby, address };
}

/** A certificate for the database, which its user can read. */
async function certified() {
  const folder = await tempFolder();
  const { cert, key } = selfSigned(folder);
  await chmod(folder, 0o755);
  if (process.getuid?.() === 0) await chown(key, 65534, 65534);
  return { cert, settings: { ssl: 'on', ssl_cert_file: cert, ssl_key_file: key } };
}

/** Clients of two rooms that write from now on, some at each process. */
async function underLoad(served: readonly Served[]): Promise<readonly Load[]> {
  await known(served, 2);
  const clients = ['plans', 'plans', 'notes', 'notes'].map((room, i) => keep(served.slice(i % 2, (i % 2) + 1), room));
  await Promise.all(clients.map(({ joined }) => joined));
  const loads = [new Load(clients.slice(0, 2)), new Load(clients.slice(2))];
  for (const load of loads) await load.goesOn();
  return loads;
}

it('processes go on at a standby that was promoted at another address, with all that was acknowledged', async () => {
  const { primary, standby, address } = await followed();
  const link = await CutLink.before(primary.port);
  onTestFinished(() => link.close());
  const store = address.replace(`:${primary.port}/`, `:${link.port}/`);
  const served = await Promise.all([0, 1].map(() => new Served(store).ready()));
  const loads = await underLoad(served);
  await primary.crash();
  link.aim(standby.port);
  // They come to one that only lets them read, and wait.
  const here = `SELECT count(*) > 0 AS are FROM pg_stat_activity WHERE application_name = 'weft'`;
  await expect.poll(() => standby.ask(here)).toEqual([{ are: true }]);
  await standby.ask('SELECT pg_promote()');
  for (const load of loads) await load.goesOn();
  for (const load of loads) await load.end();
  await known(served, 2);
  for (const { process } of served) expect(process.hasEnded).toBe(false);
  for (const room of ['plans', 'notes']) await logIsSound(standby, address, room);
});

it('processes that know both hosts of a database go on at the one that was promoted, and start there, and read at no standby', async () => {
  const { primary, standby, address } = await followed();
  // The standby stands first: who only lets us read is passed over.
  const store = address.replace(`:${primary.port}/`, `:${standby.port},127.0.0.1:${primary.port}/`);
  const served = await Promise.all([0, 1].map(() => new Served(store).ready()));
  const loads = await underLoad(served);
  await primary.crash();
  await standby.ask('SELECT pg_promote()');
  for (const load of loads) await load.goesOn();
  await known(served, 2);
  for (const { process } of served) expect(process.hasEnded).toBe(false);
  // One that starts now finds it too; the first host that it knows does not answer.
  const late = await new Served(address.replace(/\/[^/]*$/, (name) => `,127.0.0.1:${standby.port}${name}`)).ready();
  await known([...served, late], 3);
  for (const load of loads) await load.goesOn();
  for (const load of loads) await load.end();
  for (const room of ['plans', 'notes']) await logIsSound(standby, address, room);
});

it('a host that takes connections and answers nothing is left for the one that was promoted, over TLS as well', async () => {
  const { cert, settings } = await certified();
  const { primary, standby, address } = await followed(settings);
  const hosts = address.replace(`:${primary.port}/`, `:${primary.port},127.0.0.1:${standby.port}/`);
  const store = `${hosts}?sslmode=verify-full&sslrootcert=${cert}`;
  const served = await Promise.all([0, 1].map(() => new Served(store).ready()));
  const loads = await underLoad(served);
  const isSafe = `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'weft'`;
  expect(await primary.ask(isSafe)).toEqual([{ ssl: true }]);
  const still = primary.freeze(15_000);
  await standby.ask('SELECT pg_promote()');
  // The other one is away for longer than a write waits, and is nobody's when it is back.
  for (const load of loads) await load.goesOn();
  await known(served, 2);
  await still;
  for (const load of loads) await load.goesOn();
  for (const load of loads) await load.end();
  for (const { process } of served) expect(process.hasEnded).toBe(false);
  for (const room of ['plans', 'notes']) await logIsSound(standby, address, room);
});

it('a base backup and archived WAL are the rooms of the moment that is named, and peers bring back what came later', async () => {
  const archive = await tempFolder();
  await chmod(archive, 0o777);
  const archiving = { archive_mode: 'on', archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f` };
  const database = await PostgresServer.start({ settings: archiving });
  onTestFinished(() => database.stop());
  const store = database.address(await database.database());
  const before = await new Served(store).ready();
  const writer = keep([before], 'plans');
  await writer.joined;
  const writes = async (key: string): Promise<void> => {
    writer.replica.set(key, true);
    await writer.push();
  };
  await writes('before the backup');
  const restored = await database.copied({ until: 'noon', archive });
  onTestFinished(() => restored.stop());
  await writes('after the backup');
  await database.ask(`SELECT pg_create_restore_point('noon')`);
  await writes('after noon');
  await database.ask('SELECT pg_switch_wal()');
  await expect
    .poll(() =>
      database.ask(
        'SELECT archived_count > 0 AND last_archived_wal >= pg_walfile_name(pg_current_wal_lsn() - 16777216::numeric) AS done FROM pg_stat_archiver',
      ),
    )
    .toEqual([{ done: true }]);
  await before.process.kill('SIGKILL');
  await database.stop();
  await restored.up();
  await expect.poll(() => restored.ask('SELECT pg_is_in_recovery() AS still')).toEqual([{ still: false }]);
  const after = await new Served(store.replace(`:${database.port}/`, `:${restored.port}/`)).ready();
  const reader = keep([after], 'plans');
  await reader.joined;
  const keys = ['before the backup', 'after the backup', 'after noon'];
  const has = (): unknown[] => keys.map((key) => reader.replica.get(key));
  await expect.poll(has).toEqual([true, true, undefined]);
  // Whoever was there holds it still, and offers it again.
  before.said = after.said;
  await expect.poll(has, { timeout: 60_000 }).toEqual([true, true, true]);
  await logIsSound(restored, store, 'plans');
});
