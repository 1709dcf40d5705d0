/** Two processes on one PostgreSQL, each with a key of its own that a root has certified; one of them is stolen. */
import { join } from 'node:path';
import { connectRoom, generateKeys } from '@weft/core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { PostgresServer } from '../support/postgres.js';
import { tempFolder } from '../support/temp-folder.js';
import { WeftProcess } from '../support/weft-process.js';
import { weft } from '../support/weft-run.js';

let database: PostgresServer;
beforeAll(async () => {
  database = await PostgresServer.start();
});
afterAll(() => database.stop());

it('a room goes on under the key of the other process, and the stolen one starts no more', async () => {
  const store = database.address(await database.database());
  const folder = await tempFolder();
  const at = (name: string): string => join(folder, name);
  const root = ['--root', at('root.key'), '--authority', at('authority.json')];
  expect(await weft('authority', 'init', ...root)).toMatchObject({ code: 0 });
  const signers: string[] = [];
  for (const name of ['one.key', 'two.key']) {
    const asked = await weft('authority', 'request', '--store', store, '--signer-key', at(name), '--json');
    const { founder, signer } = JSON.parse(asked.out) as { readonly founder: string; readonly signer: string };
    signers.push(signer);
    const certified = await weft('authority', 'certify', ...root, '--founder', founder, '--signer', signer);
    expect(certified).toMatchObject({ code: 0 });
  }
  const serve = (name: string): WeftProcess => {
    const words = ['serve', '--listen', '127.0.0.1:0', '--authority', at('authority.json'), '--signer-key', at(name)];
    return new WeftProcess(words, { env: { WEFT_STORE: store } });
  };
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
