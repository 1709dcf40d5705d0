import { appendFile, mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { benchFolder } from '../measuring/folder.js';
import type { Machine } from '../measuring/machine.js';
import { type Row, parseRow, toJsonLine } from './row.js';

export interface RunRecord {
  readonly bench: string;
  readonly date: Date;
  readonly commit: string;
  readonly machine: Machine & { readonly note?: string | undefined };
  /** What the run was asked for, as on the command line. */
  readonly asked: readonly string[];
  readonly rows: readonly Row[];
}

const historyFolder = join(benchFolder, 'history');

/** Appends the run to bench/history: a line that describes it, then its rows. Answers the file. */
export async function saveRun(record: RunRecord, folder = historyFolder): Promise<string> {
  const { bench, date, commit, machine, asked, rows } = record;
  const file = join(folder, `${date.toISOString().slice(0, 10)}-${machine.name}-${bench}.jsonl`);
  const about = JSON.stringify({ run: bench, date: date.toISOString(), commit, asked, machine });
  await mkdir(folder, { recursive: true });
  // One write: a death before it leaves nothing of the run, and one in it at most a last line that is cut short.
  await appendFile(file, `${[about, ...rows.map(toJsonLine)].join('\n')}\n`);
  return file;
}

const About = z.object({
  run: z.string(),
  date: z.iso.datetime(),
  commit: z.string(),
  asked: z.array(z.string()),
  machine: z.object({
    name: z.string(),
    cpu: z.string(),
    cores: z.number(),
    memory_gb: z.number(),
    node: z.string(),
    platform: z.string(),
    note: z.string().optional(),
  }),
});

/** Every run that was saved, the newest first. A last line that is cut short was never a result. */
export async function readRuns(folder = historyFolder): Promise<readonly RunRecord[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'));
  const runs = await Promise.all(names.map(async (name) => runsIn(await readFile(join(folder, name), 'utf8'))));
  return runs.flat().sort((a, b) => b.date.getTime() - a.date.getTime());
}

function runsIn(text: string): RunRecord[] {
  const runs: (RunRecord & { rows: Row[] })[] = [];
  // What stands behind the last end of a line is nothing, or was cut short.
  for (const line of text.split('\n').slice(0, -1)) {
    const read: unknown = JSON.parse(line);
    const about = About.safeParse(read);
    if (about.success) {
      const { run: bench, date, ...rest } = about.data;
      runs.push({ ...rest, bench, date: new Date(date), rows: [] });
    } else {
      runs.at(-1)?.rows.push(parseRow(read));
    }
  }
  return runs;
}
