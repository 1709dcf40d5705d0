import { describe, expect, it } from 'vitest';
import { Random } from '../../crdt/sequence/testing/random.js';
import { createReplica, generateKeys } from '../../peer.js';
import { edit, EDITS, pull, push } from '../../testing/open-rooms.js';
import { newRoom, textOf } from '../../testing/replicas.js';
import type { Replica } from './replica.js';

/** What a store has of a replica: what it saved last, and the rows behind that. */
class Kept {
  saved: Uint8Array;
  rows: Uint8Array[] = [];

  constructor(replica: Replica) {
    this.saved = replica.save();
  }

  take(replica: Replica): void {
    const row = replica.takeRow();
    if (row === 'whole') [this.saved, this.rows] = [replica.save(), []];
    else if (row) this.rows.push(row);
  }
}

describe('rows of a replica', () => {
  it.each(Array.from({ length: 8 }, (_, seed) => seed))(
    '[RE5] open as what it was, behind what it saved, schedule %s',
    async (seed) => {
      const random = new Random(seed);
      const room = await newRoom();
      const [keys, others] = [generateKeys(), generateKeys()];
      let replica = await createReplica({ genesis: room.genesis.pack, keys });
      const other = await createReplica({ genesis: room.genesis.pack, keys: others });
      const kept = new Kept(replica);
      const most = { rows: 0 };
      for (let i = 0; i < 40; i++) {
        const kind = random.pick(EDITS);
        await edit(random.chance(70) ? replica : other, room, { kind, at: random.below(50) });
        if (random.chance(60)) kept.take(replica);
        most.rows = Math.max(most.rows, kept.rows.length);
        if (!random.chance(15)) continue;
        kept.take(replica);
        const unsent = replica.unsent;
        const hash = replica.stateHash;
        replica = await createReplica({ saved: kept.saved, rows: kept.rows, keys });
        expect(replica.stateHash).toBe(hash);
        expect(replica.unsent).toBeGreaterThanOrEqual(unsent);
      }
      expect(most.rows).toBeGreaterThan(2);
      await push(replica, room);
      await push(other, room);
      await pull(replica, room);
      expect(replica.stateHash).toBe(room.stateHash);
      expect(room.forks).toEqual([]);
    },
  );

  it('[RE5] say that only the whole can tell what a refusal has left', async () => {
    const room = await newRoom();
    const replica = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
    expect(replica.takeRow()).toBe('whole');
    replica.save();
    expect(replica.takeRow()).toBeUndefined();
    replica.set('k', 1);
    expect(replica.takeRow()).toBeInstanceOf(Uint8Array);
    const [id] = replica.frontier;
    await replica.seal();
    replica.confirm(undefined, [{ id: id!, reason: 'policy-denied' }]);
    expect(replica.takeRow()).toBe('whole');
  });

  it('[RE5] are read by another key as well, which offers nothing that is not its own', async () => {
    const room = await newRoom();
    const one = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
    one.text('t').insert(0, 'mine');
    const saved = one.save();
    one.text('t').insert(4, ' too');
    const row = one.takeRow() as Uint8Array;
    const other = await createReplica({ saved, rows: [row], keys: generateKeys() });
    expect([textOf(other), other.unsent, await other.seal()]).toEqual(['mine too', 0, undefined]);
    other.text('t').insert(0, '> ');
    expect(other.unsent).toBe(1);
    await push(one, room);
    await push(other, room);
    expect(room.text('t')).toBe('> mine too');
  });
});

describe('held edits', () => {
  it('[RE4] say what was refused, in terms of the application, with the reason', async () => {
    const room = await newRoom();
    const replica = await createReplica({ genesis: room.genesis.pack, keys: generateKeys() });
    const heard: unknown[] = [];
    replica.onRefused((held) => heard.push(...held));
    replica.set('k', 'old');
    await push(replica, room);
    replica.batch(() => {
      replica.set('k', { new: [1] });
      replica.text('t').insert(0, 'text');
      replica.text('t').delete(1, 2);
      replica.list('l').push('item', 2);
      replica.list('l').delete(0);
      replica.set('k', 'newest');
      replica.delete('k');
    });
    const [id] = replica.frontier;
    await replica.seal();
    replica.confirm(undefined, [{ id: id!, reason: 'policy-denied' }]);
    expect([replica.get('k'), textOf(replica)]).toEqual(['old', '']);
    expect(heard).toEqual([
      {
        id,
        reason: 'policy-denied',
        edits: [
          { kind: 'set', key: 'k', value: { new: [1] }, old: 'old' },
          { kind: 'insert-text', key: 't', text: 'text' },
          { kind: 'delete-text', key: 't', count: 2 },
          { kind: 'insert-items', key: 'l', items: ['item'] },
          { kind: 'insert-items', key: 'l', items: [2] },
          { kind: 'delete-items', key: 'l', count: 1 },
          { kind: 'set', key: 'k', value: 'newest', old: { new: [1] } },
          { kind: 'delete', key: 'k', old: 'newest' },
        ],
      },
    ]);
  });
});
