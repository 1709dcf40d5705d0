// One writer, many readers, one room: what each delivery costs the server, how many there are, how long they take.
import type { Bench, BenchOptions, Column } from '../bench.js';
import { runEntrants } from '../measuring/entrant.js';
import type { Goal } from '../results/goals.js';
import { collectGarbage, mustHold, perSecond } from '../measuring/harness.js';
import type { Row } from '../results/row.js';
import type { Message } from '../serving/dialect.js';
import type { Guest } from '../serving/guest.js';
import { type Served, serverEntrant } from '../serving/entrants.js';
import { chooseServers } from '../serving/server.js';
import { type Figures, percentile } from '../measuring/statistics.js';

const CLIENTS = 50;
const EDIT_BYTES = 100;
const IN_FLIGHT = 16;
const EDITS = 4000;
const WARM = 2000;
const ALONE = 1000;
/**
 * Edits of the warm-up: by then all that a message goes through is compiled; before, the figures are those of the
 * compiler.
 */
const WARM_ALONE = 10_000;
/** A server that waits before it sends would be warmed for minutes; it has compiled by then. */
const WARM_MS = 20_000;

const columns: readonly Column[] = [
  { figure: 'cpu_us', title: 'server CPU µs/delivery', digits: 2 },
  { figure: 'deliveries_s', title: 'deliveries/s', digits: 0 },
  { figure: 'p50_ms', title: 'p50 ms, one at a time', digits: 2 },
  { figure: 'p99_ms', title: 'p99 ms', digits: 2 },
  { figure: 'alone_cpu_us', title: 'CPU µs/delivery, one at a time', digits: 2 },
];

const goals: readonly Goal[] = [
  { figure: 'cpu_us', of: 'weft', most: 0.18, times: 'hocuspocus' },
  { figure: 'deliveries_s', of: 'weft', least: 5, times: 'hocuspocus' },
  { figure: 'deliveries_s', of: 'weft', least: 3, times: 'y-websocket' },
  { figure: 'p99_ms', of: 'weft', most: 0.9, times: 'hocuspocus' },
];

export const fanoutBench: Bench = {
  name: 'fanout',
  summary: `${CLIENTS} clients in a room, edits of ${EDIT_BYTES} bytes by one of them, servers in processes of their own`,
  columns,
  goals,
  run: runFanout,
};

/** Manner of writing: how many messages have a seal together, where there are seals. */
interface Manner {
  readonly form: string;
  readonly perSeal: number;
}

const together: Manner = { form: 'sealed together', perSeal: IN_FLIGHT };
const plain: Manner = { form: '', perSeal: 1 };
const each: Manner = { form: 'sealed each', perSeal: 1 };

const participants = [
  'weft',
  'weft memory',
  'weft ws',
  'hocuspocus',
  'y-websocket',
  'tldraw',
  'jazz',
  'raw ws',
  'raw uws',
];

async function runFanout(options: BenchOptions): Promise<readonly Row[]> {
  const edits = Math.min(options.edits ?? EDITS, EDITS);
  const entrants = chooseServers(participants, options).flatMap((server) => {
    const manners = server.name === 'weft' ? [together, each] : server.dialect === 'weft' ? [together] : [plain];
    return manners.map((manner) =>
      serverEntrant(server, (served) => measure(served, manner, edits), { form: manner.form }),
    );
  });
  return runEntrants('fanout', `${CLIENTS} clients, ${EDIT_BYTES} B, ${IN_FLIGHT} in flight`, entrants, options);
}

async function measure(served: Served, { perSeal }: Manner, edits: number): Promise<Figures> {
  // First: what a server does with a room that all have left is not part of it.
  const alone = await fanOut(served, { room: 'alone', edits: Math.min(edits, ALONE), inFlight: 1, perSeal: 1 });
  const crowded = await fanOut(served, { room: 'crowded', edits, inFlight: IN_FLIGHT, perSeal });
  return {
    cpu_us: crowded.cpuUs,
    deliveries_s: crowded.perSecond,
    p50_ms: percentile(alone.waits, 0.5),
    p99_ms: percentile(alone.waits, 0.99),
    alone_cpu_us: alone.cpuUs,
  };
}

