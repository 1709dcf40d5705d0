// What confining adds to a program: a shell that does nothing, begun with confinement and without, in turn.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  NodeEgress,
  NodeProcesses,
  type ProcessOptions,
  findConfinement,
  groupParents,
  nodeRunner,
} from '@weft/studio/testing';
import type { Bench, BenchOptions, Column } from '../bench.js';
import { runEntrants } from '../measuring/entrant.js';
import type { Goal } from '../results/goals.js';
import { collectGarbage, mustHold } from '../measuring/harness.js';
import { processorMs } from '../measuring/processor-ticks.js';
import type { Row } from '../results/row.js';
import { type Figures, median } from '../measuring/statistics.js';
import { WEFT_VERSION } from '../weft/engine.js';

const PROGRAMS = 100;
/** Programs of one kind one after the other, before those of the other kind: ticks of a processor are too long to clock one. */
const IN_A_ROW = 10;

const columns: readonly Column[] = [
  { figure: 'plain_ms', title: 'plain ms', digits: 1 },
  { figure: 'confined_ms', title: 'confined ms', digits: 1 },
  { figure: 'added_ms', title: 'added ms', digits: 1 },
  { figure: 'plain_cpu_ms', title: 'plain CPU ms', digits: 1 },
  { figure: 'confined_cpu_ms', title: 'confined CPU ms', digits: 1 },
  { figure: 'added_cpu_ms', title: 'added CPU ms', digits: 1 },
  { figure: 'ungrouped_added_ms', title: 'added without groups ms', digits: 1 },
];

const goals: readonly Goal[] = [
  { figure: 'added_ms', of: 'weft', most: 15 },
  { figure: 'ungrouped_added_ms', of: 'weft', most: 15 },
];

export const sandboxBench: Bench = {
  name: 'sandbox',
  summary: 'what confining a program adds to it; Linux with bubblewrap',
  columns,
  goals,
  run: runSandbox,
};

async function runSandbox(options: BenchOptions): Promise<readonly Row[]> {
  const programs = Math.min(options.edits ?? PROGRAMS, PROGRAMS);
  const contender = { name: 'weft', run: () => measure(programs) };
  const about = { lib: 'weft', version: WEFT_VERSION, form: 'bubblewrap', notes: [] };
  return runEntrants('sandbox', `${programs} programs of each kind`, [{ ...about, contender }], options);
}

interface Kind {
  readonly took: number[];
  cpuMs: number;
  readonly launch: () => Promise<void>;
}

async function measure(programs: number): Promise<Figures> {
  const base = await mkdtemp(join(tmpdir(), 'weft-bench-'));
  const egress = await NodeEgress.open(join(base, 'egress'), { hosts: ['registry.example'] });
  const confinement = await findConfinement(join(base, 'own'));
  mustHold(confinement.kind === 'bubblewrap', `bubblewrap does not confine here: ${JSON.stringify(confinement)}`);
  const opened: NodeProcesses[] = [];
  const kind = async (name: string, options: ProcessOptions): Promise<Kind> => {
    const folder = join(base, name, 'work');
    await mkdir(folder, { recursive: true });
    const processes = new NodeProcesses(join(base, name, 'own'), options);
    opened.push(processes);
    await processes.recover();
    const runner = nodeRunner(processes);
    const program = { folder, command: 'echo done', caches: 'bench', timeoutMs: 20_000, mostBytes: 4096 };
    const launch = async (): Promise<void> => {
      const { stdOut, stdErr } = await (await runner.run(program)).ended;
      mustHold(stdOut === 'done\n', `a program has said ${stdOut}${stdErr}`);
    };
    return { took: [], cpuMs: 0, launch };
  };
  try {
    const plain = await kind('plain', {});
    const confined = await kind('confined', { confinement, egress, groups: await groupParents() });
    // A machine on which no control group may be made.
    const ungrouped = await kind('ungrouped', { confinement, egress });
    const kinds = [plain, confined, ungrouped];
    for (const { launch } of [...kinds, ...kinds]) await launch();
    for (let done = 0; done < programs; done += IN_A_ROW)
      for (const one of kinds) await launchInARow(one, Math.min(IN_A_ROW, programs - done));
    const [plain_ms, confined_ms] = [median(plain.took), median(confined.took)];
    const [plain_cpu_ms, confined_cpu_ms] = [plain.cpuMs / programs, confined.cpuMs / programs];
    return {
      plain_ms,
      confined_ms,
      added_ms: confined_ms - plain_ms,
      plain_cpu_ms,
      confined_cpu_ms,
      added_cpu_ms: confined_cpu_ms - plain_cpu_ms,
      ungrouped_added_ms: median(ungrouped.took) - plain_ms,
    };
  } finally {
    await Promise.all(opened.map((processes) => processes.close()));
    await egress.close();
    await rm(base, { recursive: true, force: true });
  }
}

async function launchInARow(kind: Kind, times: number): Promise<void> {
  collectGarbage();
  const before = await cpuMs();
  for (let n = 0; n < times; n++) {
    const started = performance.now();
    await kind.launch();
    kind.took.push(performance.now() - started);
  }
  kind.cpuMs += (await cpuMs()) - before;
}

async function cpuMs(): Promise<number> {
  return (await processorMs('self', 'own')) + (await processorMs('self', 'ofChildren'));
}
