// Somebody who was never let in sends without end.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, BenchOptions, Column } from '../bench.js';
import type { Goal } from '../results/goals.js';
import type { Row } from '../results/row.js';
import { type Served, runServers } from '../serving/entrants.js';
import { Guest } from '../serving/guest.js';
import type { Figures } from '../measuring/statistics.js';

const MIB = 1024 * 1024;
const FRAMES = 75;
/** Longest time that a server may take to read it all, or to close. */
const PATIENCE_MS = 5000;

const columns: readonly Column[] = [
  { figure: 'closed', title: 'closed', digits: 0 },
  { figure: 'held_mb', title: 'MB held', digits: 1 },
  { figure: 'highest_mb', title: 'MB more at the highest', digits: 1 },
];

const goals: readonly Goal[] = [
  { figure: 'closed', of: 'weft', least: 1 },
  { figure: 'held_mb', of: 'weft', most: 2 },
];

export const abuseBench: Bench = {
  name: 'abuse',
  summary: `${FRAMES} frames of 1 MiB by a peer that has not said hello`,
  columns,
  goals,
  run: runAbuse,
};

function runAbuse(options: BenchOptions): Promise<readonly Row[]> {
  const servers = ['weft', 'weft ws', 'hocuspocus', 'y-websocket'];
  return runServers({ bench: 'abuse', trace: `${FRAMES} MiB before hello`, servers, measure }, options);
}

async function measure({ server, dialect }: Served): Promise<Figures> {
  const url = server.urlOf('room');
  // What a server needs once, for a frame as for a refusal, is not of this peer.
  const flood = async (frames: number): Promise<{ readonly closed: boolean; readonly guest: Guest }> => {
    const guest = await Guest.dial(url);
    for (let i = 0; i < frames; i++) guest.socket.send(dialect.uninvited(MIB));
    const closed = await Promise.race([guest.closed.then(() => true), sleep(PATIENCE_MS, false)]);
    return { closed, guest };
  };
  const first = await flood(2);
  await first.guest.leave();
  const before = await server.usage('settled');
  await server.usage('watch');
  const { closed, guest } = await flood(FRAMES);
  const after = await server.usage('settled');
  await guest.leave();
  return {
    closed: closed ? 1 : 0,
    held_mb: (after.rss - before.rss) / 1e6,
    highest_mb: (after.highest - before.rss) / 1e6,
  };
}
