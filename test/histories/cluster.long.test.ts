import { afterAll, beforeAll, expect, it } from 'vitest';
import { PostgresServer } from '../support/servers/postgres.js';
import { clusterTried } from './cluster-tried.js';

let database: PostgresServer;
beforeAll(async () => {
  database = await PostgresServer.start();
});
afterAll(() => database.stop());

it.each([1, 2, 3, 4, 5].flatMap((part) => (['nats', 'tcp'] as const).map((bus) => [bus, part] as const)))(
  'what clients of a cluster were answered stands over ten minutes of harm: over %s, part %i of 5',
  async (bus) => {
    // Who gave way to others at the end of a long outage is refused, so what processes tell of that is printed and no more.
    const { violations, waiting } = await clusterTried(database, { bus, ms: 120_000 });
    expect({ violations, waiting }).toEqual({ violations: [], waiting: [] });
  },
  400_000,
);
