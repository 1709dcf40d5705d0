// Every bench one after the other, each in a process of its own, saved; then the page of results. `--note` says of the machine what each run says.
import { spawn } from 'node:child_process';
import { benches } from './registry.js';
import { writeResults } from './results/write-results.js';

/** Sizes beside a bench's own that the goals speak of. */
const greater: readonly (readonly string[])[] = [
  ['idle', '--edits', '10000'],
  ['growth', '--trace', 'nodes', '--edits', '10000000'],
  ['studio', '--edits', '1000000'],
];

/** Resolves with the benches that failed. What has run before stays saved, however the rest ends. */
export async function runAll(args: readonly string[]): Promise<readonly string[]> {
  const runs = [...benches.map(({ name }) => [name]), ...greater];
  const failed: string[] = [];
  for (const run of runs) {
    const isDone = await runOne([...run, '--rivals', '--save', ...args]);
    if (!isDone) failed.push(run.join(' '));
  }
  await writeResults();
  return failed;
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
