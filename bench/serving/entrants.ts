// Servers as contenders: each run has a process and a folder of its own.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Entrant } from '../entrant.js';
import type { Figures } from '../statistics.js';
import { ServerProcess } from './server-process.js';
import { type ServerAsked, type ServerEntry, versionOf } from './server.js';

export function serverEntrant(
  entry: ServerEntry,
  measure: (server: ServerProcess) => Promise<Figures>,
  { form = '', ...asked }: { readonly form?: string } & Omit<ServerAsked, 'folder'> = {},
): Entrant {
  const run = async (): Promise<Figures> => {
    const folder = await mkdtemp(join(tmpdir(), 'weft-bench-'));
    try {
      const server = await ServerProcess.start(entry, { folder, ...asked });
      return await measure(server).finally(() => server.end());
    } finally {
      await rm(folder, { recursive: true });
    }
  };
  const contender = { name: `${entry.name} ${form}`.trimEnd(), run };
  return { lib: entry.name, version: versionOf(entry), form, notes: entry.doesNot, contender };
}
