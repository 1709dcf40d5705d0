// Many busy rooms in one server, with one and with more threads: what the busiest thread can bear.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench, BenchOptions, Column } from '../bench.js';
import { type Entrant, runEntrants } from '../measuring/entrant.js';
import type { Goal } from '../results/goals.js';
import { mustHold, perSecond } from '../measuring/harness.js';
import type { Row } from '../results/row.js';
import type { Dialect, Message } from '../serving/dialect.js';
import type { Guest } from '../serving/guest.js';
import { SpreadServer } from '../serving/spread-server.js';
import { weftDialect } from '../serving/weft-dialect.js';
import type { Figures } from '../measuring/statistics.js';
import { WEFT_VERSION } from '../weft/engine.js';

const ROOMS = 200;
const READERS = 3;
const EDITS = 60;
const WARM = 20;
const EDIT_BYTES = 100;
const THREADS = [1, 2];

const columns: readonly Column[] = [
  { figure: 'busiest_s', title: 'deliveries per CPU second of the busiest thread', digits: 0 },
  { figure: 'deliveries_s', title: 'deliveries/s, clients on the same cores', digits: 0 },
  { figure: 'cpu_us', title: 'CPU µs/delivery, all threads', digits: 1 },
];

const goals: readonly Goal[] = [{ figure: 'busiest_s', of: 'threads 2', least: 1.7, times: 'threads 1' }];

export const threadsBench: Bench = {
  name: 'threads',
  summary: `${ROOMS} busy rooms of ${1 + READERS} peers, each edit sealed, in one thread and in more; Linux`,
  columns,
  goals,
  run: runThreads,
};

async function runThreads(options: BenchOptions): Promise<readonly Row[]> {
  const edits = Math.min(options.edits ?? EDITS, EDITS);
  const entrants = THREADS.map((threads): Entrant => {
    const name = `threads ${threads}`;
    return {
      lib: name,
      version: WEFT_VERSION,
      form: '',
      notes: [],
      contender: { name, run: () => run(threads, edits) },
    };
  });
  return runEntrants('threads', `${ROOMS} rooms, ${EDIT_BYTES} B, one in flight in each`, entrants, options);
}

async function run(threads: number, edits: number): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-bench-'));
  try {
    const server = await SpreadServer.start(folder, threads);
    try {
      const figures = await measure(server, edits);
      mustHold(!server.hasEnded, 'the server did not last');
      return figures;
    } finally {
      await server.end();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function measure(server: SpreadServer, edits: number): Promise<Figures> {
  const dialect = weftDialect();
  const rooms: BusyRoom[] = [];
  for (let i = 0; i < ROOMS; i++) rooms.push(await BusyRoom.enter(server.urlOf(`room-${i}`), dialect, WARM + edits));
  await Promise.all(rooms.map((room) => room.write(WARM)));
  const before = await server.seconds();
  const started = performance.now();
  await Promise.all(rooms.map((room) => room.write(edits)));
  const ms = performance.now() - started;
  const spent = [...(await server.seconds())].map(([thread, seconds]) => seconds - (before.get(thread) ?? 0));
  await Promise.all(rooms.map((room) => room.leave()));
  const deliveries = ROOMS * READERS * edits;
  return {
    busiest_s: deliveries / Math.max(...spent),
    deliveries_s: perSecond(deliveries, ms),
    cpu_us: (spent.reduce((sum, seconds) => sum + seconds, 0) * 1e6) / deliveries,
  };
}

/** A room in which one writes as soon as all the others have what was written before. */
class BusyRoom {
  readonly #writer: Guest;
  readonly #readers: readonly Guest[];
  readonly #messages: readonly Message[];
  #sent = 0;
  #arrived = 0;
  #everywhere: () => void = () => undefined;

  private constructor(writer: Guest, readers: readonly Guest[], messages: readonly Message[], dialect: Dialect) {
    this.#writer = writer;
    this.#readers = readers;
    this.#messages = messages;
    for (const reader of readers)
      reader.listen((frame) => {
        this.#arrived += dialect.editsIn(frame);
        if (this.#arrived === this.#sent * readers.length) this.#everywhere();
      });
  }

  static async enter(url: string, dialect: Dialect, edits: number): Promise<BusyRoom> {
    const writer = await dialect.enter(url);
    const readers = await Promise.all(Array.from({ length: READERS }, () => dialect.enter(url)));
    const texts = Array.from({ length: edits }, (_, i) => String(i).padStart(EDIT_BYTES, '.'));
    return new BusyRoom(writer, readers, await dialect.compose(writer, texts, 1), dialect);
  }

  async write(edits: number): Promise<void> {
    for (const message of this.#messages.slice(this.#sent, this.#sent + edits)) {
      const everywhere = new Promise<void>((resolve) => (this.#everywhere = resolve));
      this.#sent++;
      this.#writer.socket.send(message);
      await everywhere;
    }
  }

  async leave(): Promise<void> {
    await Promise.all([this.#writer, ...this.#readers].map((guest) => guest.leave()));
  }
}
