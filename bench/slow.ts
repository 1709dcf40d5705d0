// A reader stops reading while much is written: what the server keeps for it.
import { randomBytes } from 'node:crypto';
import type { Bench, BenchOptions, Column } from './bench.js';
import { runEntrants } from './entrant.js';
import type { Goal } from './goals.js';
import { mustHold } from './harness.js';
import type { Row } from './row.js';
import { dialectOf } from './serving/dialect.js';
import { serverEntrant } from './serving/entrants.js';
import type { Guest } from './serving/guest.js';
import type { ServerProcess } from './serving/server-process.js';
import { type ServerEntry, chooseServers } from './serving/server.js';
import type { Figures } from './statistics.js';

const VALUE_BYTES = 100_000;
const VALUES = 1250;

const columns: readonly Column[] = [
  { figure: 'held_mb', title: 'MB held for it', digits: 1 },
  { figure: 'highest_mb', title: 'MB more at the highest', digits: 1 },
  { figure: 'reconnects', title: 'reconnects to catch up', digits: 0 },
];

const goals: readonly Goal[] = [
  { figure: 'held_mb', of: 'weft', most: 8 },
  { figure: 'reconnects', of: 'weft', most: 1 },
];

export const slowBench: Bench = {
  name: 'slow',
  summary: `${(VALUE_BYTES * VALUES) / 1e6} MB to two readers, one of whom has stopped; before that, the same with both reading`,
  columns,
  goals,
  run: runSlow,
};

function runSlow(options: BenchOptions): Promise<readonly Row[]> {
  const values = Math.min(options.edits ?? VALUES, VALUES);
  const entrants = chooseServers(['weft', 'hocuspocus', 'y-websocket', 'raw ws'], options).map((entry) =>
    serverEntrant(entry, (server) => measure(entry, server, values)),
  );
  return runEntrants('slow', `${values} values of ${VALUE_BYTES} bytes`, entrants, options);
}

async function measure(entry: ServerEntry, server: ServerProcess, count: number): Promise<Figures> {
  const dialect = await dialectOf(entry);
  const url = server.urlOf('room');
  const [writer, quick, stopping] = [await dialect.enter(url), await dialect.enter(url), await dialect.enter(url)];
  const values = dialect.replacements(writer, madeValues(2 * count));
  const reading = new Reading(quick, dialect.editsIn);
  const write = async (): Promise<void> => {
    for (let i = 0; i < count; i++) {
      const { value } = await values.next();
      writer.socket.send(value);
      await reading.took(1);
    }
  };

  await write();
  const before = await server.usage('settled');
  stopping.socket.pause();
  await server.usage('watch');
  await write();
  const after = await server.usage('settled');

  const missed = new Reading(stopping, dialect.editsIn);
  stopping.socket.resume();
  let reconnects = 0;
  if (!(await missed.tookOrClosed(count))) {
    reconnects = 1;
    await dialect.enter(url); // what it lacked comes with that
  }
  mustHold(!server.hasEnded, 'the server did not last');
  return {
    held_mb: (after.rss - before.rss) / 1e6,
    highest_mb: (after.highest - before.rss) / 1e6,
    reconnects,
  };
}

function* madeValues(count: number): Iterable<Uint8Array> {
  for (let i = 0; i < count; i++) yield new Uint8Array(randomBytes(VALUE_BYTES));
}

/** Counts edits that one peer was sent. */
class Reading {
  readonly #guest: Guest;
  #taken = 0;
  #asked = 0;
  #more: () => void = () => undefined;

  constructor(guest: Guest, editsIn: (frame: Buffer) => number) {
    this.#guest = guest;
    guest.listen((frame) => {
      this.#taken += editsIn(frame);
      this.#more();
    });
  }

  async took(edits: number): Promise<void> {
    this.#asked += edits;
    while (this.#taken < this.#asked) await new Promise<void>((resolve) => (this.#more = resolve));
  }

  /** False when the connection ends before. */
  tookOrClosed(edits: number): Promise<boolean> {
    return Promise.race([this.took(edits).then(() => true), this.#guest.closed.then(() => false)]);
  }
}
