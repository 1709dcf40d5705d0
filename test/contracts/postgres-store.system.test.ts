/** The store on a real PostgreSQL keeps the word that every store gives. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { postgresStore } from '@weft/core/postgres';
import { blobBattery, storeBattery } from '@weft/core/testing';
import { PostgresServer } from '../support/postgres.js';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.stop());

describe('the postgres store', () => {
  for (const { name, run } of [...storeBattery, ...blobBattery]) {
    it(name, async () => {
      const address = server.address(await server.database());
      await run(async () => {
        const store = postgresStore(address, { leaseMs: 1500 });
        await store.open();
        return store;
      });
    });
  }
});
