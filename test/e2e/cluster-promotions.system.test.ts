/** A child that is merged into its parent while the process that does it is killed: whichever step it was at, another one ends it, once. */
import { decodePack, parseRoomId } from '@weft/core';
import { postgresStore } from '@weft/core/postgres';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { CutLink } from '../support/servers/cut-link.js';
import { PostgresServer } from '../support/servers/postgres.js';
import { Served, keep, kept, known, logIsSound } from '../support/servers/served.js';

let database: PostgresServer;
beforeAll(async () => {
  database = await PostgresServer.start();
});
afterAll(() => database.stop());

const KEYS = Array.from({ length: 8 }, (_, i) => `point/${i}`);

/** Names of nodes and keys in a log, as often as they stand there. */
async function inLog(store: string, room: string): Promise<{ readonly ids: string[]; readonly keys: string[] }> {
  const opened = postgresStore(store, { isReader: true });
  await opened.open();
  const found = { ids: [] as string[], keys: [] as string[] };
  try {
    for await (const { pack } of opened.log.read(parseRoomId(room)!, 0))
      for (const { id, ops } of decodePack(pack).nodes) {
        found.ids.push(Buffer.from(id).toString('hex'));
        found.keys.push(...ops.map(({ key }) => key));
      }
  } finally {
    await opened.close();
  }
  return found;
}

it('a promotion whose process is killed at any of its writes is ended by another one, and stands in the parent once', async () => {
  const store = database.address(await database.database());
  const link = await CutLink.before(database.port);
  onTestFinished(() => link.close());
  const second = await new Served(store).ready();
  let isWhole = false;
  let step = 0;
  for (; !isWhole; step++) {
    const [room, child] = [`plans-${step}`, `draft-${step}`];
    const first = await new Served(store.replace(`:${database.port}/`, `:${link.port}/`)).ready();
    await known([first, second], 2);
    const above = keep([first, second], room);
    await above.joined;
    above.replica.set('title', step);
    await above.push();
    expect((await first.ask(`/rooms/${room}/fork`, { child, merges: true })).status).toBe(200);
    const below = keep([first, second], child);
    await below.joined;
    for (const key of KEYS) {
      below.replica.set(key, step);
      await below.push();
    }
    let written = 0;
    link.onRequest = (bytes) => {
      // The database has this one, and nobody hears what it answers.
      if (bytes.toString('latin1').includes('INSERT INTO weft.record') && written++ === step)
        first.process.signal('SIGKILL');
    };
    const promoting = first.ask(`/rooms/${room}/promote`, { child }).then(
      ({ status }) => status,
      () => 'gone',
    );
    isWhole = (await promoting) === 200;
    link.onRequest = () => undefined;
    await first.process.kill('SIGKILL');
    await expect.poll(() => second.metric('cluster_processes'), { timeout: 60_000 }).toBe(1);
    expect(await second.ask(`/rooms/${room}/promote`, { child })).toMatchObject({ status: 200 });
    above.replica.set('after', step);
    await kept(above);
    const reader = keep([second], room);
    await reader.joined;
    expect(['title', 'after', ...KEYS].map((key) => reader.replica.get(key))).toEqual([
      ...['title', 'after', ...KEYS].map(() => step),
    ]);
    await logIsSound(database, store, room);
    const { ids, keys } = await inLog(store, room);
    expect(new Set(ids).size).toBe(ids.length);
    expect(keys.filter((key) => key.startsWith('_topology/promotion/'))).toHaveLength(1);
    expect(keys.filter((key) => KEYS.includes(key)).toSorted()).toEqual(KEYS);
    for (const client of [above, below, reader]) client.close();
  }
  expect(step).toBeGreaterThan(3);
}, 300_000);
