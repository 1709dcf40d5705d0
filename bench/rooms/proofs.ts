// Proofs of values as they read: what the first one costs, and one more behind a single change. No rival has them.
import { createHost, createReplica, generateKeys } from '@weft/core';
import { memoryStore } from '@weft/core/memory';
import { valueProofs } from '@weft/core/proofs';
import type { Bench, BenchOptions, Column } from '../bench.js';
import { runEntrants } from '../measuring/entrant.js';
import { mustHold, timed } from '../measuring/harness.js';
import { seeded, wholeBelow } from '../measuring/random.js';
import type { Row } from '../results/row.js';
import { type Figures, median, percentile } from '../measuring/statistics.js';
import { readTyping } from '../text/text-edits.js';
import { WEFT_VERSION } from '../weft/engine.js';
import { TEXT_KEY, WeftReplica, manners } from '../weft/text-replica.js';

const KEYS = 100_000;
const TEXT = 'automerge-paper';
const CHANGES = 100;
const ROOM = 'bench';

const columns: readonly Column[] = [
  { figure: 'first_ms', title: 'first proof ms', digits: 0 },
  { figure: 'change_ms', title: 'change and proof ms', digits: 2 },
  { figure: 'change_p99_ms', title: '99 of 100 within', digits: 2 },
  { figure: 'verify_ms', title: 'verify ms', digits: 2 },
  { figure: 'proof_bytes', title: 'proof B', digits: 0 },
];

export const proofsBench: Bench = {
  name: 'proofs',
  summary: 'proofs of values as they read: the first, and one behind each change, of many keys and of a long text',
  columns,
  goals: [],
  run: runProofs,
};

async function runProofs(options: BenchOptions): Promise<readonly Row[]> {
  const { edits } = options;
  const keys = Math.min(edits ?? KEYS, KEYS);
  const typing = readTyping(TEXT, edits);
  const runs = {
    keys: {
      notes: [`${keys} keys`],
      run: () =>
        proofsRun(
          (replica) => replica.batch(() => range(keys).forEach((key) => replica.set(`key-${key}`, key))),
          (replica, at) => {
            replica.set(`key-${at % keys}`, at + 0.5);
            return { key_prefix: `key-${at % keys}`, limit: 1 };
          },
        ),
    },
    text: {
      notes: [`${edits === undefined ? 'all' : `first ${edits}`} edits of ${TEXT}`],
      run: () =>
        proofsRun(
          (replica, genesis) =>
            new WeftReplica(genesis, replica, manners.weft).typeAll(typing.trace.edits.slice(0, edits)),
          (replica, at) => {
            const text = replica.text(TEXT_KEY);
            text.insert(at % (text.length + 1), 'x');
            return { key_prefix: TEXT_KEY, limit: 1 };
          },
        ),
    },
  };
  const rows: Row[] = [];
  for (const name of options.traces.length > 0 ? options.traces : Object.keys(runs)) {
    const one = (runs as Readonly<Record<string, (typeof runs)['keys'] | undefined>>)[name];
    if (one === undefined) throw new Error(`No scenario is called ${name}: ${Object.keys(runs).join(', ')}.`);
    const about = { lib: 'weft', version: WEFT_VERSION, form: '', notes: one.notes };
    const contender = { name: `weft proves ${name}`, run: one.run };
    rows.push(...(await runEntrants('proofs', name, [{ ...about, contender }], options)));
  }
  return rows;
}

const range = (length: number): number[] => Array.from({ length }, (_, at) => at);

type Replica = Awaited<ReturnType<typeof createReplica>>;
interface Asked {
  readonly key_prefix: string;
  readonly limit: number;
}

/** A room that holds what `fill` writes, and proofs of what `change` names, which it has just written. */
async function proofsRun(
  fill: (replica: Replica, genesis: Uint8Array) => void | Promise<unknown>,
  change: (replica: Replica, at: number) => Asked,
): Promise<Figures> {
  const host = createHost({ store: memoryStore() });
  const room = await host.room(ROOM);
  const replica = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
  const push = async () => {
    const { refused } = await room.admit((await replica.seal())!, { from: 'bench' });
    mustHold(refused.length === 0, 'the room refused what was written');
    replica.confirm();
  };
  const prove = async (asked: Asked) => {
    const { events } = await host.submit({ room_id: ROOM, command: { ProveValues: asked } });
    return (events[0] as { ValuesProven: { signed: Uint8Array; proof: Uint8Array } }).ValuesProven;
  };
  await fill(replica, room.genesis.pack);
  await push();
  const first = await timed(() => prove({ key_prefix: '', limit: 1 }));
  const checks = await valueProofs({ room: ROOM, authorities: room.constitution.authorities });
  const random = seeded(52);
  const [changes, verifies, sizes] = [[] as number[], [] as number[], [] as number[]];
  for (let at = 0; at < CHANGES; at++) {
    const asked = change(replica, wholeBelow(random, 1_000_000));
    await push();
    const proof = await timed(() => prove(asked));
    const page = await timed(() => checks.page(proof.result, { prefix: asked.key_prefix }));
    mustHold(page.result?.entries.length === 1, 'a proof proves nothing');
    changes.push(proof.ms);
    verifies.push(page.ms);
    sizes.push(proof.result.proof.length + proof.result.signed.length);
  }
  await host.close();
  return {
    first_ms: first.ms,
    change_ms: median(changes),
    change_p99_ms: percentile(changes, 0.99),
    verify_ms: median(verifies),
    proof_bytes: median(sizes),
  };
}
