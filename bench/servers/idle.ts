// What a connection costs that does nothing, in a room of its own.
import { setTimeout } from 'node:timers/promises';
import type { Bench, BenchOptions, Column } from '../bench.js';
import type { Goal } from '../results/goals.js';
import { mustHold, perSecond } from '../measuring/harness.js';
import type { Row } from '../results/row.js';
import { type Served, runServers } from '../serving/entrants.js';
import type { Guest } from '../serving/guest.js';
import type { Figures } from '../measuring/statistics.js';

const PEERS = 1000;
const WARM = 100;
/** Peers that enter at a time. */
const AT_ONCE = 50;
/** Time after which a room leaves memory, in place of minutes, so that nobody has to wait for them. */
const IDLE_MS = 1000;
/** V8 keeps the 32 MB of a busy young generation for 10 to 25 s; whoever is idle has given them back. */
const SILENCE_MS = 30_000;

const columns: readonly Column[] = [
  { figure: 'peers', title: 'connections and rooms', digits: 0 },
  { figure: 'rss_kb', title: 'resident KB each', digits: 1 },
  { figure: 'heap_kb', title: 'heap KB each', digits: 1 },
  { figure: 'enters_s', title: 'entered /s', digits: 0 },
  { figure: 'cpu_ms', title: 'server CPU ms each', digits: 2 },
];

const goals: readonly Goal[] = [
  { figure: 'rss_kb', of: 'weft', most: 0.15, times: 'hocuspocus' },
  { figure: 'rss_kb', of: 'weft', most: 3 },
];

export const idleBench: Bench = {
  name: 'idle',
  summary: `${PEERS} connections that are silent, each in a room of its own; --edits 10000 makes it so many`,
  columns,
  goals,
  run: runIdle,
};

function runIdle(options: BenchOptions): Promise<readonly Row[]> {
  const peers = options.edits ?? PEERS;
  const servers = [
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
  return runServers(
    {
      bench: 'idle',
      trace: 'silent connections',
      servers,
      idleMs: IDLE_MS,
      measure: (served) => measure(served, peers),
    },
    options,
  );
}

async function measure({ server, dialect }: Served, peers: number): Promise<Figures> {
  const guests: Guest[] = [];
  const enter = async (count: number): Promise<void> => {
    for (let left = count; left > 0; left -= AT_ONCE) {
      const urls = Array.from({ length: Math.min(AT_ONCE, left) }, (_, i) => server.urlOf(`room${guests.length + i}`));
      guests.push(...(await Promise.all(urls.map((url) => dialect.enter(url)))));
    }
  };
  await enter(WARM);
  await setTimeout(SILENCE_MS);
  const before = await server.usage('settled');
  const started = performance.now();
  await enter(peers);
  const ms = performance.now() - started;
  await setTimeout(SILENCE_MS);
  const after = await server.usage('settled');
  mustHold(
    guests.every(({ socket }) => socket.readyState === socket.OPEN),
    'a connection did not last',
  );
  await Promise.all(guests.map((guest) => guest.leave()));
  const each = (grown: number): number => grown / 1024 / peers;
  return {
    peers,
    rss_kb: each(after.rss - before.rss),
    heap_kb: each(after.heap - before.heap),
    enters_s: perSecond(peers, ms),
    cpu_ms: (after.cpuUs - before.cpuUs) / 1000 / peers,
  };
}
