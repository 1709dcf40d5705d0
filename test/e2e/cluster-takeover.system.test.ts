/**
 * How rooms of a process that has died come to another one, and how that starts anew: in how many questions to the database, on which
 * the way there and back is spent.
 */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { CutLink } from '../support/servers/cut-link.js';
import { PostgresServer } from '../support/servers/postgres.js';
import { Served, keep, kept, known, logIsSound } from '../support/servers/served.js';

let database: PostgresServer;
beforeAll(async () => {
  database = await PostgresServer.start();
});
afterAll(() => database.stop());

const ROOMS = Array.from({ length: 12 }, (_, i) => `plans-${i}`);

/** What a statement is there for, by its words; undefined for those that a process sends anyway. */
function purposeOf(text: string): string | undefined {
  if (/INSERT INTO weft\.owner/.test(text)) return 'claim';
  if (/LATERAL/.test(text)) return 'read ahead';
  if (/INSERT INTO weft\.record|AND head > 0|weft\.(lease|server_note)/.test(text)) return undefined;
  return /weft\.(room|record|part|segment|image|owner)/.test(text) ? text : undefined;
}

it('a room of a process that died is claimed and opened by two questions to the database, whatever it holds', async () => {
  const store = database.address(await database.database());
  const link = await CutLink.before(database.port);
  onTestFinished(() => link.close());
  const first = await new Served(store).ready();
  const second = await new Served(store.replace(`:${database.port}/`, `:${link.port}/`)).ready();
  await known([first, second], 2);
  const clients = ROOMS.map((room) => keep([first, second], room));
  for (const [i, client] of clients.entries()) {
    await client.joined;
    for (let write = 0; write <= i; write++) {
      client.replica.set(`point/${write}`, i);
      await client.push();
    }
    // Some have an image and a segment, some records alone.
    if (i % 3 === 0) expect((await first.ask(`/rooms/${ROOMS[i]!}/compact`, {})).status).toBe(200);
    client.replica.set('title', ROOMS[i]!);
    await client.push();
  }
  const asked: string[] = [];
  link.onRequest = (bytes) => {
    for (const text of bytes.toString('latin1').split('\0')) asked.push(...[purposeOf(text)].flatMap((it) => it ?? []));
  };
  await first.process.kill('SIGKILL');
  for (const client of clients) client.replica.set('after', 'the death');
  await Promise.all(clients.map((client) => kept(client)));
  const aheads = asked.filter((purpose) => purpose === 'read ahead');
  expect(asked.filter((purpose) => purpose !== 'read ahead' && purpose !== 'claim')).toEqual([]);
  expect(aheads.length).toBeGreaterThan(0);
  expect(aheads.length).toBeLessThanOrEqual(ROOMS.length);
  for (const [i, room] of ROOMS.entries()) {
    const reader = keep([second], room);
    await reader.joined;
    expect([reader.replica.get('title'), reader.replica.get('after'), reader.replica.get(`point/${i}`)]).toEqual([
      room,
      'the death',
      i,
    ]);
    await logIsSound(database, store, room);
  }
});

it('a start asks fourteen questions, of which none is asked twice', async () => {
  const store = database.address(await database.database());
  const before = await new Served(store).ready();
  await before.process.kill('SIGTERM');
  const link = await CutLink.before(database.port);
  onTestFinished(() => link.close());
  const asked: string[] = [];
  link.onRequest = (bytes) => {
    // Kind, length, for one with values an empty name, and then the text, which ends with a zero.
    const text = /^[QP][^]{4}\0?([^\0]+)/.exec(bytes.toString('latin1'))?.[1];
    if (text && !text.startsWith('UPDATE weft.lease SET until')) asked.push(text);
  };
  const port = store.replace(`:${database.port}/`, `:${link.port}/`);
  await new Served(port).ready();
  // Of notes, those of two kinds are read by the same words.
  expect(new Set(asked).size).toBeGreaterThanOrEqual(asked.length - 1);
  expect(asked.length).toBeLessThanOrEqual(14);
});
