// What a server takes before, while and after much was written to it, in rooms that everybody has left again.
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Bench, BenchOptions, Column } from '../bench.js';
import type { Goal } from '../results/goals.js';
import { mustHold } from '../measuring/harness.js';
import type { Row } from '../results/row.js';
import { type Served, runServers } from '../serving/entrants.js';
import type { Figures } from '../measuring/statistics.js';

const ROOMS = 20;
const VALUES = 100;
const VALUE_BYTES = 100_000;
const READERS = 3;
/** Time after which a room leaves memory, in place of minutes, so that nobody has to wait for them. */
const IDLE_MS = 1000;
/** Before it begins, a server has served a little, and is left alone for so long. */
const BEFORE_MS = 30_000;
/** No collector is asked for: what is measured is what an operator sees. */
const AFTER_MS = 60_000;

const columns: readonly Column[] = [
  { figure: 'start_mb', title: 'resident MB before', digits: 0 },
  { figure: 'most_mb', title: 'most, under load', digits: 0 },
  { figure: 'after_mb', title: '60 s after', digits: 0 },
  { figure: 'after_share', title: 'of what it was before', digits: 2 },
  { figure: 'collected_mb', title: 'after collections', digits: 0 },
];

const goals: readonly Goal[] = ['weft', 'weft deployed'].map((of) => ({ figure: 'after_share', of, most: 1.3 }));

export const ebbBench: Bench = {
  name: 'ebb',
  summary: `memory 60 s after ${(ROOMS * VALUES * VALUE_BYTES) / 1e6} MB were written to ${ROOMS} rooms with ${READERS} readers each`,
  columns,
  goals,
  run: runEbb,
};

function runEbb(options: BenchOptions): Promise<readonly Row[]> {
  const rooms = Math.min(options.edits ?? ROOMS, ROOMS);
  const servers = ['weft', 'weft deployed', 'weft memory', 'weft ws', 'hocuspocus', 'y-websocket'];
  const trace = `${rooms} rooms of ${(VALUES * VALUE_BYTES) / 1e6} MB`;
  return runServers(
    { bench: 'ebb', trace, servers, idleMs: IDLE_MS, measure: (served) => measure(served, rooms) },
    options,
  );
}

async function measure(served: Served, rooms: number): Promise<Figures> {
  const { server } = served;
  await write(served, 'warm', 2);
  await setTimeout(BEFORE_MS);
  const before = await server.usage('now');
  await server.usage('watch');
  for (let number = 0; number < rooms; number++) await write(served, `room${number}`, VALUES);
  const { highest } = await server.usage('now');
  await setTimeout(AFTER_MS);
  const after = await server.usage('now');
  const collected = await server.usage('settled');
  return {
    start_mb: before.rss / 1e6,
    most_mb: highest / 1e6,
    after_mb: after.rss / 1e6,
    after_share: after.rss / before.rss,
    collected_mb: collected.rss / 1e6,
  };
}

/** One writes, the others read all of it, then everybody leaves. */
async function write({ server, dialect }: Served, room: string, values: number): Promise<void> {
  const url = server.urlOf(room);
  const writer = await dialect.enter(url);
  const readers = await Promise.all(Array.from({ length: READERS }, () => dialect.enter(url)));
  const all = readers.map((reader) => {
    let left = values;
    return new Promise<void>((resolve) => {
      reader.listen((frame) => {
        left -= dialect.editsIn(frame);
        if (left <= 0) resolve();
      });
      void reader.closed.then(() => resolve());
    });
  });
  const messages = dialect.replacements(writer, madeValues(values));
  for (let i = 0; i < values; i++) writer.socket.send((await messages.next()).value);
  await Promise.all(all);
  const guests = [writer, ...readers];
  mustHold(
    guests.every(({ socket }) => socket.readyState === socket.OPEN),
    'a connection did not last',
  );
  await Promise.all(guests.map((guest) => guest.leave()));
}

function* madeValues(count: number): Iterable<Uint8Array> {
  for (let i = 0; i < count; i++) yield new Uint8Array(randomBytes(VALUE_BYTES));
}
