/** Database and NATS are away at once: for all processes, and for one of them that its peers reach still. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { Load } from '../support/load.js';
import { CutLink } from '../support/servers/cut-link.js';
import { NatsServer } from '../support/servers/nats.js';
import { PostgresServer } from '../support/servers/postgres.js';
import { Served, keep, kept, known, logIsSound } from '../support/servers/served.js';

let database: PostgresServer;
let nats: NatsServer;
beforeAll(async () => {
  database = await PostgresServer.start();
  nats = await NatsServer.start();
});
afterAll(async () => {
  await nats.kill();
  await database.stop();
});

const env = (port: number): Record<string, string> => ({
  WEFT_BUS: nats.address.replace(`:${nats.port}`, `:${port}`),
  WEFT_BUS_PASSWORD: nats.password,
});

it.each([
  ['the database first', [() => database.up(), () => nats.up()]],
  ['NATS first', [() => nats.up(), () => database.up()]],
] as const)('both are killed under load, and all goes on when they are back, %s', async (_, ups) => {
  const store = database.address(await database.database());
  const served = await Promise.all([0, 1].map(() => new Served(store, [], env(nats.port)).ready()));
  await known(served, 2);
  const clients = ['plans', 'plans', 'notes', 'notes'].map((room, i) => keep([served[i % 2]!], room));
  await Promise.all(clients.map(({ joined }) => joined));
  const loads = [new Load(clients.slice(0, 2)), new Load(clients.slice(2))];
  for (const load of loads) await load.goesOn();
  await Promise.all([database.crash(), nats.kill()]);
  for (const each of served) await expect.poll(() => each.metric('cluster_unreachable')).toBe(1);
  for (const up of ups) await up();
  await known(served, 2);
  for (const load of loads) await load.goesOn();
  for (const load of loads) await load.end();
  for (const { process } of served) expect(process.hasEnded).toBe(false);
  for (const room of ['plans', 'notes']) await logIsSound(database, store, room);
});

it('one that both are cut from answers nothing as kept; its rooms go on at the other one, and it ends when it hears of that', async () => {
  const store = database.address(await database.database());
  const [toDatabase, toNats] = [await CutLink.before(database.port), await CutLink.before(nats.port)];
  const links = [toDatabase, toNats];
  onTestFinished(async () => {
    for (const link of links) await link.close();
  });
  const cutOff = await new Served(
    store.replace(`:${database.port}/`, `:${toDatabase.port}/`),
    [],
    env(toNats.port),
  ).ready();
  const other = await new Served(store, [], env(nats.port)).ready();
  await known([cutOff, other], 2);
  const own = keep([cutOff, other], 'plans');
  await own.joined;
  const far = keep([other, cutOff], 'plans');
  await far.joined;
  own.replica.set('title', 'before');
  await own.push();
  // Who writes above that has seen it.
  await expect.poll(() => far.replica.get('title')).toBe('before');
  // What it sends is on its way, for as long as both are away.
  for (const link of links) link.become('hold');
  own.replica.set('own', 'while it is cut off');
  let isTold = false;
  void own.push().then(
    () => (isTold = true),
    () => undefined,
  );
  await expect.poll(() => other.metric('cluster_processes'), { timeout: 60_000 }).toBe(1);
  expect([isTold, cutOff.process.hasEnded]).toEqual([false, false]);
  far.replica.set('title', 'after');
  await kept(far);
  for (const link of links) {
    link.become('pass');
    link.release();
  }
  expect(await cutOff.process.exited).toMatchObject({ code: 1 });
  // Its peers come to the other one, with what they were not told is kept.
  await kept(own);
  await expect.poll(() => far.replica.get('own')).toBe('while it is cut off');
  await expect.poll(() => own.replica.get('title')).toBe('after');
  await logIsSound(database, store, 'plans');
});
