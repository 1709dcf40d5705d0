import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReplica, generateKeys } from '../../peer.js';
import { exchange, join, newRoom, sealed } from '../../testing/replicas.js';
import { BlobRef } from '../../crdt/registers.js';
import type { Replica } from './replica.js';

async function three(): Promise<Replica[]> {
  const room = await newRoom();
  return Promise.all([createReplica({ genesis: room.genesis.pack, keys: generateKeys() }), join(room), join(room)]);
}

/** Meetings after which everybody has heard everything. */
const ALL = [
  [0, 1],
  [1, 2],
  [0, 1],
] as const;

/** Replicas that meet two at a time: each hears all that the other has, from whomever. */
async function meet(one: Hearer, other: Hearer): Promise<void> {
  for (const { replica, packs } of [one, other]) {
    const own = await sealed(replica);
    if (own) packs.add(own);
  }
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const)
    for (const pack of from.packs) {
      if (to.packs.has(pack)) continue;
      to.packs.add(pack);
      await to.replica.receive(pack);
    }
}

interface Hearer {
  readonly replica: Replica;
  readonly packs: Set<Uint8Array>;
}

const valuesOf = (replica: Replica): unknown[] => replica.concurrent('k').map(({ value }) => value);

describe('concurrent values', () => {
  it('[CF3] are named with their authors, the one that is shown first, until somebody who knows them writes', async () => {
    const [one, two, three_] = (await three()) as [Replica, Replica, Replica];
    one.set('k', 'one');
    two.setBlob('k', 'ab'.repeat(32));
    three_.set('k', 'three');
    three_.delete('k');
    await exchange(one, two, three_);
    const values = one.concurrent('k');
    expect(values[0]).toMatchObject({ value: one.get('k'), author: one.why('k')?.author, node: one.why('k')?.node });
    expect(new Set(values.map(({ value }) => value))).toEqual(
      new Set(['one', new BlobRef('ab'.repeat(32)), undefined]),
    );
    expect(new Set(values.map(({ author }) => author)).size).toBe(3);
    expect([two.concurrent('k'), three_.concurrent('k')]).toEqual([values, values]);
    two.set('k', 'settled');
    expect(two.concurrent('k')).toEqual([]);
    await exchange(one, two, three_);
    expect([one.concurrent('k'), three_.concurrent('k')]).toEqual([[], []]);
  });

  it('[CF3] are none where nothing was written, or everybody knew', async () => {
    const [one, two] = (await three()) as [Replica, Replica];
    expect(one.concurrent('k')).toEqual([]);
    one.set('k', 1);
    await exchange(one, two);
    two.set('k', 2);
    await exchange(one, two);
    expect([one.concurrent('k'), two.concurrent('k')]).toEqual([[], []]);
  });

  it('[CF3] are those that no other write knew, whatever came in which order', async () => {
    const step = fc.oneof(
      fc.record({ writes: fc.nat(2) }),
      fc.record({ meets: fc.constantFrom([0, 1] as const, [0, 2] as const, [1, 2] as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 20 }), async (steps) => {
        const replicas = await three();
        const hearers = replicas.map((replica): Hearer => ({ replica, packs: new Set() }));
        const known = replicas.map(() => new Set<number>());
        const seenBy: ReadonlySet<number>[] = [];
        for (const one of steps) {
          if ('writes' in one) {
            replicas[one.writes]!.set('k', seenBy.length);
            known[one.writes]!.add(seenBy.push(new Set(known[one.writes])) - 1);
          } else {
            const [a, b]: readonly [number, number] = one.meets;
            await meet(hearers[a]!, hearers[b]!);
            known[a] = new Set([...known[a]!, ...known[b]!]);
            known[b] = new Set(known[a]);
          }
        }
        for (const [a, b] of ALL) await meet(hearers[a]!, hearers[b]!);
        const last = [...seenBy.keys()].filter((write) => !seenBy.some((seen) => seen.has(write)));
        const expected = last.length > 1 ? new Set(last) : new Set();
        for (const replica of replicas) {
          expect(new Set(valuesOf(replica))).toEqual(expected);
          expect(valuesOf(replica)).toEqual(valuesOf(replicas[0]!));
          if (expected.size > 0) expect(valuesOf(replica)[0]).toBe(replica.get('k'));
        }
      }),
      { numRuns: 13 },
    );
  });
});

it('[RE2] values are read from a saved replica before its history is, a list too into which several have put something at one place', async () => {
  const replicas = await three();
  for (const [n, replica] of replicas.entries()) {
    replica.list('l').push(`of ${n}`);
    replica.text('t').insert(0, `of ${n}`);
    replica.set(`k${n}`, { n });
    replica.setBlob(`b${n}`, `${n}`.repeat(64));
  }
  await exchange(...replicas);
  const [one] = replicas;
  const back = await createReplica({ saved: one!.save(), keys: generateKeys() });
  const shown = (of: Replica) => [[...of.entries()], of.list('l').toArray(), of.text('t').toString()];
  expect(shown(back)).toEqual(shown(one!));
  expect(shown(back)[0]).toHaveLength(6);
  back.list('l').push('later');
  expect(back.list('l').toArray()).toEqual([...one!.list('l').toArray(), 'later']);
  expect((await createReplica({ saved: back.save(), keys: generateKeys() })).stateHash).toBe(back.stateHash);
});
