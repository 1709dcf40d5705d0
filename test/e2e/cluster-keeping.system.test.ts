/** What a process keeps of a room for later, a merged log and an image, when it is killed in the middle: nothing is lost, and another one does it. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { CutLink } from '../support/servers/cut-link.js';
import { PostgresServer } from '../support/servers/postgres.js';
import { Served, keep, kept, known, logIsSound } from '../support/servers/served.js';

let database: PostgresServer;
beforeAll(async () => {
  database = await PostgresServer.start();
});
afterAll(() => database.stop());

/** Statements by which a log is merged and an image is put, and the ends of their transactions. */
const KEEPS = /weft\.(segment|part|record|image)|COMMIT/;
const WRITES = 12;

it('a process that is killed at any step of a compaction loses nothing, and another one compacts the room', async () => {
  const store = database.address(await database.database());
  const link = await CutLink.before(database.port);
  onTestFinished(() => link.close());
  const second = await new Served(store).ready();
  for (let step = 0, isWhole = false; !isWhole; step++) {
    const room = `room-${step}`;
    const first = await new Served(store.replace(`:${database.port}/`, `:${link.port}/`)).ready();
    await known([first, second], 2);
    const writer = keep([first, second], room);
    await writer.joined;
    const keys = Array.from({ length: WRITES }, (_, i) => `point/${i}`);
    for (const key of keys) {
      writer.replica.set(key, step);
      await writer.push();
    }
    let asked = 0;
    link.onRequest = (bytes) => {
      // The database has this one, and nobody hears what it answers.
      if (KEEPS.test(bytes.toString('latin1')) && asked++ === step) first.process.signal('SIGKILL');
    };
    const compacting = first.ask(`/rooms/${room}/compact`, {}).then(
      ({ status }) => status,
      () => 'gone',
    );
    isWhole = (await compacting) === 200;
    link.onRequest = () => undefined;
    await first.process.kill('SIGKILL');
    writer.replica.set('after', step);
    await kept(writer);
    expect((await second.ask(`/rooms/${room}/compact`, {})).status).toBe(200);
    await logIsSound(database, store, room);
    const reader = keep([second], room);
    await reader.joined;
    expect([...keys, 'after'].map((key) => reader.replica.get(key))).toEqual([...keys, 'after'].map(() => step));
    for (const client of [writer, reader]) client.close();
    if (isWhole) expect(step).toBeGreaterThan(2);
  }
}, 300_000);
