/** What happens once in a cluster whoever of it dies or stands still: ticks. */
import { decodePack, parseRoomId } from '@weft/core';
import { type RoomClient, generateKeys } from '@weft/core/client';
import { postgresStore } from '@weft/core/postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PostgresServer } from '../support/servers/postgres.js';
import { type Served, cluster, keep, kept, logIsSound } from '../support/servers/served.js';

let database: PostgresServer;
beforeAll(async () => {
  database = await PostgresServer.start();
});
afterAll(() => database.stop());

it('a room that ticks goes on at whoever takes it, and each intent is decided once, also by one that stood still meanwhile', async () => {
  const { store, served } = await cluster(database, 2);
  const [first, second] = served as [Served, Served];
  const writer = keep([first, second], 'plans', generateKeys());
  await writer.joined;
  const other = keep([second], 'plans');
  await other.joined;
  expect((await second.ask('/rooms/plans/tick', { interval_ms: 20 })).status).toBe(200);
  let asked = 0;
  /** An intent of each, and what became of it. */
  const decided = async (...clients: readonly RoomClient[]): Promise<void> => {
    for (const client of clients) {
      const key = `of/${asked++}`;
      client.replica.set(`intent/${key}`, asked);
      await kept(client);
      await expect.poll(() => other.replica.get(`world/${key}`), { timeout: 60_000 }).toBe(asked);
    }
  };
  await decided(writer, other);
  first.process.signal('SIGSTOP');
  await decided(other);
  first.process.signal('SIGCONT');
  expect(await first.process.exited).toMatchObject({ code: 1 });
  await decided(writer, other);
  await second.process.kill('SIGTERM');
  await logIsSound(database, store, 'plans');
  const opened = postgresStore(store);
  await opened.open();
  const decisions: string[] = [];
  try {
    for await (const { pack } of opened.log.read(parseRoomId('plans')!, 0))
      for (const { ops } of decodePack(pack).nodes)
        for (const { key } of ops) if (key.startsWith('world/')) decisions.push(key);
  } finally {
    await opened.close();
  }
  expect(decisions.toSorted()).toEqual(Array.from({ length: asked }, (_, i) => `world/of/${i}`).toSorted());
});
