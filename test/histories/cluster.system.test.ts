import { afterAll, beforeAll, expect, it } from 'vitest';
import { PostgresServer } from '../support/servers/postgres.js';
import { clusterTried } from './cluster-tried.js';

let database: PostgresServer;
beforeAll(async () => {
  database = await PostgresServer.start();
});
afterAll(() => database.stop());

it('what clients of a cluster were answered stands over a minute, while processes, database, bus, links and clocks are harmed', async () => {
  const { violations, waiting, gaveUp } = await clusterTried(database, { bus: 'nats', ms: 60_000 });
  expect({ violations, waiting, gaveUp }).toEqual({ violations: [], waiting: [], gaveUp: [] });
}, 300_000);
