// Children of a large room, and one of them merged back.
import type { Bench, BenchOptions, Column } from '../bench.js';
import { type Entrant, runEntrants } from '../measuring/entrant.js';
import { editText } from '../text/opening.js';
import type { Row } from '../results/row.js';
import { WEFT_VERSION } from '../weft/engine.js';
import { measureFamily } from '../weft/family.js';
import { RoomOnDisk } from '../weft/opening.js';

const NODES = 260_000;

const columns: readonly Column[] = [
  { figure: 'create_ms', title: 'a child ms', digits: 2 },
  { figure: 'children_mb', title: '1,000 children MB', digits: 0 },
  { figure: 'open_ms', title: 'one opened ms', digits: 0 },
  { figure: 'validate_ms', title: '1,000 nodes validated ms', digits: 1 },
  { figure: 'apply_ms', title: 'applied ms', digits: 1 },
];

export const topologyBench: Bench = {
  name: 'topology',
  summary: '1,000 children of a room of 260,000 nodes, and 1,000 nodes promoted',
  columns,
  run: runTopology,
};

async function runTopology(options: BenchOptions): Promise<readonly Row[]> {
  const nodes = Math.min(options.edits ?? NODES, NODES);
  const room = await RoomOnDisk.make(nodes, editText);
  const contender = { name: `weft, children of ${nodes} nodes`, run: () => measureFamily(room) };
  const entrant: Entrant = { lib: 'weft', version: WEFT_VERSION, form: 'level', notes: [], contender };
  return runEntrants('topology', 'text', [entrant], options).finally(() => room.remove());
}
