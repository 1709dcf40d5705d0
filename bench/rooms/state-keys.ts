// Registers: one changes among very many.
import { type Replica, verifyRegister } from '@weft/core';
import { collectGarbage, mustHold, perSecond, timed } from '../measuring/harness.js';
import { seeded, wholeBelow } from '../measuring/random.js';
import { type Figures, median, percentile } from '../measuring/statistics.js';
import { newGenesis, newReplica, packOf, receiveWhole } from '../weft/engine.js';

const CHANGES = 1_000;
const PROOFS = 1_000;

const keyOf = (number: number): string => `key-${number}`;

export async function keysRun(keys: number): Promise<Figures> {
  const genesis = await newGenesis();
  const replica = await newReplica(genesis);
  const empty = memoryInUse();
  const { ms: buildMs } = await timed(() => {
    replica.batch(() => {
      for (let number = 0; number < keys; number += 1) replica.set(keyOf(number), number);
    });
  });
  const built = memoryInUse();
  const { ms: firstMs } = await timed(() => replica.stateHash);
  const hashed = memoryInUse();
  const changes = await changeSome(replica, keys);
  const proofs = await proveSome(replica, keys);

  const reader = await newReplica(genesis);
  await receiveWhole(reader, await packOf(replica));
  mustHold(reader.stateHash === replica.stateHash, 'a reader of all of it ends with another state hash');
  return {
    build_ops_s: perSecond(keys, buildMs),
    first_hash_ms: firstMs,
    ...changes,
    key_bytes: (hashed - empty) / keys,
    hash_key_bytes: (hashed - built) / keys,
    ...proofs,
  };
}

/** Changes of one key after the other, spread over all of them; the hash is asked for after each. */
async function changeSome(replica: Replica, keys: number): Promise<Figures> {
  const random = seeded(50);
  const seen = new Set([replica.stateHash]);
  const times: number[] = [];
  await timed(() => {
    for (let change = 0; change < CHANGES; change += 1) {
      const key = keyOf(wholeBelow(random, keys));
      const started = performance.now();
      replica.set(key, keys + change);
      const hash = replica.stateHash;
      times.push(performance.now() - started);
      seen.add(hash);
    }
  });
  mustHold(seen.size === CHANGES + 1, 'a change left the state hash as it was');
  return { change_ms: median(times), change_p99_ms: percentile(times, 0.99) };
}

async function proveSome(replica: Replica, keys: number): Promise<Figures> {
  const random = seeded(51);
  const { stateHash } = replica;
  const chosen = Array.from({ length: PROOFS }, () => keyOf(wholeBelow(random, keys)));
  const { ms: proveMs, result: proven } = await timed(() => chosen.map((key) => ({ key, ...replica.prove(key) })));
  const { ms: verifyMs, result: held } = await timed(
    () => proven.filter(({ key, value, proof }) => verifyRegister(proof, stateHash, key, value)).length,
  );
  mustHold(held === PROOFS, `${held} of ${PROOFS} proofs hold`);
  const lies = proven.filter(({ key, proof }) => verifyRegister(proof, stateHash, key, Uint8Array.of(0xc0)));
  mustHold(lies.length === 0, `${lies.length} proofs hold for another value`);
  return {
    prove_ms: proveMs / PROOFS,
    proof_bytes: median(proven.map(({ proof }) => proof.length)),
    verify_ms: verifyMs / PROOFS,
  };
}

/** Columns lie in buffers, which the heap alone does not show. */
function memoryInUse(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
