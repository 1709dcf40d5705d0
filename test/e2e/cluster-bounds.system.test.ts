/** Bounds on an address and on a key hold over all processes of a cluster, whichever of them the connections come to. */
import { type KeyPair, generateKeys, keepRoom } from '@weft/core/client';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { PostgresServer } from '../support/servers/postgres.js';
import { type Served, cluster, keep, known } from '../support/servers/served.js';

let database: PostgresServer;
beforeAll(async () => {
  database = await PostgresServer.start();
});
afterAll(() => database.stop());

/** What a connection is told first: `welcome`, or why it may not stay. */
async function enter(at: Served, room: string, keys?: KeyPair): Promise<{ told: string; leave: () => Promise<void> }> {
  const socket = new WebSocket(at.urlOf(room));
  onTestFinished(() => socket.terminate());
  const leave = () =>
    new Promise<void>((resolve) => {
      socket.once('close', () => resolve());
      socket.close();
    });
  if (keys) {
    const audience = new URL(at.urlOf(room)).host;
    const client = keepRoom({ open: () => socket, keys, room, audience, retry: { firstMs: 60_000, mostMs: 60_000 } });
    onTestFinished(() => client.close());
    const refused = new Promise<string>((resolve) => socket.once('close', (code) => resolve(`closed ${code}`)));
    return { told: await Promise.race([client.joined.then(() => 'welcome'), refused]), leave };
  }
  socket.once('open', () => socket.send(JSON.stringify({ type: 'hello', pubkey: generateKeys().publicKey })));
  const told = await new Promise<string>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', (code) => resolve(`closed ${code}`));
    socket.on('message', (data, isBinary) => {
      if (isBinary) return;
      const { type, code } = JSON.parse(String(data)) as { type: string; code?: string };
      if (type === 'welcome' || type === 'error') resolve(code ?? type);
    });
  });
  return { told, leave };
}

it('an address that pushes at both has its connections at both together, and again what it gives up', async () => {
  const { served } = await cluster(database, 2, { WEFT_LIMIT_ADDRESS_CONNECTIONS: '6' });
  const [one, two] = served as [Served, Served];
  const rooms: [Served, string][] = [
    [one, 'at-one'],
    [two, 'at-two'],
  ];
  // The links between processes come from this address too, and count nowhere.
  const entered = [];
  for (let i = 0; i < 3; i++) for (const [at, room] of rooms) entered.push(await enter(at, room));
  expect(entered.map(({ told }) => told)).toEqual(Array.from({ length: 6 }, () => 'welcome'));
  for (const each of served) expect(await each.metric('cluster_rooms')).toBeGreaterThanOrEqual(1);
  for (const [at, room] of rooms) expect((await enter(at, room)).told).toBe('too-many-connections');
  await entered[0]!.leave();
  await expect.poll(async () => (await enter(two, 'at-two')).told).toBe('welcome');
  expect((await enter(one, 'at-one')).told).toBe('too-many-connections');
  // What a dead process has counted is gone with it.
  await one.process.kill('SIGKILL');
  await known([two], 1);
  const left = [];
  for (let i = 0; i < 2; i++) left.push((await enter(two, 'at-two')).told);
  expect(left).toEqual(['welcome', 'welcome']);
});

it('[LM14] [BL16] a key has its rooms at both together, and its bytes of blobs', async () => {
  const bounds = { WEFT_LIMIT_KEY_ROOMS: '2', WEFT_LIMIT_KEY_BLOB_BYTES: '1000' };
  const { served } = await cluster(database, 2, { ...bounds, WEFT_REQUIRE: 'key' });
  const [one, two] = served as [Served, Served];
  const keys = generateKeys();
  const dial = (at: Served, room: string) => {
    const audience = new URL(at.urlOf(room)).host;
    const open = () => new WebSocket(at.urlOf(room));
    const client = keepRoom({ open, keys, room, audience, retry: { firstMs: 60_000, mostMs: 60_000 } });
    onTestFinished(() => client.close());
    return client;
  };
  const [first, second] = [dial(one, 'first'), dial(two, 'second')];
  await first.joined;
  await second.joined;
  await first.putBlob(new Uint8Array(600).fill(1));
  await expect(second.putBlob(new Uint8Array(401).fill(2))).rejects.toMatchObject({ reason: 'blobs-full' });
  await second.putBlob(new Uint8Array(400).fill(2));
  const told = (at: Served) => enter(at, 'third', keys).then(({ told }) => told);
  await expect.poll(() => told(one)).toMatch(/^closed/);
  await expect.poll(() => told(two)).toMatch(/^closed/);
  first.close();
  await expect.poll(() => told(two)).toBe('welcome');
});

it('a key has its connections at both together', async () => {
  const { served } = await cluster(database, 2, { WEFT_LIMIT_KEY_CONNECTIONS: '4', WEFT_REQUIRE: 'key' });
  const [one, two] = served as [Served, Served];
  const keys = generateKeys();
  const told: string[] = [];
  for (let i = 0; i < 2; i++)
    for (const [at, room] of [
      [one, `one-${i}`],
      [two, `two-${i}`],
    ] as const)
      told.push((await enter(at, room, keys)).told);
  expect(told).toEqual(Array.from({ length: 4 }, () => 'welcome'));
  for (const each of served) expect((await enter(each, 'more', keys)).told).toMatch(/^closed/);
  const other = keep([one], 'more');
  other.close();
  expect((await enter(two, 'more', generateKeys())).told).toBe('welcome');
});
