/** Processes on one PostgreSQL, each with a key of its own that a root has certified; one of them is stolen. */
import { connectRoom, generateKeys } from '@weft/core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { certifiedSigners } from '../support/servers/certified-signers.js';
import { PostgresServer } from '../support/servers/postgres.js';
import { Served, keep } from '../support/servers/served.js';
import { WeftProcess } from '../support/programs/weft-process.js';
import { WeftRun, weft, weftJson } from '../support/programs/weft-run.js';

let database: PostgresServer;
beforeAll(async () => {
  database = await PostgresServer.start();
});
afterAll(() => database.stop());

it('a room goes on under the key of the other process, and the stolen one starts no more', async () => {
  const store = database.address(await database.database());
  const { root, signers, words } = await certifiedSigners(store, ['one.key', 'two.key']);
  const serve = (name: string): WeftProcess =>
    new WeftProcess(['serve', '--listen', '127.0.0.1:0', ...words(name)], { env: { WEFT_STORE: store } });
  const enter = async (server: WeftProcess) => {
    const [, url] = await server.line(/^(ws:\S+)$/);
    const client = await connectRoom({ socket: new WebSocket(url!.replace('<room>', 'room')), keys: generateKeys() });
    onTestFinished(() => client.close());
    return client;
  };
  const one = serve('one.key');
  const client = await enter(one);
  client.replica.set('a', 1);
  await client.push();
  await one.kill('SIGTERM');
  expect(await weft('authority', 'revoke', ...root, '--signer', signers[0]!)).toMatchObject({ code: 0 });
  const stolen = serve('one.key');
  expect([(await stolen.exited).code, stolen.err.join()]).toEqual([2, expect.stringContaining('is revoked')]);
  const two = serve('two.key');
  expect((await enter(two)).replica.get('a')).toBe(1);
  expect(await two.kill('SIGTERM')).toEqual({ code: 0, signal: null });
});

it('[MA3] no child is founded under a key that is revoked, by a server on a database or by the command there', async () => {
  const store = database.address(await database.database());
  const { root, signers, words } = await certifiedSigners(store, ['one.key', 'two.key']);
  const served = await new Served(store, words('one.key')).ready();
  const client = keep([served], 'plans');
  await client.joined;
  client.replica.set('a', 1);
  await client.push();
  expect(await served.ask('/rooms/plans/fork', { child: 'early' })).toMatchObject({ status: 200 });
  expect(await weft('authority', 'revoke', ...root, '--signer', signers[0]!)).toMatchObject({ code: 0 });
  served.process.signal('SIGHUP');
  await served.process.line(/what roots have said was taken in/, served.process.err);
  expect(await served.ask('/rooms/plans/fork', { child: 'late' })).toMatchObject({
    status: 409,
    answer: { error: expect.stringContaining('is revoked') },
  });
  // Who is in the room stays there, and goes on writing.
  client.replica.set('a', 2);
  await client.push();
  await served.process.kill('SIGTERM');

  const fork = async (name: string): Promise<string> => {
    const [, authority, , key] = words(name);
    const env = { WEFT_AUTHORITY: authority!, WEFT_SIGNER_KEY: key! };
    const command = new WeftRun(['room', 'fork', 'plans', '--child', 'late', '--store', store], { env });
    return `${await command.ended} ${command.err.join('')}`;
  };
  expect(await fork('one.key')).toMatch(/^2 .*is revoked/);
  expect(await rooms()).toEqual(['early', 'plans']);
  expect(await fork('two.key')).toBe('0 ');
  expect(await rooms()).toEqual(['early', 'late', 'plans']);

  async function rooms(): Promise<unknown[]> {
    const listed = (await weftJson('room', 'list', '--store', store)) as readonly { readonly room: string }[];
    return listed.map(({ room }) => room).sort();
  }
});
