import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Bench } from '../bench.js';
import { benchFolder } from '../measuring/folder.js';
import { type RunRecord, readRuns, saveRun } from './history.js';
import { describeMachine } from '../measuring/machine.js';
import { benches } from '../registry.js';
import { renderResults } from './results.js';
import type { Row } from './row.js';

const machine = { ...describeMachine(), name: 'some-machine-2-cores', note: 'shared' };
const bench: Bench = {
  name: 'text',
  summary: 'typing',
  columns: [{ figure: 'local_ops_s', title: 'local /s', digits: 0 }],
  goals: [{ figure: 'local_ops_s', of: 'weft', least: 2, times: 'x' }],
  run: () => Promise.resolve([]),
};

function row(lib: string, figure: number): Row {
  const about = { bench: 'text', version: '1', trace: 't', form: '', checked: true, runs: 3, note: '' };
  return { ...about, lib, figures: { local_ops_s: figure }, spread: { local_ops_s: 0.25 } };
}

function run(day: string, ...rows: Row[]): RunRecord {
  return { bench: 'text', date: new Date(`${day}T10:00:00Z`), commit: 'abc', machine, asked: ['text'], rows };
}

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'weft-bench-test-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

it('what was saved is read again, the newest first, and without a line that was cut short', async () => {
  const kept = await folder();
  const [old, late] = [run('2026-01-01', row('weft', 5)), run('2026-01-02', row('weft', 6), row('x', 2))];
  await saveRun(old, kept);
  const file = await saveRun(late, kept);
  await writeFile(file, `${await readFile(file, 'utf8')}{"bench":"te`);
  expect(await readRuns(kept)).toEqual([late, old]);
});

it('the newest run is shown with its verdicts, and an older one only for what it alone has', () => {
  const runs = [
    run('2026-01-04', row('weft', 6), row('x', 2)),
    run('2026-01-03', row('weft', 5)),
    run('2026-01-02', row('y', 4)),
  ];
  const page = renderResults(runs, [bench, { ...bench, name: 'never' }]);
  expect(page).toContain('### text, 2026-01-04 10:00');
  expect(page).not.toContain('2026-01-03');
  expect(page).toContain('### text, 2026-01-02 10:00');
  expect(page).toMatch(/^\| weft 1 +\| +6 ±25% \| yes/m);
  expect(page).toContain('- reached  weft, local_ops_s: 3× x (goal ≥ 2× x)');
  expect(page).toContain('Nothing is claimed of `never`.');
});

it('bench/RESULTS.md is what the history says: `npm run bench -- results` writes it', async () => {
  expect(await readFile(join(benchFolder, 'RESULTS.md'), 'utf8')).toBe(renderResults(await readRuns(), benches));
});
