/** Processes of a cluster, each with a key of its own that a root has certified: rooms go from one to the other, and keys are revoked under them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { certifiedSigners } from '../support/servers/certified-signers.js';
import { PostgresServer } from '../support/servers/postgres.js';
import { Served, keep, known } from '../support/servers/served.js';
import { weft } from '../support/programs/weft-run.js';

let database: PostgresServer;
beforeAll(async () => {
  database = await PostgresServer.start();
});
afterAll(() => database.stop());

it('a room goes on under the key of whichever process has it, and a key that is revoked under both speaks no more', async () => {
  const store = database.address(await database.database());
  const { root, signers, words } = await certifiedSigners(store, ['one.key', 'two.key']);
  const serve = (name: string): Promise<Served> => new Served(store, words(name)).ready();
  const [one, two] = [await serve('one.key'), await serve('two.key')];
  await known([one, two], 2);
  const speaker = async (asked: Served, room: string): Promise<unknown> => {
    const { answer } = await asked.ask('/authority/status', { room });
    return answer['speaker'] ?? answer['why'];
  };

  // Begun and administered at the first one, for peers of both.
  const clients = [keep([one, two], 'plans')];
  await clients[0]!.joined;
  clients.push(keep([two], 'plans'));
  await clients[1]!.joined;
  for (const [i, client] of clients.entries()) {
    client.replica.set(`by/${i}`, 'first');
    await client.push();
  }
  expect(await speaker(two, 'plans')).toBe(signers[0]);
  expect((await two.ask('/rooms/plans/fork', { child: 'draft', merges: true })).status).toBe(200);
  const drafting = keep([two], 'draft');
  await drafting.joined;
  drafting.replica.set('title', 'of the child');
  await drafting.push();

  // It dies: what the first key has written holds, and the second one writes behind it.
  await one.process.kill('SIGKILL');
  const promoted = async (): Promise<number> => (await two.ask('/rooms/plans/promote', { child: 'draft' })).status;
  await expect.poll(promoted, { timeout: 60_000 }).toBe(200);
  for (const { replica } of clients)
    await expect.poll(() => replica.get('title'), { timeout: 60_000 }).toBe('of the child');
  expect(await speaker(two, 'plans')).toBe(signers[1]);
  for (const [i, client] of clients.entries()) {
    client.replica.set(`by/${i}`, 'second');
    await client.push();
  }

  // Both run when the key of the second is revoked.
  const again = await serve('one.key');
  await known([again, two], 2);
  expect(await weft('authority', 'revoke', ...root, '--signer', signers[1]!)).toMatchObject({ code: 0 });
  for (const { process: served } of [again, two]) served.signal('SIGHUP');
  await expect.poll(() => speaker(again, 'plans'), { timeout: 30_000 }).toMatch(/revoked/);
});
