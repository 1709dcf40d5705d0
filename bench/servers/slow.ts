// A reader stops reading while much is written: what the server keeps for it.
import { randomBytes } from 'node:crypto';
import type { Bench, BenchOptions, Column } from '../bench.js';
import type { Goal } from '../results/goals.js';
import type { Row } from '../results/row.js';
import { type Served, runServers } from '../serving/entrants.js';
import type { Guest } from '../serving/guest.js';
import type { Figures } from '../measuring/statistics.js';

const VALUE_BYTES = 100_000;
const VALUES = 1250;
const WARM = 100;

const columns: readonly Column[] = [
  { figure: 'held_mb', title: 'MB held for it', digits: 1 },
  { figure: 'room_mb', title: 'MB the room grew by', digits: 1 },
  { figure: 'reconnects', title: 'reconnects to catch up', digits: 0 },
];

const goals: readonly Goal[] = [
  { figure: 'held_mb', of: 'weft', most: 8 },
  { figure: 'reconnects', of: 'weft', most: 1 },
];

export const slowBench: Bench = {
  name: 'slow',
  summary: `${(VALUE_BYTES * VALUES) / 1e6} MB to two readers, one of whom has stopped`,
  columns,
  goals,
  run: runSlow,
};

function runSlow(options: BenchOptions): Promise<readonly Row[]> {
  const values = Math.min(options.edits ?? VALUES, VALUES);
  const servers = ['weft', 'hocuspocus', 'y-websocket', 'raw ws'];
  const trace = `${values} values of ${VALUE_BYTES} bytes`;
  return runServers({ bench: 'slow', trace, servers, measure: (served) => measure(served, values) }, options);
}

async function measure(served: Served, values: number): Promise<Figures> {
  const first = await fanOut(served, { room: 'warm', values: WARM, isStopped: false });
  await first.leave();
  // A room keeps what was written: what it grows by when everybody reads is not kept for a reader.
  const both = await fanOut(served, { room: 'both', values, isStopped: false });
  await both.leave();
  const one = await fanOut(served, { room: 'one', values, isStopped: true });
  const reconnects = await one.catchUp();
  await one.leave();
  return { held_mb: one.grownMb - both.grownMb, room_mb: both.grownMb, reconnects };
}

interface Work {
  readonly room: string;
  readonly values: number;
  readonly isStopped: boolean;
}

async function fanOut({ server, dialect }: Served, { room, values, isStopped }: Work) {
  const url = server.urlOf(room);
  const guests = [await dialect.enter(url), await dialect.enter(url), await dialect.enter(url)] as const;
  const [writer, quick, other] = guests;
  const messages = dialect.replacements(writer, madeValues(values));
  const [reading, late] = [new Reading(quick, dialect.editsIn), new Reading(other, dialect.editsIn)];
  const before = await server.usage('settled');
  if (isStopped) other.socket.pause();
  for (let i = 0; i < values; i++) {
    const { value } = await messages.next();
    writer.socket.send(value);
    await reading.took(1);
    if (!isStopped) await late.took(1);
  }
  const after = await server.usage('settled');
  return {
    grownMb: (after.rss - before.rss) / 1e6,
    /** Lets the slow reader read again until it has everything; answers how often it had to connect anew. */
    async catchUp(): Promise<number> {
      other.socket.resume();
      if (await late.tookOrClosed(values)) return 0;
      await (await dialect.enter(url)).leave(); // what it lacked comes with that
      return 1;
    },
    leave: () => Promise.all(guests.map((guest) => guest.leave())),
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

  /** Whether the edits came; false when the connection ends before. */
  tookOrClosed(edits: number): Promise<boolean> {
    return Promise.race([this.took(edits).then(() => true), this.#guest.closed.then(() => false)]);
  }
}
