// Two replicas of a room find out what each lacks. What they send after that, the nodes, is the same for everybody and is
// not counted.
import { HeldIds, idsOf, lackedBy, talk } from '@weft/core/testing';
import type { Bench, BenchOptions, Column } from '../bench.js';
import { type Entrant, runEntrants } from '../measuring/entrant.js';
import { mustHold } from '../measuring/harness.js';
import { type Difference, type Graph, differences, replicasOf } from './reconcile-rooms.js';
import type { Row } from '../results/row.js';
import { type Figures, median } from '../measuring/statistics.js';
import { WEFT_VERSION } from '../weft/engine.js';

const SIZES: Readonly<Record<string, number>> = { '10k': 10_000, '100k': 100_000, '1m': 1_000_000 };
const USUAL = ['10k', '100k'];
const DIALOGUES = 25;

const columns: readonly Column[] = [
  { figure: 'bytes', title: 'bytes', digits: 0 },
  { figure: 'round_trips', title: 'round trips', digits: 1 },
  { figure: 'answer_ms', title: 'CPU of the answering side ms', digits: 2 },
  { figure: 'keyed_bytes', title: 'under a key: bytes', digits: 0 },
  { figure: 'keyed_answer_ms', title: 'CPU ms', digits: 1 },
  { figure: 'symbols_us', title: 'symbols µs per node', digits: 2 },
  { figure: 'filter_us', title: 'filter µs', digits: 2 },
  { figure: 'tree_us', title: 'tree µs', digits: 2 },
  { figure: 'tree_bytes', title: 'tree B per node', digits: 0 },
];

export const reconcileBench: Bench = {
  name: 'reconcile',
  summary: 'two replicas find out what each lacks; of 10k and 100k nodes (or 1m, with --trace)',
  columns,
  run: runReconcile,
};

async function runReconcile(options: BenchOptions): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const name of options.traces.length > 0 ? options.traces : USUAL) {
    const nodes = SIZES[name];
    if (nodes === undefined) throw new Error(`No scenario is called ${name}: ${Object.keys(SIZES).join(', ')}.`);
    const size = Math.min(options.edits ?? nodes, nodes);
    for (const difference of differences)
      rows.push(...(await runEntrants('reconcile', name, [entrant(difference, size)], options)));
  }
  return rows;
}

function entrant(difference: Difference, size: number): Entrant {
  let made: Pair | undefined;
  const run = async (): Promise<Figures> => measure((made ??= pairOf(difference, size)));
  const contender = { name: `weft, ${difference.name} of ${size}`, run };
  return { lib: 'weft', version: WEFT_VERSION, form: difference.name, notes: [], contender };
}

interface Pair {
  readonly asking: HeldIds;
  readonly asked: Graph;
  readonly differences: readonly string[];
}

function pairOf(difference: Difference, size: number): Pair {
  const { asking, asked } = replicasOf(difference, size);
  const differences = [lackedBy(asking, asked).join(), lackedBy(asked, asking).join()];
  return { asking: new HeldIds(asking), asked, differences };
}

function measure(pair: Pair): Figures {
  const asked = new HeldIds(pair.asked);
  const follow = { symbols_us: follows(asked, () => asked.symbols.asOf(asked.graph.settled).upTo(1)) };
  const plain = converse(pair, asked, DIALOGUES, false);
  const keyed = converse(pair, asked, 3, true);
  return {
    ...plain,
    keyed_bytes: keyed.bytes,
    keyed_answer_ms: keyed.answer_ms,
    ...follow,
    filter_us: follows(asked, () => asked.filters.encode(0)),
    tree_us: follows(asked, () => asked.tree.root),
    tree_bytes: asked.tree.memory / asked.graph.settled,
  };
}

function converse({ asking, differences }: Pair, asked: HeldIds, times: number, keyed: boolean) {
  const dialogues = Array.from({ length: times }, () => talk(asking, asked, { keyed }));
  for (const { sends, answers } of [dialogues[0]!, dialogues.at(-1)!]) {
    const found = [idsOf(asking.graph, sends).join(), idsOf(asked.graph, answers).join()];
    mustHold(found.join(' ') === differences.join(' '), 'the two sides do not end with equal sets');
  }
  return {
    bytes: median(dialogues.map(({ bytes }) => bytes)),
    round_trips: median(dialogues.map(({ steps }) => steps.length / 2)),
    answer_ms: median(dialogues.map(({ answeringMs }) => answeringMs)),
  };
}

/** Microseconds of CPU for each node. */
function follows({ graph }: HeldIds, action: () => unknown): number {
  const started = process.cpuUsage();
  action();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / graph.settled;
}
