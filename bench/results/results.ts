// bench/RESULTS.md: the runs of bench/history as tables. Nothing in it is written by hand.
import type { Bench } from '../bench.js';
import { judge } from './goals.js';
import type { RunRecord } from './history.js';
import { calibrationColumns, renderMachine, renderTables } from './report.js';
import type { Row } from './row.js';

const HEAD = `# Results

Generated from \`bench/history\` by \`npm run bench -- results\`: do not edit. [How they are measured](README.md).

Of each bench the newest run is shown, and below it those older runs that have rows which no newer one has. **Compare figures of one run only**: machines are
shared, and hours differ. _share of a core_ says how much of the processor the run had; well below 1, only ratios within the run mean something.
`;

/** The page. `runs` as `readRuns` answers them, the newest first; benches in the order in which they are listed. */
export function renderResults(runs: readonly RunRecord[], benches: readonly Bench[]): string {
  const sections = benches.flatMap((bench) => {
    const shown = withSomethingNew(runs.filter((run) => run.bench === bench.name));
    return shown.length === 0 ? [] : [renderBench(bench, shown)];
  });
  const without = benches
    .filter(({ name }) => runs.every((run) => run.bench !== name))
    .map(({ name }) => `\`${name}\``);
  const missing = without.length === 0 ? [] : [`## No run yet\n\nNothing is claimed of ${without.join(', ')}.\n`];
  return [HEAD, ...sections, ...missing].join('\n');
}

/** Pictures of benches that have one, each of the newest run. */
export function drawPictures(runs: readonly RunRecord[], benches: readonly Bench[]) {
  return benches.flatMap(({ name, picture }) => {
    const rows = newestOfEach(runs.filter((run) => run.bench === name));
    return picture && rows.length > 0 ? [{ file: picture.file, drawn: picture.draw(rows) }] : [];
  });
}

/** Rows of the newest run that has a trace, of each trace: a greater size may have been measured of one alone. */
function newestOfEach(runs: readonly RunRecord[]): readonly Row[] {
  const seen = new Set<string>();
  return runs.flatMap((run) => {
    const rows = measured(run).filter(({ trace }) => !seen.has(trace));
    for (const { trace } of rows) seen.add(trace);
    return rows;
  });
}

/** Runs with a row that no newer run has. */
function withSomethingNew(runs: readonly RunRecord[]): readonly RunRecord[] {
  const seen = new Set<string>();
  return runs.filter((run) => {
    const names = measured(run).map(({ lib, trace, form }) => [lib, trace, form].join('\0'));
    const isNew = names.some((name) => !seen.has(name));
    for (const name of names) seen.add(name);
    return isNew;
  });
}

function measured({ bench, rows }: RunRecord): readonly Row[] {
  return rows.filter((row) => row.bench === bench);
}

function renderBench(bench: Bench, runs: readonly RunRecord[]): string {
  return (
    [
      `## ${bench.name}`,
      `${sentence(bench.summary)}`,
      ...(bench.picture ? [`![${bench.name}](${bench.picture.file})`] : []),
      ...runs.map((run) => renderRun(bench, run)),
    ].join('\n\n') + '\n'
  );
}

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}

/** An argument as a shell takes it. */
function quoted(argument: string): string {
  return /\s/.test(argument) ? JSON.stringify(argument) : argument;
}

function renderRun(bench: Bench, run: RunRecord): string {
  const { date, commit, machine, asked } = run;
  const rows = measured(run);
  const note = machine.note === undefined || machine.note === '' ? '' : ` **${sentence(machine.note)}**`;
  const calibration = run.rows.filter((row) => row.bench === 'calibration');
  const verdicts = judge(rows, bench.goals ?? []).map((line) => `- ${line}`);
  return [
    `### ${bench.name}, ${date.toISOString().slice(0, 16).replace('T', ' ')}`,
    `\`npm run bench -- ${asked.map(quoted).join(' ')}\` of \`${commit}\` on ${renderMachine(machine)}.${note}`,
    renderTables(calibration, calibrationColumns),
    renderTables(rows, bench.columns),
    ...(verdicts.length === 0 ? [] : [verdicts.join('\n')]),
  ].join('\n\n');
}
