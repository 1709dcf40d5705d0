/** Two processes on one PostgreSQL, each with a key of its own that a root has certified; one of them is stolen. */
import { connectRoom, generateKeys } from '@weft/core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { certifiedSigners } from '../support/certified-signers.js';
import { PostgresServer } from '../support/postgres.js';
import { WeftProcess } from '../support/weft-process.js';
import { weft } from '../support/weft-run.js';

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
