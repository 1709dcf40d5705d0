/** What a process keeps of rooms for later, segments and images, when it is cut off or dies in the middle: others do it anew, and nothing of it comes late. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { CutLink } from '../support/cut-link.js';
import { PostgresServer } from '../support/postgres.js';
import { Served, keep, known, logIsSound } from '../support/served.js';

let database: PostgresServer;
beforeAll(async () => {
  database = await PostgresServer.start();
});
afterAll(() => database.stop());

/** All that an operator is told of a room that does not depend on who tells it. */
async function toldOf(served: Served): Promise<unknown> {
  const [text, keys] = await Promise.all([
    served.ask('/rooms/plans/text', { key: 'minutes' }),
    served.ask('/rooms/plans/keys', {}),
  ]);
  expect([text.status, keys.status]).toEqual([200, 200]);
  return [text.answer, keys.answer];
}

it('a log that a process was merging is merged by another one, and what the first had still on its way changes nothing', async () => {
  const store = database.address(await database.database());
  const link = await CutLink.before(database.port);
  onTestFinished(() => link.close());
  const first = await new Served(store.replace(`:${database.port}/`, `:${link.port}/`)).ready();
  const second = await new Served(store).ready();
  await known([first, second], 2);
  const writer = keep([first, second], 'plans');
  await writer.joined;
  const text = writer.replica.text('minutes');
  for (let i = 0; i < 30; i++) {
    text.insert(text.length, `${i} said\n`);
    writer.replica.set(`point/${i}`, i);
    await writer.push();
  }

  // Whatever it asks of the database from here on is kept back: the merge among it, and that it renews its lease.
  link.become('hold');
  const merging = first.ask('/rooms/plans/compact', {}).then(
    ({ status }) => status,
    () => 'gone',
  );
  expect(await first.process.exited).toMatchObject({ code: 1 });
  expect(await merging).not.toBe(200);

  // Its room goes on at the other one, which merges what it has, a write of since then with it.
  await expect.poll(() => writer.state, { timeout: 60_000 }).toBe('joined');
  text.insert(0, 'anew\n');
  await writer.push();
  expect((await second.ask('/rooms/plans/compact', {})).status).toBe(200);
  const before = await toldOf(second);

  // What was kept back comes after all.
  await link.deliver();
  await logIsSound(database, store, 'plans');
  expect(await toldOf(second)).toEqual(before);
  await second.process.kill('SIGKILL');
  const third = await new Served(store).ready();
  expect(await toldOf(third)).toEqual(before);
  await third.process.kill('SIGTERM');
});
