/** One set of nodes, however it is packed, ordered, repeated and lost on the way. */
import { type Pack, type Replica, decodePack, encodePack, toHex } from '@weft/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../convergence/random.js';
import { KEYS, Members, histories } from './members.js';
import { admit, join, reasons } from './support.js';

/** Readings that must not depend on the way. */
const answers = (replica: Replica) => ({
  hash: replica.stateHash,
  frontier: replica.frontier,
  entries: [...replica.entries()],
  texts: KEYS.map((key) => String(replica.text(key))),
  lists: KEYS.map((key) => replica.list(key).toArray()),
});

/** Pack of all that was sent, in the order of sending: every node once, with every seal. */
function together(packs: readonly Uint8Array[]): Pack {
  const nodes = new Map<string, Pack['nodes'][number]>();
  const seals = new Map<string, Uint8Array>();
  for (const pack of packs.map((bytes) => decodePack(bytes))) {
    for (const node of pack.nodes) nodes.set(toHex(node.id), node);
    for (const { index, signature } of pack.seals)
      seals.set(toHex(pack.nodes[index]?.id ?? new Uint8Array()), signature);
  }
  return selected([...nodes.values()], seals);
}

function selected(nodes: Pack['nodes'], seals: ReadonlyMap<string, Uint8Array>): Pack {
  const named = nodes.map(({ id }, index) => ({ index, signature: seals.get(toHex(id)) }));
  return { nodes, seals: named.flatMap(({ index, signature }) => (signature ? [{ index, signature }] : [])) };
}

/** Pack of some nodes of another pack, in this order, each with its seal if it has one. */
function part(pack: Pack, indices: readonly number[]): Uint8Array {
  const seals = new Map(pack.seals.map(({ index, signature }) => [index, signature]));
  return encodePack({
    nodes: indices.flatMap((index) => pack.nodes[index] ?? []),
    seals: indices.flatMap((index, place) => {
      const signature = seals.get(index);
      return signature ? [{ index: place, signature }] : [];
    }),
  });
}

/** Indices of each run: a sealed node and what it stands on along `prev`, back to the seal before. */
function runsOf({ nodes, seals }: Pack): number[][] {
  const places = new Map(nodes.map(({ id }, index) => [toHex(id), index]));
  const sealed = new Set(seals.map(({ index }) => index));
  return seals.map(({ index }) => {
    const run = [index];
    for (let prev = nodes[index]?.prev; prev; prev = nodes[run[0] ?? -1]?.prev) {
      const before = places.get(toHex(prev));
      if (before === undefined || sealed.has(before)) break;
      run.unshift(before);
    }
    return run;
  });
}

/** Delivers whole runs, joined at random, lost and repeated now and then, until everything is taken. */
async function deliverRuns(replica: Replica, pack: Pack, random: Random): Promise<void> {
  let rounds = 0;
  for (let left = runsOf(pack); left.length > 0;) {
    if (++rounds > 500) throw new Error(`${left.length} runs are refused for ever`);
    const order = random.shuffled(left);
    left = [];
    while (order.length > 0) {
      const runs = order.splice(0, 1 + random.below(4));
      if (random.chance(20)) {
        left.push(...runs);
        continue;
      }
      const { refused } = await replica.receive(part(pack, random.shuffled(runs).flat()));
      const lost = new Set<string>(refused.map(({ id }) => id));
      left.push(...runs.filter((run) => random.chance(10) || run.some((index) => lost.has(idAt(pack, index)))));
    }
  }
}

const idAt = ({ nodes }: Pack, index: number): string => toHex(nodes[index]?.id ?? new Uint8Array());

describe('one set of nodes', () => {
  it('[MP2] gives one state in any order of runs, in any packs, lost and repeated [fault 13]', async () => {
    await fc.assert(
      fc.asyncProperty(histories(80), fc.nat(), async (history, seed) => {
        const random = new Random(seed);
        const { room, packs } = await Members.after(history);
        const whole = together(packs);
        const [first, second, third] = [await join(room, 7), await join(room, 8), await join(room, 9)];
        for (const pack of packs) await first.receive(pack);
        expect(reasons(await second.receive(encodePack(whole)))).toEqual([]);
        await deliverRuns(third, whole, random);
        expect(answers(second)).toEqual(answers(first));
        expect(answers(third)).toEqual(answers(first));
      }),
      { numRuns: 7 },
    );
  });

  it('[AD3] gives one state after any scraps of it, of which all that does not stand is refused', async () => {
    await fc.assert(
      fc.asyncProperty(histories(80), fc.nat(), async (history, seed) => {
        const random = new Random(seed);
        const { room, packs } = await Members.after(history);
        const whole = together(packs);
        const [reader, expected] = [await join(room, 8), await join(room, 9)];
        await expected.receive(encodePack(whole));
        const indices = [...whole.nodes.keys()];
        for (let scraps = 0; scraps < 12; scraps++) {
          const some = random.shuffled(indices).filter(() => random.chance(40));
          // Seldom at random; else in order, so that whole runs are among them.
          const scrap = random.chance(30) ? some : some.sort((a, b) => a - b);
          const verdict = await reader.receive(part(whole, scrap));
          for (const reason of reasons(verdict))
            expect(['missing-parent', 'unsealed', 'run-refused']).toContain(reason);
        }
        expect(reasons(await reader.receive(encodePack(whole)))).toEqual([]);
        expect(answers(reader)).toEqual(answers(expected));
      }),
      { numRuns: 7 },
    );
  });

  it('[MP2] is the same on a server that got it run by run, and in the history that it sends on', async () => {
    await fc.assert(
      fc.asyncProperty(histories(80), fc.nat(), async (history, seed) => {
        const { room, packs } = await Members.after(history);
        const whole = together(packs);
        fc.pre(whole.nodes.length > 0);
        const random = new Random(seed);
        for (let left = runsOf(whole); left.length > 0;) {
          const refused: number[][] = [];
          for (const run of random.shuffled(left)) {
            if (reasons(await admit(room, part(whole, run))).length > 0) refused.push(run);
          }
          if (refused.length === left.length) throw new Error(`${left.length} runs are refused for ever`);
          left = refused;
        }
        const [reader, expected] = [await join(room, 8), await join(room, 9)];
        await expected.receive(encodePack(whole));
        for (const pack of room.packs()) expect(reasons(await reader.receive(pack))).toEqual([]);
        expect(answers(reader)).toEqual(answers(expected));
        expect([room.stateHash, room.heads.frontier]).toEqual([expected.stateHash, expected.frontier]);
      }),
      { numRuns: 5 },
    );
  });

  it('[ND7] takes counters from links, not from what a pack says of them', async () => {
    await fc.assert(
      fc.asyncProperty(histories(60), fc.nat(50), async (history, counter) => {
        const { room, packs } = await Members.after(history);
        const whole = together(packs);
        const lying = { ...whole, nodes: whole.nodes.map((node) => ({ ...node, counter })) };
        const [reader, expected] = [await join(room, 8), await join(room, 9)];
        await expected.receive(encodePack(whole));
        expect(reasons(await reader.receive(encodePack(lying)))).toEqual([]);
        expect(answers(reader)).toEqual(answers(expected));
      }),
      { numRuns: 5 },
    );
  });
});
