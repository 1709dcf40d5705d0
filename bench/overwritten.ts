// What is kept of values that were overwritten: a room of a few keys that were written to for long, opened again.
import type { Bench, BenchOptions, Column } from './bench.js';
import { type Entrant, runEntrants } from './entrant.js';
import type { Goal } from './goals.js';
import type { Row } from './row.js';
import { WEFT_VERSION } from './weft/engine.js';
import { KEYS, measureOverwriting } from './weft/overwriting.js';

const WRITES = 1_000_000;

const columns: readonly Column[] = [
  { figure: 'open_ms', title: 'opened ms', digits: 0 },
  { figure: 'resident_mb', title: 'resident MB over an empty process', digits: 0 },
  { figure: 'buffers_mb', title: 'of these buffers', digits: 0 },
  { figure: 'heap_mb', title: 'heap', digits: 1 },
  { figure: 'image_mb', title: 'image MB', digits: 0 },
  { figure: 'log_mb', title: 'log MB', digits: 1 },
  { figure: 'past_ms', title: 'as of the middle ms', digits: 0 },
  { figure: 'kept_open_ms', title: 'with all values in memory: opened ms', digits: 0 },
  { figure: 'kept_resident_mb', title: 'resident MB', digits: 0 },
  { figure: 'kept_image_mb', title: 'image MB', digits: 0 },
  { figure: 'writer_peak_mb', title: 'most while written, MB', digits: 0 },
];

const goals: readonly Goal[] = [
  { figure: 'resident_mb', of: 'weft', most: 60 },
  { figure: 'open_ms', of: 'weft', most: 150 },
];

export const overwrittenBench: Bench = {
  name: 'overwritten',
  summary: `${WRITES / 1e6} million overwrites of ${KEYS} keys, opened by another process; --edits 10000000 makes it ten`,
  columns,
  goals,
  run: runOverwritten,
};

function runOverwritten(options: BenchOptions): Promise<readonly Row[]> {
  const writes = options.edits ?? WRITES;
  const contender = { name: `weft, ${writes} overwrites`, run: () => measureOverwriting(writes) };
  const entrant: Entrant = { lib: 'weft', version: WEFT_VERSION, form: 'level', notes: [], contender };
  return runEntrants('overwritten', `${writes} of ${KEYS} keys`, [entrant], options);
}
