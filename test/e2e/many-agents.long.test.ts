/** Fifty scripted agents at work in one studio, over a real store and a real repository, for ten minutes. */
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';

const PROGRAM = fileURLToPath(new URL('../support/programs/many-agents.mjs', import.meta.url));
const SECONDS = Number(process.env['WEFT_SECONDS'] ?? 600);
const THINK_MS = Number(process.env['WEFT_THINK_MS'] ?? 8000);
const MB = 1 << 20;
/**
 * Bound on memory for each turn. A turn leaves some 10 KB in the record, which is in memory; while the program is
 * warming up, it takes twice as much besides.
 */
const MOST_BYTES_PER_TURN = 48 << 10;
/**
 * Bound on what a working host holds beyond one that has only read the record: code that was compiled, room for what comes next, the
 * tree under the state hash, and the seals that reading does not need. Measured: 13 to 17 MB after 1,600 to 3,500 turns.
 */
const MOST_BESIDES = 24 * MB;

interface Left {
  readonly folders: Readonly<Record<string, readonly string[]>>;
  readonly children: readonly string[];
  readonly files: number;
  readonly timers: number;
}

interface Told {
  readonly turns: number;
  readonly units: number;
  readonly failed: readonly string[];
  readonly problems: readonly string[];
  readonly samples: readonly { readonly turns: number; readonly held: number }[];
  readonly held: number;
  readonly atStart: Left;
  readonly atEnd: Left;
}

async function workFor(folder: string, seconds: number): Promise<Told> {
  const TMPDIR = join(folder, 'tmp');
  await mkdir(TMPDIR, { recursive: true });
  const args = ['--expose-gc', PROGRAM, folder, String(seconds), String(THINK_MS)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, TMPDIR } });
  return JSON.parse(stdout) as Told;
}

/** Slope: bytes for each turn, by the straight line that fits best. */
function slopeOf(samples: Told['samples']): number {
  const mean = (of: (one: Told['samples'][0]) => number): number =>
    samples.reduce((sum, one) => sum + of(one), 0) / samples.length;
  const [turns, held] = [mean((one) => one.turns), mean((one) => one.held)];
  const together = mean((one) => (one.turns - turns) * (one.held - held));
  return together / mean((one) => (one.turns - turns) ** 2);
}

it('fifty agents leave nothing behind but their record', async () => {
  const folder = await tempFolder();
  const told = await workFor(folder, SECONDS);
  expect(told.problems).toEqual([]);
  expect(told.failed).toEqual([]);
  expect(told.units).toBeGreaterThanOrEqual(50);
  const { atStart, atEnd } = told;
  for (const [place, names] of Object.entries(atEnd.folders)) expect(names, place).toEqual([]);
  expect(atEnd.children).toEqual([]);
  expect(atEnd.files).toBeLessThanOrEqual(atStart.files);
  expect(atEnd.timers).toBeLessThanOrEqual(atStart.timers + 2);
  const again = await workFor(folder, 0);
  const besides = told.held - again.held;
  const slope = slopeOf(told.samples.slice(Math.floor(told.samples.length / 4)));
  console.log(
    `${told.units} units in ${told.turns} turns: ${Math.round(told.held / MB)} MB held, ` +
      `${Math.round(besides / MB)} MB besides the record, ${Math.round(slope)} bytes for each turn`,
  );
  expect(besides).toBeLessThan(MOST_BESIDES);
  expect(slope).toBeLessThan(MOST_BYTES_PER_TURN);
});
