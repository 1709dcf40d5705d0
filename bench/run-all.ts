// Every bench one after the other, each in a process of its own, saved; then the page of results. `--note` says of the machine what each run says.
// `--go-on` leaves out what was saved before by the same words and measures what there is now: all of them together take hours.
import { spawn } from 'node:child_process';
import { isMeasuredSince } from './measuring/machine.js';
import { benches } from './registry.js';
import { readRuns } from './results/history.js';
import { writeResults } from './results/write-results.js';

/** Recordings that the goals speak of, of a bench whose others take most of an hour and say the same. */
const fewer: Readonly<Record<string, readonly string[]>> = { text: ['--trace', 'automerge-paper'] };

/** Sizes beside a bench's own that the goals speak of. */
const greater: readonly (readonly string[])[] = [
  ['idle', '--edits', '10000'],
  ...[
    ['nodes', '10000000'],
    ['rooms', '100000'],
    ['peers', '10000'],
    ['events', '1000000'],
    ['agents', '500'],
  ].map(([series, most]) => ['growth', '--trace', series!, '--edits', most!]),
  ['studio', '--edits', '1000000'],
];

/** Resolves with the benches that failed. What has run before stays saved, however the rest ends. */
export async function runAll(args: readonly string[]): Promise<readonly string[]> {
  const goesOn = args.includes('--go-on');
  const wanted = args.filter((word) => word !== '--go-on');
  const runs = [...benches.map(({ name }) => [name, ...(fewer[name] ?? [])]), ...greater].map((run) => [
    ...run,
    '--rivals',
    '--save',
    ...wanted,
  ]);
  const failed: string[] = [];
  for (const run of runs) {
    if (goesOn && (await isSaved(run))) continue;
    const started = performance.now();
    if (!(await runOne(run))) failed.push(run.join(' '));
    console.error(`${run.join(' ')}: ${Math.round((performance.now() - started) / 1000)} s`);
  }
  await writeResults();
  return failed;
}

async function isSaved(run: readonly string[]): Promise<boolean> {
  for (const { asked, commit } of await readRuns()) {
    if (asked.join('\0') === run.join('\0') && (await isMeasuredSince(commit))) return true;
  }
  return false;
}

function runOne(args: readonly string[]): Promise<boolean> {
  const program = process.argv[1];
  if (program === undefined) throw new Error('Start the benches with `npm run bench`.');
  const child = spawn(process.execPath, [...process.execArgv, program, ...args], { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code === 0));
  });
}
