/** The store on a real PostgreSQL keeps the word that every store gives, also where a pooler stands in between. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { postgresStore } from '@weft/core/postgres';
import { aheadBattery, blobBattery, storeBattery } from '@weft/core/testing';
import { Pooler } from '../support/servers/pooler.js';
import { PostgresServer } from '../support/servers/postgres.js';

let server: PostgresServer;
let pooler: Pooler;
beforeAll(async () => {
  server = await PostgresServer.start();
  pooler = await Pooler.before(server);
});
afterAll(async () => {
  await pooler?.stop();
  await server.stop();
});

describe('the postgres store', () => {
  for (const { name, run } of [...storeBattery, ...aheadBattery, ...blobBattery]) {
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

describe('the postgres store that several processes share', () => {
  // A second open is what it is for; who is refused beside whom is in `postgres-membership.system.test.ts`.
  const cases = [...storeBattery, ...blobBattery].filter(
    ({ name }) => !name.includes('a second open of a place in use'),
  );
  for (const { name, run } of cases) {
    it(name, async () => {
      const address = server.address(await server.database());
      await run(async () => {
        const store = postgresStore(address, { leaseMs: 1500, sharedAt: '127.0.0.1:1' });
        await store.open();
        return store;
      });
    });
  }
});

describe('the postgres store behind a pooler in transaction mode', () => {
  for (const { name, run } of [...storeBattery, ...aheadBattery]) {
    it(name, async () => {
      const address = pooler.address(await server.database());
      await run(async () => {
        const store = postgresStore(address, { leaseMs: 1500 });
        await store.open();
        return store;
      });
    });
  }
});
