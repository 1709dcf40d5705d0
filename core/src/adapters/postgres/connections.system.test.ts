/** Connections to one of several hosts: one that takes what it is asked and answers nothing is left, however long a statement may take. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { CutLink } from '../../../../test/support/servers/cut-link.js';
import { PostgresServer } from '../../../../test/support/servers/postgres.js';
import { Connections } from './connections.js';
import { isConnectionLost } from './database-error.js';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.stop());

it('what waits for a host that says nothing ends, and the next host is asked from then on; one that only takes long is waited for', async () => {
  const link = await CutLink.before(server.port);
  onTestFinished(() => link.close());
  const address = server.address().replace(`:${server.port}/`, `:${link.port},127.0.0.1:${server.port}/`);
  const connections = new Connections(address, { most: 2, queryMs: 600_000 });
  onTestFinished(() => connections.close());
  const ask = (text: string): Promise<unknown> => connections.use((connection) => connection.query(text));
  await ask('SELECT pg_sleep(7)');
  expect(connections.place.port).toBe(link.port);
  link.become('deaf');
  const lost = await ask('SELECT 1').catch((error: unknown) => error);
  expect(isConnectionLost(lost)).toBe(true);
  expect(connections.place.port).toBe(server.port);
  expect(await ask('SELECT 2 AS two')).toMatchObject({ rows: [{ two: 2 }] });
});
