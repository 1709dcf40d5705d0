// One bench as the arguments ask for it. Figures go to stdout, progress to stderr.
import { parseArguments } from './arguments.js';
import { calibrate } from './measuring/calibration.js';
import { judge } from './results/goals.js';
import { saveRun } from './results/history.js';
import { describeCommit, describeMachine } from './measuring/machine.js';
import { newestInRegistry, pinnedRivals, sayNewest } from './results/newest.js';
import { findBench } from './registry.js';
import { calibrationColumns, renderMachine, renderTables } from './results/report.js';
import { toJsonLine } from './results/row.js';

export async function runBench(args: readonly string[]): Promise<void> {
  const { bench: name, json, save, newest, note, ...options } = parseArguments(args);
  const bench = findBench(name);
  const machine = { ...describeMachine(), note };
  const progress = (line: string): void => {
    process.stderr.write(`${line}\n`);
  };

  if (newest) progress(await sayNewest(pinnedRivals(), newestInRegistry));

  const before = calibrate('before');
  const rows = await bench.run({ ...options, progress });
  const calibration = [before, calibrate('after')];

  if (json) {
    console.log(JSON.stringify({ run: bench.name, machine }));
    for (const row of [...calibration, ...rows]) console.log(toJsonLine(row));
  } else {
    console.log(`\n${bench.name}: ${bench.summary}\n${renderMachine(machine)}${note === '' ? '' : ` (${note})`}\n`);
    console.log(`${renderTables(calibration, calibrationColumns)}\n\n${renderTables(rows, bench.columns)}`);
    const verdicts = judge(rows, bench.goals ?? []);
    if (verdicts.length > 0) console.log(`\n${verdicts.join('\n')}`);
  }
  if (save) {
    const record = { bench: bench.name, date: new Date(), commit: await describeCommit(), machine, asked: args };
    progress(`saved to ${await saveRun({ ...record, rows: [...calibration, ...rows] })}`);
  }
  if (!rows.every(({ checked }) => checked)) process.exitCode = 1;
}
