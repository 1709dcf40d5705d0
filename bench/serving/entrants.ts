// Servers as contenders: each run has a process and a folder of its own.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchOptions } from '../bench.js';
import { type Entrant, runEntrants } from '../measuring/entrant.js';
import { mustHold } from '../measuring/harness.js';
import type { Row } from '../results/row.js';
import type { Figures } from '../measuring/statistics.js';
import type { Dialect } from './dialect.js';
import { dialectOf } from './dialect-of.js';
import { ServerProcess } from './server-process.js';
import { chooseServers, versionOf } from './server.js';
import type { ServerAsked, ServerEntry } from './server-entry.js';

/** A server that runs, and how its clients speak. */
export interface Served {
  readonly server: ServerProcess;
  readonly dialect: Dialect;
}

export interface ServerBench {
  readonly bench: string;
  readonly trace: string;
  /** Names of those who take part. */
  readonly servers: readonly string[];
  readonly measure: (served: Served) => Promise<Figures>;
  readonly idleMs?: number;
}

/** A row for each server that is there at the end. */
export function runServers(
  { bench, trace, servers, measure, idleMs }: ServerBench,
  options: BenchOptions,
): Promise<readonly Row[]> {
  const entrants = chooseServers(servers, options).map((entry) => serverEntrant(entry, measure, { idleMs }));
  return runEntrants(bench, trace, entrants, options);
}

export function serverEntrant(
  entry: ServerEntry,
  measure: (served: Served) => Promise<Figures>,
  { form = '', ...asked }: { readonly form?: string } & Omit<ServerAsked, 'folder'> = {},
): Entrant {
  const run = async (): Promise<Figures> => {
    const folder = await mkdtemp(join(tmpdir(), 'weft-bench-'));
    try {
      const server = await ServerProcess.start(entry, { folder, ...asked });
      try {
        const figures = await measure({ server, dialect: await dialectOf(entry) });
        mustHold(!server.hasEnded, 'the server did not last');
        return figures;
      } finally {
        await server.end();
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  };
  const contender = { name: `${entry.name} ${form}`.trimEnd(), run };
  return { lib: entry.name, version: versionOf(entry), form, notes: entry.doesNot, contender };
}
