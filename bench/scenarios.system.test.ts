// The benches of Weft alone, each in small: every run checks its own result, so a run that succeeds says that.
import { beforeAll, describe, expect, it } from 'vitest';
import type { BenchOptions } from './bench.js';
import { graphBench } from './rooms/graph.js';
import { growthBench } from './rooms/growth.js';
import { hostBench } from './rooms/host.js';
import { launchBench } from './servers/launch.js';
import { sandboxBench } from './studio/sandbox.js';
import { packBench } from './rooms/pack.js';
import { queryBench } from './rooms/query.js';
import { reconcileBench } from './rooms/reconcile.js';
import { stateBench } from './rooms/state.js';
import { readTyping } from './text/text-edits.js';
import { besideText, takesPart } from './weft/beside-text.js';
import { withCollector } from './measuring/with-collector.js';
import { workspaceBench } from './studio/workspace.js';

const small: BenchOptions = {
  rivals: false,
  libs: ['weft'],
  traces: [],
  edits: 300,
  repeat: 1,
  progress: () => undefined,
};

beforeAll(withCollector);

describe.each([
  [graphBench, ['chain', 'heads', 'siblings', 'backwards', 'map'], ['remote_ops_s']],
  [stateBench, ['keys', 'text'], ['change_ms']],
  [packBench, ['sveltecomponent'], ['pack_bytes']],
  [reconcileBench, ['10k', '100k'], ['bytes', 'keyed_bytes']],
  [queryBench, ['registers'], ['build_ms', 'past_ms']],
  [growthBench, ['rooms', 'peers', 'entering', 'events'], ['size', 'ms']],
  [hostBench, ['commands'], ['frontier_us', 'sets_s']],
  [workspaceBench, ['300 files'], ['open_ms', 'snapshot_ms', 'radar_ms', 'radar_step_ms']],
] as const)('$name', (bench, traces, figures) => {
  it.each(traces)('%s comes to what it must', async (trace) => {
    const rows = await bench.run({ ...small, traces: [trace] });
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      expect(row).toMatchObject({ bench: bench.name, lib: 'weft', trace, checked: true, runs: 1 });
      for (const figure of figures) expect(row.figures[figure]).toBeGreaterThan(0);
    }
  });
});

describe('growth', () => {
  it('agents are put to work until each waits for its model', async () => {
    const rows = await growthBench.run({ ...small, traces: ['agents'], edits: 12 });
    expect(rows.map(({ figures }) => figures['size'])).toEqual([1, 10, 12]);
    for (const { checked, figures } of rows) expect([checked, figures['ms']! > 0]).toEqual([true, true]);
  });
});

describe('launch', () => {
  it('a command that ends and a server that is ready are clocked from nothing', async () => {
    const rows = await launchBench.run({ ...small, libs: ['node', 'weft --help', 'weft serve'], edits: 1 });
    expect(rows.map(({ lib, checked }) => `${lib} ${checked}`)).toEqual([
      'node true',
      'weft --help true',
      'weft serve true',
    ]);
    for (const { figures } of rows) expect(figures['ready_ms']).toBeGreaterThan(0);
  });
});

describe('sandbox', () => {
  it('programs with confinement and without it are clocked in turn', async () => {
    const [row] = await sandboxBench.run({ ...small, edits: 2 });
    expect(row).toMatchObject({ bench: 'sandbox', lib: 'weft', checked: true, runs: 1 });
    for (const figure of ['plain_ms', 'confined_ms', 'confined_cpu_ms'])
      expect(row?.figures[figure]).toBeGreaterThan(0);
  });
});

describe('choosing a scenario', () => {
  it.each([graphBench, stateBench, reconcileBench])('$name says which there are', async (bench) => {
    await expect(bench.run({ ...small, traces: ['spiral'] })).rejects.toThrow('No scenario is called spiral');
  });
});

describe('beside the engines of `text`', () => {
  it('bare verification and the way through a room are measured and checked', async () => {
    const entrants = besideText(readTyping('sveltecomponent', 300));
    const figures = await Promise.all(entrants.map(({ contender }) => contender.run()));
    expect(entrants.map(({ lib, form }) => `${lib}, ${form}`)).toEqual([
      'ed25519, one by one',
      'ed25519, 64 at once',
      'weft, through a room',
      'weft sealed, through a room',
      'weft batched, through a room',
    ]);
    expect(figures.map(({ verify_s, room_ops_s }) => (verify_s ?? room_ops_s ?? 0) > 0)).not.toContain(false);
  });

  it('stand there with Weft alone', () => {
    expect(takesPart([])).toBe(true);
    expect(takesPart(['yjs', 'weft sealed'])).toBe(true);
    expect(takesPart(['yjs'])).toBe(false);
  });
});
