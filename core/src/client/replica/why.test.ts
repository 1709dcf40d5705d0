import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../adapters/memory/memory-store.js';
import { createHost } from '../../engine.js';
import { createReplica, generateKeys } from '../../peer.js';
import type { Replica } from './replica.js';

async function two(): Promise<[Replica, Replica]> {
  const room = await createHost({ store: memoryStore() }).room('room');
  const join = (): Promise<Replica> => createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
  return [await join(), await join()];
}

/** Each hears what the other has written so far. */
async function exchange(one: Replica, other: Replica): Promise<void> {
  const packs = [await one.seal(), await other.seal()];
  one.confirm();
  other.confirm();
  if (packs[0]) await other.receive(packs[0]);
  if (packs[1]) await one.receive(packs[1]);
}

describe('conflicts', () => {
  it('[CF1] are writes of one register that did not know each other, on every replica alike', async () => {
    const [one, other] = await two();
    one.set('k', 'one');
    other.set('k', 'other');
    await exchange(one, other);
    expect(one.conflicts).toEqual([
      { kind: 'overwrite', key: 'k', winner: expect.any(String), loser: expect.any(String) },
    ]);
    expect(other.conflicts).toEqual(one.conflicts);
    expect(one.get('k')).toBe(other.get('k'));
    expect(one.conflicts[0]?.winner).toBe(one.why('k')?.node);
  });

  it('[CF1] are not writes over what the author has seen, nor two in one hand', async () => {
    const [one, other] = await two();
    one.set('k', 1);
    one.set('k', 2);
    await exchange(one, other);
    other.set('k', 3);
    other.delete('k');
    await exchange(one, other);
    expect([one.conflicts, other.conflicts]).toEqual([[], []]);
  });

  it('[CF1] are also moves of one item, and the list shows the winner', async () => {
    const [one, other] = await two();
    one.list('l').push('a', 'b', 'c');
    await exchange(one, other);
    one.list('l').move(0, 2);
    other.list('l').move(0, 1);
    await exchange(one, other);
    expect(one.list('l').toArray()).toEqual(other.list('l').toArray());
    expect(one.conflicts).toEqual([expect.objectContaining({ kind: 'move', key: 'l' })]);
    expect(other.conflicts).toEqual(one.conflicts);
    one.list('l').move(0, 2);
    await exchange(one, other);
    expect(other.conflicts).toHaveLength(1);
  });

  it('[CF1] are kept up to a bound, the newest ones', async () => {
    const [one, other] = await two();
    for (let i = 0; i < 1100; i++) {
      one.set(`k${i}`, 1);
      other.set(`k${i}`, 2);
    }
    await exchange(one, other);
    expect(one.conflicts).toHaveLength(1024);
    expect(one.conflicts.at(-1)?.key).toBe('k1099');
  });
});

describe('why', () => {
  it('[WY1] names the node, its author and what it won over', async () => {
    const [one, other] = await two();
    one.set('k', 'one');
    const losing = one.why('k');
    await exchange(one, other);
    other.set('k', 'other');
    const origin = other.why('k');
    expect(origin).toMatchObject({ lamport: (losing?.lamport ?? 0) + 1, beat: [] });
    expect(origin?.author).not.toBe(losing?.author);
    expect(other.why('never')).toBeUndefined();

    one.set('contested', 1);
    other.set('contested', 2);
    const rivals = [one.why('contested')?.node, other.why('contested')?.node];
    await exchange(one, other);
    const standing = one.why('contested');
    expect(standing?.beat).toEqual(rivals.filter((node) => node !== standing?.node));
  });

  it('[WY1] tells who typed a character and who added an item', async () => {
    const [one, other] = await two();
    one.text('t').insert(0, 'ac');
    one.list('l').push('x');
    await exchange(one, other);
    other.text('t').insert(1, 'b');
    await exchange(one, other);
    const authors = [0, 1, 2].map((at) => one.why('t', { in: 'text', at })?.author);
    expect(authors[0]).toBe(authors[2]);
    expect(authors[1]).not.toBe(authors[0]);
    expect(one.why('l', { in: 'list', at: 0 })?.author).toBe(authors[0]);
    for (const at of [-1, 3, 0.5]) expect(one.why('t', { in: 'text', at })).toBeUndefined();
  });
});
