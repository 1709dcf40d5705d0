// The hash of everything that a room resolves to, and proofs under it. No rival has one, so Weft alone takes part.
import type { Bench, BenchOptions, Column } from '../bench.js';
import type { Goal } from '../results/goals.js';
import { runEntrants } from '../measuring/entrant.js';
import type { Row } from '../results/row.js';
import { keysRun } from './state-keys.js';
import { keystrokesRun } from './state-text.js';
import { WEFT_VERSION } from '../weft/engine.js';

const KEYS = 1_000_000;
/** Edits of automerge-paper: they leave a text of about 100 KB, in as many pieces as somebody who wrote it leaves. */
const TEXT = 'automerge-paper';

const columns: readonly Column[] = [
  { figure: 'build_ops_s', title: 'built /s', digits: 0 },
  { figure: 'first_hash_ms', title: 'first hash ms', digits: 0 },
  { figure: 'change_ms', title: 'change and hash ms', digits: 3 },
  { figure: 'change_p99_ms', title: '99 of 100 within', digits: 3 },
  { figure: 'key_bytes', title: 'B per key', digits: 0 },
  { figure: 'hash_key_bytes', title: 'of them for the hash', digits: 0 },
  { figure: 'text_bytes', title: 'text B', digits: 0 },
  { figure: 'prove_ms', title: 'prove ms', digits: 3 },
  { figure: 'proof_bytes', title: 'proof B', digits: 0 },
  { figure: 'verify_ms', title: 'verify ms', digits: 3 },
];

const goals: readonly Goal[] = [
  { figure: 'change_ms', of: 'weft', most: 0.02 },
  { figure: 'hash_key_bytes', of: 'weft', most: 130 },
];

export const stateBench: Bench = {
  name: 'state',
  summary: 'the state hash after one change of a million keys or of a long text; proofs (choose with --trace)',
  columns,
  goals,
  run: runState,
};

async function runState(options: BenchOptions): Promise<readonly Row[]> {
  const { edits } = options;
  const keys = Math.min(edits ?? KEYS, KEYS);
  const runs = {
    keys: { notes: [`${keys} keys`], run: () => keysRun(keys) },
    text: {
      notes: [`${edits === undefined ? 'all' : `first ${edits}`} edits of ${TEXT}`],
      run: keystrokesRun(TEXT, edits),
    },
  };
  const rows: Row[] = [];
  for (const name of options.traces.length > 0 ? options.traces : Object.keys(runs)) {
    const one = (runs as Readonly<Record<string, (typeof runs)['keys'] | undefined>>)[name];
    if (one === undefined) throw new Error(`No scenario is called ${name}: ${Object.keys(runs).join(', ')}.`);
    const about = { lib: 'weft', version: WEFT_VERSION, form: '', notes: one.notes };
    const contender = { name: `weft hashes ${name}`, run: one.run };
    rows.push(...(await runEntrants('state', name, [{ ...about, contender }], options)));
  }
  return rows;
}
