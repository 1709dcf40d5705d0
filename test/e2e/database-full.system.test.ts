/** A database whose disk is full, and one whose commits are slow: what cannot be kept is refused and says why, and all goes on. */
import { execFile } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { promisify } from 'node:util';
import { randomBytes } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { CutLink } from '../support/servers/cut-link.js';
import { Load } from '../support/load.js';
import { PostgresServer } from '../support/servers/postgres.js';
import { Served, keep, known, logIsSound } from '../support/servers/served.js';
import { tempFolder } from '../support/temp-folder.js';

const run = promisify(execFile);
const [DISK_MIB, VALUE_BYTES] = [160, 900_000];

it('on a full disk nothing is acknowledged that is not kept, reading goes on, and with more room writing does', async () => {
  const disk = await tempFolder();
  await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', disk]);
  onTestFinished(() => run('umount', [disk]).then(() => undefined));
  await chmod(disk, 0o777);
  const settings = { max_wal_size: '32MB', min_wal_size: '32MB' };
  const database = await PostgresServer.start({ settings, within: disk });
  onTestFinished(() => database.stop());
  const store = database.address(await database.database());
  const served = await new Served(store).ready();
  const writer = keep([served], 'plans');
  await writer.joined;
  const reader = keep([served], 'plans');
  await reader.joined;
  // PostgreSQL refuses it, or ends where its own log has no room: both are said.
  const said = served.process
    .line(/is full; free space or give it more|does not answer .*start it/, served.process.err)
    .then(() => 'refused');
  const kept: string[] = [];
  let waiting: Promise<unknown> = Promise.resolve();
  for (let isRefused = false; !isRefused;) {
    const key = `k${kept.length}`;
    writer.replica.set(key, new Uint8Array(randomBytes(VALUE_BYTES)));
    waiting = writer.push().then(() => kept.push(key));
    isRefused = (await Promise.race([waiting, said])) === 'refused';
    expect(kept.length).toBeLessThan(400);
  }
  expect(kept.length).toBeGreaterThan(5);
  const lacking = (client: typeof reader): string[] => kept.filter((key) => client.replica.get(key) === undefined);
  await expect.poll(() => lacking(reader), { timeout: 60_000 }).toEqual([]);
  await run('mount', ['-o', `remount,size=${2 * DISK_MIB}m`, disk]);
  await database.crash();
  await database.up();
  // What was refused goes out again.
  await waiting;
  await served.process.kill('SIGKILL');
  const again = await new Served(store).ready();
  const late = keep([again], 'plans');
  await late.joined;
  await expect.poll(() => lacking(late), { timeout: 60_000 }).toEqual([]);
  await logIsSound(database, store, 'plans');
});

it('commits that take long make writes slow, and cost nobody his lease or what was acknowledged', async () => {
  const database = await PostgresServer.start();
  onTestFinished(() => database.stop());
  const link = await CutLink.before(database.port);
  onTestFinished(() => link.close());
  const name = await database.database();
  const store = database.address(name).replace(`:${database.port}/`, `:${link.port}/`);
  const served = await Promise.all([0, 1].map(() => new Served(store).ready()));
  await known(served, 2);
  const clients = served.map((each) => keep([each], 'plans'));
  await Promise.all(clients.map(({ joined }) => joined));
  const load = new Load(clients);
  await load.goesOn();
  link.delayMs = 300;
  await load.goesOn();
  await load.goesOn();
  link.delayMs = 0;
  await load.end();
  await known(served, 2);
  for (const { process } of served) expect(process.hasEnded).toBe(false);
  await logIsSound(database, database.address(name), 'plans');
});
