// Many peers enter a room with a long text at the same time, and have nothing of it.
import type { Bench, BenchOptions, Column } from '../bench.js';
import type { Goal } from '../results/goals.js';
import { collectGarbage, mustHold, perSecond } from '../measuring/harness.js';
import type { Row } from '../results/row.js';
import { type Served, runServers } from '../serving/entrants.js';
import type { Figures } from '../measuring/statistics.js';
import { type Edit, loadSequentialTrace, textAfter } from '../measuring/trace.js';

const PEERS = 200;
const WARM = 20;
/** Most attempts until a peer gets what was written. */
const TRIES = 100;

const columns: readonly Column[] = [
  { figure: 'cpu_ms', title: 'server CPU ms/join', digits: 2 },
  { figure: 'joins_s', title: 'joins/s', digits: 0 },
  { figure: 'sent_kb', title: 'KB each', digits: 0 },
];

const goals: readonly Goal[] = [{ figure: 'cpu_ms', of: 'weft', most: 0.2, times: 'y-websocket' }];

export const joinBench: Bench = {
  name: 'join',
  summary: `${PEERS} peers at once enter a room in which a recording was typed`,
  columns,
  goals,
  run: runJoin,
};

function runJoin(options: BenchOptions): Promise<readonly Row[]> {
  const trace = options.traces[0] ?? 'automerge-paper';
  const edits = loadSequentialTrace(trace).edits.slice(0, options.edits);
  const servers = ['weft', 'hocuspocus', 'y-websocket'];
  const scenario = `${trace}, ${PEERS} at once`;
  return runServers({ bench: 'join', trace: scenario, servers, measure: (served) => measure(served, edits) }, options);
}

async function measure({ server, dialect }: Served, edits: readonly Edit[]): Promise<Figures> {
  const url = server.urlOf('paper');
  const enter = (count: number) => Promise.all(Array.from({ length: count }, () => dialect.enter(url)));
  const text = textAfter(edits);
  const writer = await dialect.enter(url);
  for (const message of await dialect.document(writer, edits)) writer.socket.send(message);
  let found = '';
  for (let i = 0; i < TRIES && found !== text; i++) {
    const [probe] = await enter(1);
    found = await dialect.read(probe?.history ?? []);
    await probe?.leave();
  }
  mustHold(found === text, 'the room does not get the text of the recording');
  await Promise.all((await enter(WARM)).map((guest) => guest.leave()));

  collectGarbage();
  const before = await server.usage('settled');
  const started = performance.now();
  const guests = await enter(PEERS);
  const ms = performance.now() - started;
  const { cpuUs } = await server.usage('now');

  const history = guests.at(-1)?.history ?? [];
  mustHold((await dialect.read(history)) === text, 'a peer has another text than was typed');
  const bytes = history.reduce((sum, { length }) => sum + length, 0);
  await Promise.all([writer, ...guests].map((guest) => guest.leave()));
  return { cpu_ms: (cpuUs - before.cpuUs) / 1000 / PEERS, joins_s: perSecond(PEERS, ms), sent_kb: bytes / 1000 };
}
