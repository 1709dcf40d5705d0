/**
 * What is given up for good in a cluster: said at one process, while another one has the room and peers of all are in it, or stands still.
 * Afterwards neither database nor cold store holds a byte of it, and nobody is sent any, whichever process he comes to.
 */
import { randomBytes } from 'node:crypto';
import { generateKeys } from '@weft/core/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import WebSocket from 'ws';
import { LocalS3, s3Keys } from '../support/servers/local-s3.js';
import { PostgresServer } from '../support/servers/postgres.js';
import { type Served, cluster, keep, logIsSound } from '../support/servers/served.js';

let database: PostgresServer;
beforeAll(async () => {
  database = await PostgresServer.start();
});
afterAll(() => database.stop());

/** Bytes that nothing makes smaller, so that they are found wherever they lie. */
const secretOf = (): Uint8Array => new Uint8Array(randomBytes(3000));

/** Tables of the database in which those bytes lie. */
async function tablesWith(store: string, secret: Uint8Array): Promise<string[]> {
  const name = new URL(store).pathname.slice(1);
  const part = Buffer.from(secret.subarray(100, 140)).toString('hex');
  const columns = await database.ask<{ table: string; column: string }>(
    `SELECT c.table_name AS table, c.column_name AS column FROM information_schema.columns c
       JOIN information_schema.tables t USING (table_schema, table_name)
      WHERE c.table_schema = 'weft' AND c.data_type = 'bytea' AND t.table_type = 'BASE TABLE'`,
    name,
  );
  expect(columns.length).toBeGreaterThan(3);
  const found: string[] = [];
  for (const { table, column } of columns) {
    const where = `position('\\x${part}'::bytea IN ${column}) > 0`;
    const rows = await database.ask(`SELECT 1 FROM weft.${table} WHERE ${where} LIMIT 1`, name);
    if (rows.length > 0) found.push(table);
  }
  return found;
}

/** Whether a peer that joins there is sent those bytes: everything that comes up to the end of its history is looked through. */
async function isSent(served: Served, room: string, secret: Uint8Array): Promise<boolean> {
  const socket = new WebSocket(served.urlOf(room));
  const part = Buffer.from(secret.subarray(100, 140));
  let isThere = false;
  const joined = new Promise<void>((resolve, reject) => {
    socket.on('message', (data: Buffer) => {
      const frame = JSON.parse(String(data)) as { type: string; nodes?: string; final?: boolean };
      if (frame.nodes !== undefined && Buffer.from(frame.nodes, 'base64').includes(part)) isThere = true;
      if (frame.type === 'pack' && frame.final === true) resolve();
    });
    socket.on('error', reject).on('close', (code, why) => reject(new Error(`closed with ${code} ${String(why)}`)));
  });
  socket.once('open', () => socket.send(JSON.stringify({ type: 'hello', pubkey: generateKeys().publicKey })));
  await joined.finally(() => socket.terminate());
  return isThere;
}

it('a value that is erased, history that is pruned and a room that is deleted at any process are gone for peers of all', async () => {
  const { store, served } = await cluster(database, 2);
  const [first, second] = served as [Served, Served];
  const [erased, pruned, deleted] = [secretOf(), secretOf(), secretOf()];
  const own = keep([second], 'plans');
  await own.joined;
  own.replica.set('secret', erased);
  own.replica.set('kept', 'here');
  own.replica.set('draft', pruned);
  await own.push();
  own.replica.set('draft', 'anew');
  await own.push();
  const far = keep([first], 'plans');
  await far.joined;
  for (const secret of [erased, pruned]) {
    expect(await isSent(first, 'plans', secret)).toBe(true);
    expect(await tablesWith(store, secret)).not.toEqual([]);
  }
  // The second one has the room; the first one is told.
  expect(await second.metric('cluster_rooms')).toBeGreaterThan(0);
  const { status, answer } = await first.ask('/rooms/plans/erase', { key: 'secret' });
  expect([status, answer]).toEqual([200, expect.objectContaining({ nodes: 1, left: [] })]);
  expect((await first.ask('/rooms/plans/prune', {})).status).toBe(200);
  for (const { replica } of [own, far]) {
    await expect.poll(() => replica.get('secret'), { timeout: 60_000 }).toBeUndefined();
    expect([replica.get('kept'), replica.get('draft')]).toEqual(['here', 'anew']);
  }
  for (const secret of [erased, pruned]) {
    for (const each of served) expect(await isSent(each, 'plans', secret)).toBe(false);
    expect(await tablesWith(store, secret)).toEqual([]);
  }
  // Whoever was there goes on writing, and nothing comes back by him.
  for (const [i, client] of [own, far].entries()) {
    client.replica.set(`after/${i}`, i);
    await client.push();
  }
  expect((await second.ask('/rooms/plans/compact', {})).status).toBe(200);
  expect(await tablesWith(store, erased)).toEqual([]);
  await logIsSound(database, store, 'plans');

  const going = keep([second], 'gone');
  await going.joined;
  going.replica.set('secret', deleted);
  await going.push();
  const [near, remote] = [keep([second], 'gone'), keep([first], 'gone')];
  await Promise.all([near.joined, remote.joined]);
  expect((await first.ask('/rooms/gone/delete', { confirm: 'gone' })).status).toBe(200);
  for (const client of [going, near, remote]) expect(await client.closed).toMatchObject({ code: 1008 });
  for (const each of served) await expect(isSent(each, 'gone', deleted)).rejects.toThrow('1008');
  expect(await tablesWith(store, deleted)).toEqual([]);
});

it('what is erased while its process stands still stays gone when that wakes, in the cold store too', async () => {
  const bucket = await LocalS3.start();
  const { store, served } = await cluster(database, 2, {
    WEFT_COLD_STORE: `s3://blobs/cold?endpoint=${bucket.url}`,
    WEFT_COLD_ACCESS_KEY: s3Keys.accessKey,
    WEFT_COLD_SECRET_KEY: s3Keys.secretKey,
    WEFT_COLD_AFTER_DAYS: '0',
  });
  const [first, second] = served as [Served, Served];
  const secret = secretOf();
  const own = keep([second], 'plans');
  await own.joined;
  own.replica.set('secret', secret);
  own.replica.set('kept', 'here');
  await own.push();
  expect((await second.ask('/rooms/plans/compact', {})).status).toBe(200);
  const far = keep([first], 'plans');
  await far.joined;
  second.process.signal('SIGSTOP');
  // The first one has the room once the lease of the other is over.
  const isErased = async (): Promise<boolean> =>
    (await first.ask('/rooms/plans/erase', { key: 'secret' })).status === 200;
  await expect.poll(isErased, { timeout: 60_000 }).toBe(true);
  expect(await tablesWith(store, secret)).toEqual([]);
  second.process.signal('SIGCONT');
  // It may have a peer who comes just then, and its image, and its own copy: none of it goes anywhere.
  expect(await isSent(second, 'plans', secret).catch(() => false)).toBe(false);
  expect(await second.process.exited).toMatchObject({ code: 1 });
  await expect.poll(() => far.replica.get('secret'), { timeout: 60_000 }).toBeUndefined();
  expect(far.replica.get('kept')).toBe('here');
  expect(await isSent(first, 'plans', secret)).toBe(false);
  expect(await tablesWith(store, secret)).toEqual([]);
  await logIsSound(database, store, 'plans');
});
