// Graphs as nobody types them: very long, very wide, and with everything at one place.
import type { Bench, BenchOptions, Column } from '../bench.js';
import { type Entrant, runEntrants } from '../measuring/entrant.js';
import type { Goal } from '../results/goals.js';
import { mapEntrants } from './graph-map.js';
import { chainEntrants, headEntrants } from './graph-shapes.js';
import { backwardsEntrants, siblingEntrants } from './graph-text.js';
import type { Row } from '../results/row.js';

const columns: readonly Column[] = [
  { figure: 'local_ops_s', title: 'written /s', digits: 0 },
  { figure: 'seal_pack_ms', title: 'seal and pack ms', digits: 0 },
  { figure: 'pack_ms', title: 'pack ms', digits: 0 },
  { figure: 'message_bytes', title: 'message B', digits: 1 },
  { figure: 'pack_bytes', title: 'packs B', digits: 0 },
  { figure: 'remote_ops_s', title: 'received /s', digits: 0 },
  { figure: 'remote_ms', title: 'the same, ms', digits: 0 },
  { figure: 'whole_ms', title: 'as one pack, ms', digits: 0 },
  { figure: 'merge_ms', title: 'merged ms', digits: 1 },
  { figure: 'merge_receive_ms', title: 'merge received ms', digits: 1 },
  { figure: 'pieces', title: 'pieces', digits: 0 },
];

const goals: readonly Goal[] = [
  { figure: 'remote_ops_s', of: 'weft', trace: 'map', least: 1_000_000 },
  { figure: 'whole_ms', of: 'weft', trace: 'heads', most: 300 },
  { figure: 'remote_ms', of: 'weft', trace: 'siblings', most: 400 },
];

type Entrants = readonly Entrant[];
const scenarios: Readonly<Record<string, (options: BenchOptions) => Entrants | Promise<Entrants>>> = {
  chain: chainEntrants,
  heads: headEntrants,
  siblings: siblingEntrants,
  backwards: backwardsEntrants,
  map: mapEntrants,
};

export const graphBench: Bench = {
  name: 'graph',
  summary: 'long, wide and crowded graphs: chain, heads, siblings, backwards, map (choose with --trace)',
  columns,
  goals,
  run: runGraph,
};

async function runGraph(options: BenchOptions): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const name of options.traces.length > 0 ? options.traces : Object.keys(scenarios)) {
    const entrantsOf = scenarios[name];
    if (entrantsOf === undefined)
      throw new Error(`No scenario is called ${name}: ${Object.keys(scenarios).join(', ')}.`);
    const cut = options.edits === undefined ? [] : [`cut to ${options.edits}`];
    const entrants = (await entrantsOf(options)).map((one) => ({ ...one, notes: [...cut, ...one.notes] }));
    rows.push(...(await runEntrants('graph', name, entrants, options)));
  }
  return rows;
}
