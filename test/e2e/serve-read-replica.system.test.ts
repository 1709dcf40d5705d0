/** `weft serve --read-replica`: rooms are opened and entered from a standby, and no later or otherwise than without one. */
import { expect, it, onTestFinished } from 'vitest';
import { PostgresServer } from '../support/servers/postgres.js';
import { Served, keep, known } from '../support/servers/served.js';
import { weft } from '../support/programs/weft-run.js';

it('peers enter rooms that a standby has, and go on when it lags or dies', async () => {
  const primary = await PostgresServer.start();
  onTestFinished(() => primary.stop());
  const name = await primary.database();
  const store = primary.address(name);
  const standby = await primary.copied({ follows: 'readers' });
  onTestFinished(() => standby.stop());
  await standby.up();
  const serve = (): Promise<Served> => new Served(store, ['--read-replica', standby.address(name)]).ready();
  const [first, second] = [await serve(), await serve()];
  await known([first, second], 2);
  const readFrom = async (served: Served, from: string): Promise<number> =>
    (await served.metric(`read_replica_bytes_total\\{from="${from}"\\}`)) || 0;
  const writer = keep([first, second], 'plans');
  await writer.joined;
  const text = writer.replica.text('minutes');
  for (let i = 0; i < 40; i++) {
    text.insert(text.length, `${i} ${String.fromCharCode(97 + (i % 26)).repeat(i * 17)} ${Math.random()}\n`);
    await writer.push();
  }
  expect((await first.ask('/rooms/plans/compact', {})).status).toBe(200);
  const isEqual = `SELECT pg_last_wal_replay_lsn() >= '${
    (await primary.ask<{ lsn: string }>('SELECT pg_current_wal_lsn() AS lsn'))[0]!.lsn
  }'::pg_lsn AS yes`;
  await expect.poll(() => standby.ask(isEqual)).toEqual([{ yes: true }]);

  // The room comes up at the other one, from the standby.
  await first.process.kill('SIGKILL');
  const entered = async (): Promise<string> => {
    const reader = keep([second], 'plans');
    await reader.joined;
    const read = reader.replica.text('minutes').toString();
    reader.close();
    return read;
  };
  await expect.poll(entered, { timeout: 60_000 }).toBe(text.toString());
  expect(await readFrom(second, 'replica')).toBeGreaterThan(0);

  // It stays behind, and whoever enters sees what was acknowledged all the same.
  await standby.ask('SELECT pg_wal_replay_pause()');
  await expect.poll(() => writer.state, { timeout: 60_000 }).toBe('joined');
  text.insert(0, `${'new '.repeat(4000)}\n`);
  await writer.push();
  expect(await entered()).toBe(text.toString());
  await standby.crash();
  text.insert(0, 'newer\n');
  await writer.push();
  expect(await entered()).toBe(text.toString());
  await second.process.kill('SIGTERM');
});

it('is for rooms in a database', async () => {
  const refused = await weft('serve', '--store', 'memory', '--read-replica', 'postgres://db/rooms');
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('only a database has one')]);
  const wrong = await weft('serve', '--store', 'postgres://db/rooms', '--read-replica', './folder');
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('--read-replica')]);
});
