// How long the command line takes from nothing: its help, servers that are ready, and the demonstration to its end, beside a program of Node that is empty.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Bench, BenchOptions, Column } from '../bench.js';
import { type Entrant, runEntrants } from '../measuring/entrant.js';
import { benchFolder } from '../measuring/folder.js';
import type { Goal } from '../results/goals.js';
import { mustHold } from '../measuring/harness.js';
import { processorMs } from '../measuring/processor-ticks.js';
import type { Row } from '../results/row.js';
import { type Figures, median } from '../measuring/statistics.js';
import { WEFT_VERSION } from '../weft/engine.js';

const TIMES = 15;
/** Launches before those that count: files are in the system's memory then, and a folder has all that a start makes. */
const WARM = 2;
/** Launches of what takes many seconds, after one that does not count. */
const SELDOM = 3;

const columns: readonly Column[] = [
  { figure: 'ready_ms', title: 'ms from nothing', digits: 0 },
  { figure: 'slowest_ms', title: 'slowest', digits: 0 },
  { figure: 'cpu_ms', title: 'CPU ms until then', digits: 0 },
];

const goals: readonly Goal[] = [
  { figure: 'ready_ms', of: 'weft --help', most: 120 },
  { figure: 'ready_ms', of: 'weft studio', most: 600 },
  { figure: 'slowest_ms', of: 'weft demo', most: 60_000 },
];

export const launchBench: Bench = {
  name: 'launch',
  summary: 'commands from nothing: help, servers until they are ready, the demonstration to its end; Linux',
  columns,
  goals,
  run: runLaunch,
};

interface Program {
  readonly name: string;
  readonly args: (folder: string) => readonly string[];
  /** What a first line says of a server that is ready; a command that ends has none. */
  readonly says?: RegExp;
  /** How often it is launched at most. Default: as all. */
  readonly times?: number;
}

const weft = join(benchFolder, '..', 'cli', 'bin', 'weft.js');
const quiet = ['--log-level', 'error', '--json'];

const programs: readonly Program[] = [
  { name: 'node', args: () => ['--eval', '0'] },
  { name: 'weft --help', args: () => [weft, '--help'] },
  {
    name: 'weft serve',
    args: (folder) => [weft, 'serve', '--store', folder, '--listen', '127.0.0.1:0', ...quiet],
    says: /"url":"ws:/,
  },
  {
    name: 'weft studio',
    args: (folder) => [weft, 'studio', '--store', folder, '--listen', '127.0.0.1:0', '--unconfined', ...quiet],
    says: /"url":"http:/,
  },
  // It builds and tests what its agents propose.
  { name: 'weft demo', args: () => [weft, 'demo', '--json'], times: SELDOM },
];

async function runLaunch(options: BenchOptions): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-bench-'));
  const times = Math.min(options.edits ?? TIMES, TIMES);
  const wanted = programs.filter(({ name }) => options.libs.length === 0 || options.libs.includes(name));
  const entrantOf = (program: Program): Entrant => {
    const most = Math.min(times, program.times ?? times);
    const contender = { name: program.name, run: () => measure(program, join(folder, program.name), most) };
    const version = program.name === 'node' ? process.versions.node : WEFT_VERSION;
    return { lib: program.name, version, form: '', notes: [], contender };
  };
  const [often, seldom] = [wanted.filter((one) => !one.times), wanted.filter((one) => one.times)];
  try {
    return [
      ...(await runEntrants('launch', `${times} in turn`, often.map(entrantOf), options)),
      ...(await runEntrants('launch', `${Math.min(times, SELDOM)} in turn`, seldom.map(entrantOf), options)),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(program: Program, folder: string, times: number): Promise<Figures> {
  for (let warm = 0; warm < (program.times ? 1 : WARM); warm++) await launch(program, folder);
  const launches: Launch[] = [];
  for (let count = 0; count < times; count++) launches.push(await launch(program, folder));
  const ready = launches.map(({ ms }) => ms);
  const cpu = launches.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / times;
  return { ready_ms: median(ready), slowest_ms: Math.max(...ready), cpu_ms: cpu };
}

interface Launch {
  readonly ms: number;
  readonly cpuMs: number;
}

async function launch({ args, says, name }: Program, folder: string): Promise<Launch> {
  const before = await processorMs('self', 'ofChildren');
  const started = performance.now();
  const child = spawn(process.execPath, args(folder), { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  if (says === undefined) {
    child.stdout.resume();
    mustHold((await ended) === 0, `${name} has failed: see above`);
    const ms = performance.now() - started;
    return { ms, cpuMs: (await processorMs('self', 'ofChildren')) - before };
  }
  try {
    const [line = ''] = await firstLine(child.stdout);
    const ms = performance.now() - started;
    mustHold(says.test(line), `${name} says something else when it is ready: ${line}`);
    return { ms, cpuMs: await processorMs(String(child.pid), 'own') };
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string[]> {
  for await (const line of createInterface({ input: stream })) return [line];
  return [];
}
