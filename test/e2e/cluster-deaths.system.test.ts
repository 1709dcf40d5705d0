/** A process of a cluster that is cut off from the database while its peers reach it: others take its rooms, and it must not show what was there before. */
import { connectRoom, generateKeys } from '@weft/core/client';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { CutLink } from '../support/servers/cut-link.js';
import { NatsServer } from '../support/servers/nats.js';
import { PostgresServer } from '../support/servers/postgres.js';
import { Served, keep, kept, known, logIsSound } from '../support/servers/served.js';

let database: PostgresServer;
beforeAll(async () => {
  database = await PostgresServer.start();
});
afterAll(() => database.stop());

it('whoever joins a room at an owner that was put out is never shown less than others were told is kept', async () => {
  const store = database.address(await database.database());
  const link = await CutLink.before(database.port);
  onTestFinished(() => link.close());
  const first = await new Served(store.replace(`:${database.port}/`, `:${link.port}/`)).ready();
  const second = await new Served(store).ready();
  await known([first, second], 2);
  const own = keep([first], 'plans');
  await own.joined;
  own.replica.set('title', 'first');
  await own.push();
  const other = keep([second], 'plans');
  await other.joined;
  link.become('deaf');
  other.replica.set('title', 'second');
  // Its room is the other's once its lease is over.
  await expect.poll(() => second.metric('cluster_processes'), { timeout: 60_000 }).toBe(1);
  await kept(other);
  expect(first.process.hasEnded).toBe(false);
  const joining = connectRoom({ socket: new WebSocket(first.urlOf('plans')), keys: generateKeys() }).then(
    (client) => client.replica.get('title'),
    () => 'sent away',
  );
  link.become('pass');
  link.cut();
  expect(await joining).toBe('sent away');
  expect(await first.process.exited).toMatchObject({ code: 1 });
  await logIsSound(database, store, 'plans');
});

it('one that is stopped for a while under NATS keeps its rooms, and one that was killed does not', async () => {
  const nats = await NatsServer.start();
  onTestFinished(() => nats.kill());
  const env = { WEFT_BUS: nats.address, WEFT_BUS_PASSWORD: nats.password };
  const store = database.address(await database.database());
  const [first, second] = await Promise.all([0, 1].map(() => new Served(store, [], env).ready()));
  await known([first!, second!], 2);
  const own = keep([first!], 'plans');
  await own.joined;
  const other = keep([second!], 'plans');
  await other.joined;
  first!.process.signal('SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, 2500)); // two and a half times as long as a look at it asks for
  first!.process.signal('SIGCONT');
  own.replica.set('title', 'awake');
  await own.push();
  expect(await first!.metric('cluster_rooms')).toBeGreaterThan(0);
  expect(await second!.metric('cluster_processes')).toBe(2);
  await first!.process.kill('SIGKILL');
  other.replica.set('title', 'second');
  await kept(other);
  await logIsSound(database, store, 'plans');
});

it('a process at the address of one that died has the rooms of that, however long its lease would last', async () => {
  const name = await database.database();
  const store = database.address(name);
  const [first, second] = await Promise.all([0, 1].map(() => new Served(store).ready()));
  await known([first!, second!], 2);
  const [row] = await database.ask<{ address: string }>(`SELECT max(address) AS address FROM weft.lease`, name);
  await database.ask(
    `INSERT INTO weft.lease (name, holder, fence, until, address) VALUES ('before', 'one', 1, 'infinity', '${row!.address}');
     INSERT INTO weft.owner (room, process) VALUES ('plans', 'before')`,
    name,
  );
  const client = keep([first!, second!], 'plans');
  await client.joined;
  client.replica.set('title', 'first');
  await kept(client);
  await known([first!, second!], 2);
  await logIsSound(database, store, 'plans');
});
