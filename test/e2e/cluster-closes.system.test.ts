/**
 * Who is sent away by a process of a cluster: the code says whether he may come again, and the reason when. Each test is one reason;
 * the table of them stands in decision 381.
 */
import { createReplica, generateKeys } from '@weft/core/client';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { Peer } from '../faults/peer.js';
import { CutLink } from '../support/servers/cut-link.js';
import { Load } from '../support/load.js';
import { PostgresServer } from '../support/servers/postgres.js';
import { Served, cluster, keep, kept, known, logIsSound } from '../support/servers/served.js';

let database: PostgresServer;
beforeAll(async () => {
  database = await PostgresServer.start();
});
afterAll(() => database.stop());

/** Peer that has joined, with a push of his own to send. */
async function joined(served: Served, room = 'plans'): Promise<{ peer: Peer; pushes: () => void }> {
  const peer = await Peer.dial(served.said!.url, room);
  const { welcome } = await peer.join();
  const genesis = new Uint8Array(Buffer.from(String(welcome['genesis']), 'base64'));
  const replica = await createReplica({ genesis, keys: generateKeys() });
  replica.set('stale', 'of before');
  const nodes = Buffer.from((await replica.seal())!).toString('base64');
  return { peer, pushes: () => peer.send({ type: 'pack', nodes }) };
}

/** Milliseconds after which one who was closed is to come again; fails where he was not told to. */
async function comesAgain({ closed }: Peer, why: RegExp): Promise<number> {
  const { code, reason } = await closed;
  expect(`${code} ${reason}`).toMatch(/^1012 .*; come back in \d+ ms$/);
  expect(reason).toMatch(why);
  return Number(/(\d+) ms$/.exec(reason)![1]);
}

it('whoever said nothing yet is judged when he says hello: by then the room may be at another process', async () => {
  const name = await database.database();
  const store = database.address(name);
  const link = await CutLink.before(database.port);
  onTestFinished(() => link.close());
  const env = { WEFT_LIMIT_HELLO_MS: '120000' };
  const far = store.replace(`:${database.port}/`, `:${link.port}/`);
  const first = await new Served(far, [], env).ready();
  const second = await new Served(store, [], env).ready();
  await known([first, second], 2);
  const own = keep([first], 'plans');
  await own.joined;
  own.replica.set('title', 'first');
  await own.push();
  const other = keep([second], 'plans');
  await other.joined;
  // Both are connected while the first one has the room and its lease was confirmed just now.
  const [near, handedOn] = [await Peer.dial(first.said!.url, 'plans'), await Peer.dial(second.said!.url, 'plans')];
  link.become('deaf');
  other.replica.set('title', 'second');
  await expect.poll(() => second.metric('cluster_processes'), { timeout: 60_000 }).toBe(1);
  await kept(other);
  near.send({ type: 'hello', pubkey: generateKeys().publicKey });
  // What it asks the database now is answered by nobody; later, that it was put out.
  link.become('pass');
  link.cut();
  await comesAgain(near, /^another process has this room now|^the store does not answer|^the server restarts/);
  expect(near.frames.map(({ type }) => type)).not.toContain('welcome');
  await comesAgain(handedOn, /^the process that has this room cannot be reached/);
  expect(await first.process.exited).toMatchObject({ code: 1 });
});

it('peers of a process that stood still and lost its lease come again, those from other processes too, and lose nothing', async () => {
  const { store, served } = await cluster(database, 2);
  const [first, second] = served as [Served, Served];
  // Whoever comes first decides which of them has the room.
  const own = keep([first, second], 'plans');
  await own.joined;
  const other = keep([second], 'plans');
  await other.joined;
  const load = new Load([own, other]);
  await load.goesOn();
  const [near, far] = [await joined(first), await joined(second)];
  first.process.signal('SIGSTOP');
  await comesAgain(far.peer, /^the process that has this room cannot be reached/);
  near.pushes();
  await expect.poll(() => second.metric('cluster_processes'), { timeout: 60_000 }).toBe(1);
  first.process.signal('SIGCONT');
  await comesAgain(near.peer, /^another process has this room now|^the server restarts/);
  expect(near.peer.frames.map(({ type }) => type)).not.toContain('pack-ack');
  expect(await first.process.exited).toMatchObject({ code: 1 });
  await load.goesOn();
  await load.end();
  await logIsSound(database, store, 'plans');
});

it('while the database is away for longer than writes wait, who writes and who comes is sent away for a while', async () => {
  const { store, served } = await cluster(database, 2);
  const [first, second] = served as [Served, Served];
  const [near, far, reader] = [await joined(first), await joined(second), await joined(first)];
  await database.crash();
  onTestFinished(() => database.up().catch(() => undefined));
  near.pushes();
  far.pushes();
  // Their leases are not sure any more by then.
  await new Promise((resolve) => setTimeout(resolve, 1200));
  const late = await Peer.dial(first.said!.url, 'plans');
  late.send({ type: 'hello', pubkey: generateKeys().publicKey });
  const away = /^the store does not answer/;
  await Promise.all([near.peer, far.peer, late].map((peer) => comesAgain(peer, away)));
  // Who only reads stays, and is told of what comes when it is back.
  await database.up();
  await known(served, 2);
  const writer = keep([second], 'plans');
  await writer.joined;
  writer.replica.set('title', 'afterwards');
  await writer.push();
  expect((await reader.peer.nextOf('pack')).type).toBe('pack');
  await logIsSound(database, store, 'plans');
});

it('a process that stops sends everybody away for a while, those who have not said hello and those of other processes too', async () => {
  const { served } = await cluster(database, 2);
  const [first, second] = served as [Served, Served];
  const near = await joined(first);
  const far = await joined(second);
  const silent = await Peer.dial(first.said!.url, 'plans');
  const ended = first.process.kill('SIGTERM');
  await comesAgain(near.peer, /^the server restarts/);
  await comesAgain(silent, /^the server restarts/);
  await comesAgain(far.peer, /^the server restarts/);
  await ended;
  await joined(second);
});
