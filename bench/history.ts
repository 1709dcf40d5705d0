import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { benchFolder } from './folder.js';
import type { Machine } from './machine.js';
import { type Row, toJsonLine } from './row.js';

export interface RunRecord {
  readonly bench: string;
  readonly date: Date;
  readonly commit: string;
  readonly machine: Machine;
  /** What the run was asked for, as on the command line. */
  readonly asked: readonly string[];
  readonly rows: readonly Row[];
}

/** Appends the run to bench/history: a line that describes it, then its rows. Answers the file. */
export async function saveRun(record: RunRecord, folder = join(benchFolder, 'history')): Promise<string> {
  const { bench, date, commit, machine, asked, rows } = record;
  const file = join(folder, `${date.toISOString().slice(0, 10)}-${machine.name}-${bench}.jsonl`);
  const about = JSON.stringify({ run: bench, date: date.toISOString(), commit, asked, machine });
  await mkdir(folder, { recursive: true });
  // One write: a death before it leaves nothing of the run, and one in it at most a last line that is cut short.
  await appendFile(file, `${[about, ...rows.map(toJsonLine)].join('\n')}\n`);
  return file;
}