interface Work {
  readonly room: string;
  readonly edits: number;
  /** Window: edits that are sent before those before them are with everybody. */
  readonly inFlight: number;
  readonly perSeal: number;
}

async function fanOut({ server, dialect }: Served, { room, edits, inFlight, perSeal }: Work) {
  const url = server.urlOf(room);
  const writer = await dialect.enter(url);
  const readers = await Promise.all(Array.from({ length: CLIENTS - 1 }, () => dialect.enter(url)));
  const warm = inFlight > 1 ? WARM : WARM_ALONE;
  const texts = Array.from({ length: warm + edits }, (_, i) => String(i).padStart(EDIT_BYTES, '.'));
  const messages = await dialect.compose(writer, texts, perSeal);

  const received: Buffer[] = [...(readers[0]?.history ?? [])];
  const waits: number[] = [];
  const race = new Race(readers, waits, (reader, frame) => {
    if (reader === 0) received.push(frame);
    return dialect.editsIn(frame);
  });
  const send = (message: Message): void => writer.socket.send(message);
  const sent = await race.run(messages.slice(0, warm), inFlight, send, WARM_MS);
  waits.length = 0;
  collectGarbage();
  const before = await server.usage('now');
  const started = performance.now();
  await race.run(messages.slice(sent, sent + edits), inFlight, send);
  const ms = performance.now() - started;
  const { cpuUs } = await server.usage('now');

  mustHold(
    (await dialect.read(received)) === texts.slice(0, sent + edits).join(''),
    'a reader has another text than was written',
  );
  await Promise.all([writer, ...readers].map((guest) => guest.leave()));
  const deliveries = edits * readers.length;
  return { cpuUs: (cpuUs - before.cpuUs) / deliveries, perSecond: perSecond(deliveries, ms), waits };
}

/** Flow control of the writer: sends while not too much is under way, which a message is until every reader has it. */
class Race {
  readonly #readers: readonly Guest[];
  readonly #waits: number[];
  /** Times at which edits were sent, and counts of readers that have them. */
  readonly #sentAt: number[] = [];
  readonly #holders: number[] = [];
  #everywhere = 0;
  #more: () => void = () => undefined;

  constructor(readers: readonly Guest[], waits: number[], arrived: (reader: number, frame: Buffer) => number) {
    this.#readers = readers;
    this.#waits = waits;
    for (const [reader, guest] of readers.entries()) {
      let edit = 0;
      guest.listen((frame) => {
        const end = edit + arrived(reader, frame);
        for (const now = performance.now(); edit < end; edit++) this.#holds(edit, now);
      });
    }
  }

  /** Sends these, or as many as this time allows, and answers how many. */
  async run(
    messages: readonly Message[],
    inFlight: number,
    send: (message: Message) => void,
    mostMs = Infinity,
  ): Promise<number> {
    const end = performance.now() + mostMs;
    let sent = 0;
    for (const message of messages) {
      // Never within a window: what is sealed together waits for its seal.
      if (sent % inFlight === 0 && performance.now() > end) break;
      sent++;
      await this.#until(this.#sentAt.length - inFlight + 1);
      this.#sentAt.push(performance.now());
      this.#holders.push(0);
      send(message);
    }
    await this.#until(this.#sentAt.length);
    return sent;
  }

  async #until(everywhere: number): Promise<void> {
    while (this.#everywhere < everywhere) await new Promise<void>((resolve) => (this.#more = resolve));
  }

  #holds(edit: number, now: number): void {
    this.#waits.push(now - (this.#sentAt[edit] ?? now));
    const holders = (this.#holders[edit] ?? 0) + 1;
    this.#holders[edit] = holders;
    if (holders < this.#readers.length) return;
    this.#everywhere++;
    this.#more();
  }
}
