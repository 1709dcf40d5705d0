// A room as one file: how long it takes to write, to check and to take in, and how much memory.
import type { Bench, BenchOptions, Column } from '../bench.js';
import { type Entrant, runEntrants } from '../measuring/entrant.js';
import type { Row } from '../results/row.js';
import { BLOB_BYTES, measureArchive } from '../weft/archiving.js';
import { WEFT_VERSION } from '../weft/engine.js';

const NODES = 20_000;
/** Scenarios by their number of blobs, of 4 MB each. */
const SCENARIOS: Readonly<Record<string, number>> = { '64mb': 16, '1gb': 250 };

const columns: readonly Column[] = [
  { figure: 'archive_mb', title: 'archive MB', digits: 0 },
  { figure: 'export_ms', title: 'export ms', digits: 0 },
  { figure: 'export_peak_mb', title: 'peak MB', digits: 0 },
  { figure: 'export_stall_ms', title: 'others wait at most ms', digits: 0 },
  { figure: 'validate_ms', title: 'validate ms', digits: 0 },
  { figure: 'validate_peak_mb', title: 'peak MB', digits: 0 },
  { figure: 'validate_stall_ms', title: 'others wait at most ms', digits: 0 },
  { figure: 'import_ms', title: 'import ms', digits: 0 },
  { figure: 'import_peak_mb', title: 'peak MB', digits: 0 },
  { figure: 'import_stall_ms', title: 'others wait at most ms', digits: 0 },
];

export const archiveBench: Bench = {
  name: 'archive',
  summary: 'a room of 20,000 nodes with 64 MB of blobs, or 1 GB, as an archive and back',
  columns,
  run: runArchive,
};

async function runArchive(options: BenchOptions): Promise<readonly Row[]> {
  const nodes = Math.min(options.edits ?? NODES, NODES);
  const rows: Row[] = [];
  for (const trace of options.traces.length > 0 ? options.traces : ['64mb']) {
    const blobs = SCENARIOS[trace];
    if (blobs === undefined)
      throw new Error(`No scenario is called ${trace}. There are: ${Object.keys(SCENARIOS).join(', ')}`);
    const name = `weft, ${nodes} nodes and ${(blobs * BLOB_BYTES) / 1e6} MB`;
    const contender = { name, run: () => measureArchive(nodes, blobs) };
    const entrant: Entrant = { lib: 'weft', version: WEFT_VERSION, form: 'folder', notes: [], contender };
    rows.push(...(await runEntrants('archive', trace, [entrant], options)));
  }
  return rows;
}
