/** A cluster whose processes reach their database through PgBouncer in transaction mode: no statement may count on the session before. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Load } from '../support/load.js';
import { Pooler } from '../support/servers/pooler.js';
import { PostgresServer } from '../support/servers/postgres.js';
import { Served, keep, known, logIsSound } from '../support/servers/served.js';

let database: PostgresServer;
let pooler: Pooler;
beforeAll(async () => {
  database = await PostgresServer.start();
  pooler = await Pooler.before(database);
});
afterAll(async () => {
  await pooler.stop();
  await database.stop();
});

it('serves, erases, outlives a process that is killed and one that stops, and a database that restarts', async () => {
  const name = await database.database();
  const store = pooler.address(name);
  const served = await Promise.all([0, 1].map(() => new Served(store).ready()));
  await known(served, 2);
  const [first, second] = served as [Served, Served];
  const rooms = ['plans', 'notes', 'drafts', 'ideas'];
  const clients = rooms.flatMap((room) => [keep([first, second], room), keep([second, first], room)]);
  await Promise.all(clients.map(({ joined }) => joined));
  clients[0]!.replica.set('secret', 'gone');
  await clients[0]!.push();
  const loads = rooms.map((_, i) => new Load(clients.slice(2 * i, 2 * i + 2)));
  const goOn = (): Promise<unknown> => Promise.all(loads.map((load) => load.goesOn()));
  await goOn();
  expect((await second.ask('/rooms/plans/erase', { key: 'secret' })).status).toBe(200);
  await goOn();
  await database.crash();
  await database.up();
  await goOn();
  await known(served, 2);
  await first.process.kill('SIGKILL');
  await goOn();
  const third = await new Served(store).ready();
  await known([second, third], 2);
  first.said = third.said;
  await second.process.kill('SIGTERM');
  second.said = third.said;
  await goOn();
  for (const load of loads) await load.end();
  for (const { replica } of clients) expect(replica.get('secret')).toBeUndefined();
  for (const room of rooms) await logIsSound(database, database.address(name), room);
});
