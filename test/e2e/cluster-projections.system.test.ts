/** Projections in a cluster: who follows a log and who watches rows is told all of it, once, whichever process dies. */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RoomClient, type Token, generateKeys, keepRoom } from '@weft/core/client';
import { type WatchedRow, followEvents, watchProjection } from '@weft/core/following';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { PostgresServer } from '../support/servers/postgres.js';
import { type Served, cluster, kept, known, logIsSound } from '../support/servers/served.js';
import { tempFolder } from '../support/temp-folder.js';

let database: PostgresServer;
beforeAll(async () => {
  database = await PostgresServer.start();
});
afterAll(() => database.stop());

const DESCRIPTOR = { prefix: 'point/', order_by: { field: '$key', direction: 'asc' } };

/** Name by which peers dial all of them. */
const NAME = 'rooms.example:80';

/** Client with a right to queries, which tries these processes in turn. */
async function member(at: readonly Served[]): Promise<RoomClient> {
  const keys = generateKeys();
  const { status, answer } = await at[0]!.ask('/rooms/plans/token', {
    peer: keys.publicKey,
    caps: ['query.read', 'query.admin'],
  });
  expect(status).toBe(200);
  let next = 0;
  const client = keepRoom({
    open: () => new WebSocket(at[next++ % at.length]!.urlOf('plans')),
    keys,
    room: 'plans',
    audience: NAME,
    token: answer as unknown as Token,
    retry: { firstMs: 50, mostMs: 500 },
  });
  onTestFinished(() => client.close());
  await client.joined;
  return client;
}

/** The process that has the room, of these. */
async function ownerOf(store: string, among: readonly Served[]): Promise<Served> {
  const [row] = await database.ask<{ holder: string }>(
    `SELECT holder FROM weft.owner JOIN weft.lease ON process = name WHERE room = 'plans'`,
    new URL(store).pathname.slice(1),
  );
  return among.find(({ process }) => row!.holder.startsWith(`process ${process.pid} on `))!;
}

/** What is asked is asked again by whoever comes to another process meanwhile. */
async function ask(client: RoomClient, frame: Record<string, unknown>): Promise<Record<string, unknown>> {
  let answer: Record<string, unknown> = {};
  const asked = async (): Promise<string> => {
    answer = await client.request(frame as never).catch(() => ({ type: 'lost' }));
    return String(answer['type']);
  };
  await expect.poll(asked, { timeout: 60_000 }).not.toBe('lost');
  return answer;
}

it('a projection is what it was, its rows are told on and a log is followed, when the process of the room dies and the next one too', async () => {
  const admin = join(await tempFolder(), 'admin.key');
  await writeFile(admin, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  const { store, served } = await cluster(database, 3, { WEFT_ADMIN_KEY: admin, WEFT_PUBLIC_HOST: NAME });
  const [writer, watcher] = [await member(served), await member(served.toReversed())];
  writer.replica.set('point/0', 0);
  await writer.push();
  expect(
    await ask(writer, { type: 'query.register', query_spec_id: 'q', version: '1', descriptor: DESCRIPTOR }),
  ).toMatchObject({
    type: 'query.registered',
  });
  const built = await ask(writer, { type: 'projection.build', projection_id: 'p', query_spec_id: 'q' });
  expect(built).toMatchObject({ type: 'projection.build.completed' });
  let rows: readonly WatchedRow[] = [];
  const heard: unknown[] = [];
  watchProjection(watcher, 'p', (now) => (rows = now));
  followEvents(watcher, { keyPrefix: 'point/' }, ({ items }) =>
    heard.push(...items.flatMap(({ touched_keys: keys }) => keys)),
  );
  const points = [0];
  const told = async (): Promise<void> => {
    const shown = points.map((point) => [`point/${point}`, point]);
    await expect.poll(() => rows.map(({ k, v }) => [k, v]), { timeout: 60_000 }).toEqual(shown);
    await expect.poll(() => heard, { timeout: 60_000 }).toEqual(points.map((point) => `point/${point}`));
  };
  const write = async (): Promise<void> => {
    const point = points.length;
    points.push(point);
    writer.replica.set(`point/${point}`, point);
    await kept(writer);
  };
  await write();
  await told();
  let living: readonly Served[] = served;
  while (living.length > 1) {
    const owner = await ownerOf(store, living);
    await owner.process.kill('SIGKILL');
    living = living.filter((one) => one !== owner);
    await write();
    await write();
    await told();
    const read = await ask(watcher, { type: 'projection.read', projection_id: 'p', limit: 100 });
    expect(read).toMatchObject({ type: 'projection.read.result', rows: [{ k: 'point/0', v: 0 }] });
  }
  await known(living, 1);
  await logIsSound(database, store, 'plans');
});
