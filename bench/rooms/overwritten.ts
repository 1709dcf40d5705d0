// What is kept of values that were overwritten: a room of a few keys that were written to for long, opened again.
import type { Bench, BenchOptions, Column } from '../bench.js';
import { type Entrant, runEntrants } from '../measuring/entrant.js';
import type { Goal } from '../results/goals.js';
import type { Row } from '../results/row.js';
import { WEFT_VERSION } from '../weft/engine.js';
import { KEYS, measureOverwriting } from '../weft/overwriting.js';

const WRITES = 1_000_000;

/** Row of a room in which every key is written once: all that it holds is of now. */
const ONCE = 'weft keys';

const columns: readonly Column[] = [
  { figure: 'open_ms', title: 'opened ms', digits: 0 },
  { figure: 'resident_mb', title: 'resident MB over an empty process', digits: 0 },
  { figure: 'buffers_mb', title: 'of these buffers', digits: 0 },
  { figure: 'heap_mb', title: 'heap', digits: 1 },
  { figure: 'key_bytes', title: 'B a key beside its value', digits: 0 },
  { figure: 'image_mb', title: 'image MB', digits: 0 },
  { figure: 'ids_mb', title: 'files of ids MB', digits: 0 },
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
  { figure: 'open_ms', of: ONCE, most: 200 },
  { figure: 'key_bytes', of: ONCE, most: 80 },
];

export const overwrittenBench: Bench = {
  name: 'overwritten',
  summary: `${WRITES / 1e6} million overwrites of ${KEYS} keys, and as many keys written once, opened by another process; --edits 10000000 makes it ten`,
  columns,
  goals,
  run: runOverwritten,
};

function runOverwritten(options: BenchOptions): Promise<readonly Row[]> {
  const writes = options.edits ?? WRITES;
  const about = { version: WEFT_VERSION, form: 'level', notes: [] };
  const overwritten = { name: `weft, ${writes} overwrites`, run: () => measureOverwriting(writes, KEYS) };
  const once = { name: `weft, ${writes} keys`, run: () => measureOverwriting(writes, writes) };
  const entrants: readonly Entrant[] = [
    { ...about, lib: 'weft', contender: overwritten },
    { ...about, lib: ONCE, contender: once },
  ];
  const wanted = entrants.filter(({ lib }) => options.libs.length === 0 || options.libs.includes(lib));
  return runEntrants('overwritten', `${writes} writes, ${KEYS} keys`, wanted, options);
}
