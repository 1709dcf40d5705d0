/** `weft doctor` on a database that is served: it says what is there and what is wrong, and nobody notices. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Load } from '../support/load.js';
import { PostgresServer } from '../support/servers/postgres.js';
import { cluster, keep, known, logIsSound } from '../support/servers/served.js';
import { weft } from '../support/programs/weft-run.js';

let database: PostgresServer;
beforeAll(async () => {
  database = await PostgresServer.start();
});
afterAll(() => database.stop());

it('reads all that is there beside those who serve it, under load, and writes nothing', async () => {
  const { store, served } = await cluster(database, 2);
  const clients = served.map((each) => keep([each], 'plans'));
  await Promise.all(clients.map(({ joined }) => joined));
  const load = new Load(clients);
  await load.goesOn();
  for (let look = 0; look < 3; look++) {
    const { code, out } = await weft('doctor', '--blobs', '--json', '--store', store);
    const said = JSON.parse(out) as { rooms: number; problems: string[]; facts: string[] };
    expect([code, said]).toMatchObject([0, { rooms: 1, problems: [] }]);
    for (const { process } of served) expect(said.facts.join()).toContain(`process ${process.pid} on `);
    expect(said.facts[0]).toMatch(/^PostgreSQL 1\d.*, tables of version \d$/);
    await load.goesOn();
  }
  await known(served, 2);
  await load.end();
  await logIsSound(database, store, 'plans');
  for (const { process } of served) expect(process.hasEnded).toBe(false);
  // Damage is named while they serve.
  const name = new URL(store).pathname.slice(1);
  await database.ask(`UPDATE weft.record SET pack = set_byte(pack, 0, 1) WHERE room = 'plans'`, name);
  await database.ask(`UPDATE weft.segment SET pack = set_byte(pack, 0, 1)`, name);
  const { code, out } = await weft('doctor', '--store', store);
  expect(code).toBe(1);
  expect(out).toMatch(/problem: .*room plans is damaged/);
});

it('of a database that was never served, or is not there, it says so and makes nothing', async () => {
  const name = await database.database();
  const { code, err } = await weft('doctor', '--store', database.address(name));
  expect([code, err]).toEqual([1, expect.stringContaining('has no tables of Weft; weft serve makes them')]);
  expect(await database.ask(`SELECT to_regnamespace('weft') AS made`, name)).toEqual([{ made: null }]);
  const nowhere = await weft('doctor', '--store', database.address('nowhere'));
  expect([nowhere.code, nowhere.err]).toEqual([1, expect.stringContaining('there is no database nowhere')]);
});
