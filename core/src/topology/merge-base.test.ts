import { describe, expect, it } from 'vitest';
import { BlobRef } from '../crdt/registers.js';
import { createReplica, generateKeys } from '../peer.js';
import { Family, push } from '../testing/families.js';

const conflict = expect.objectContaining({ reason: 'reject.promotion_apply_conflict' });

describe('a child that lives long', () => {
  it('[TP8] goes on being promoted after a conflict was merged, and what it writes then stands', async () => {
    const family = await Family.make();
    const { parent } = family;
    await family.writeInChild((replica) => replica.set('both', 'child'));
    await family.writeInParent((replica) => ['a', 'b', 'c'].forEach((value) => replica.set('both', value)));
    await expect(family.promote()).rejects.toEqual(conflict);
    await family.promote({ on_conflict: 'merge', idempotency_key: 'merge' });
    expect(parent.get('both')).toBe('c');
    await family.writeInChild((replica) => replica.set('other', 1));
    await family.promote();
    expect([parent.get('both'), parent.get('other')]).toEqual(['c', 1]);
    // It has never heard of the parent's writes, so its own is the smaller one.
    await family.writeInChild((replica) => replica.set('both', 'child again'));
    await family.promote();
    expect(parent.get('both')).toBe('child again');
    await family.writeInChild((replica) => replica.delete('both'));
    await family.promote();
    expect(parent.get('both')).toBeUndefined();
  });

  it.each<[string, string, string]>([
    ['as nodes', 'all', 'all'],
    ['as nodes of some keys', 'glob:*', 'glob:more'],
    ['as registers', 'glob:k', 'glob:m*'],
  ])('[TP8] leaves what the parent edits of its own alone, promoted %s', async (_, first, second) => {
    const family = await Family.make();
    const { parent } = family;
    await family.writeInChild((replica) => {
      replica.set('k', 'child');
      if (first === 'glob:k') replica.set('stays', 1);
    });
    await family.promote({ payload_ref: first });
    expect([parent.get('k'), parent.get('stays')]).toEqual(['child', undefined]);
    await family.writeInParent((replica) => replica.set('k', 'edited'));
    await family.writeInChild((replica) => replica.set('more', 1));
    await family.promote({ payload_ref: second });
    expect([parent.get('k'), parent.get('more')]).toEqual(['edited', 1]);
    // What neither has heard of from the other is a conflict, however long ago.
    await family.writeInChild((replica) => replica.set('k', 'child again'));
    await expect(family.promote({ payload_ref: first })).rejects.toEqual(conflict);
    expect(parent.get('k')).toBe('edited');
  });

  it('[TP8] loses nothing when proposals are applied in another order than they were made', async () => {
    const family = await Family.make();
    const { parent } = family;
    await family.writeInChild((replica) => replica.set('k', 1));
    const first = await family.proposed({ idempotency_key: 'first' });
    await family.validate(first);
    await family.writeInChild((replica) => replica.set('k', 2));
    await family.promote();
    await family.writeInParent((replica) => replica.set('k', 'edited'));
    await family.validate(first);
    await family.apply(first);
    expect(parent.get('k')).toBe('edited');
    await family.writeInChild((replica) => replica.set('k', 3));
    await expect(family.promote()).rejects.toEqual(conflict);
  });

  it('[TP8] is previewed: what is told before is what happens', async () => {
    const family = await Family.make();
    const { parent } = family;
    await family.writeInChild((replica) => {
      replica.set('both', 'child');
      for (let i = 0; i < 5; i++) replica.set('late', i);
      replica.set('mine', 1);
      replica.text('t').insert(0, 'child ');
    });
    await family.writeInParent((replica) => {
      replica.set('late', 'parent');
      for (let i = 0; i < 9; i++) replica.set('both', i);
      replica.set('theirs', 1);
      replica.text('t').insert(0, 'and ');
    });
    const id = await family.proposed({ on_conflict: 'merge' });
    const { seq } = parent;
    expect(await family.previewed(id)).toEqual({ both: 'parent!', late: 'child!', mine: 'child', t: 'merged!' });
    expect([parent.seq, parent.get('mine')]).toEqual([seq, undefined]);
    await family.validate(id);
    await family.apply(id);
    expect([parent.get('both'), parent.get('late'), parent.get('mine'), parent.get('theirs')]).toEqual([8, 4, 1, 1]);
    expect(await family.previewed(id)).toEqual({});
  });

  it('[TP8] has its blobs stand too, though its parent has written more of which it never heard', async () => {
    const family = await Family.make();
    const { parent } = family;
    const blob = new BlobRef('ab'.repeat(32));
    await family.writeInChild((replica) => replica.set('both', 'child'));
    await family.writeInParent((replica) => {
      for (let i = 0; i < 20; i++) replica.set('both', i);
    });
    await family.promote({ on_conflict: 'merge', idempotency_key: 'merge' });
    expect(parent.get('both')).toBe(19);
    await family.writeInChild((replica) => replica.setBlob('both', blob.hash));
    await family.promote();
    expect(parent.get('both')).toEqual(blob);
  });

  it('[TP8] loses to its parent by what was written in it too late to count', async () => {
    const family = await Family.make();
    const { parent, child } = family;
    const late = await createReplica({ genesis: child.genesis.pack, keys: generateKeys() });
    await family.writeInChild((replica) => ['a', 'b', 'c'].forEach((value) => replica.set('both', value)));
    await family.promote();
    late.set('both', 'late');
    await push(late, child);
    await family.writeInParent((replica) => replica.set('both', 'parent'));
    const id = await family.proposed({ on_conflict: 'merge', idempotency_key: 'late' });
    expect(await family.previewed(id)).toEqual({ both: 'parent!' });
    await family.validate(id);
    await family.apply(id);
    expect([child.get('both'), parent.get('both')]).toEqual(['c', 'parent']);
  });

  it('[TP8] is merged as three texts would be: by what each side has changed since they met', async () => {
    const KEYS = ['a', 'b', 'c', 'd'];
    for (let seed = 1; seed <= 4; seed++) {
      const family = await Family.make();
      const { parent, child } = family;
      const model = { parent: new Map<string, number>(), child: new Map<string, number>() };
      const changed = { parent: new Set<string>(), child: new Set<string>() };
      let state = seed;
      const random = (below: number): number => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor((state / 2 ** 32) * below);
      };
      let [promoted, refused] = [0, 0];
      for (let step = 0; step < 60; step++) {
        const side = random(2) === 0 ? 'parent' : 'child';
        const key = KEYS[random(KEYS.length)]!;
        if (random(3) > 0) {
          const write = side === 'parent' ? family.writeInParent.bind(family) : family.writeInChild.bind(family);
          await write((replica) => {
            for (let times = random(4); times >= 0; times--) replica.set(key, step);
          });
          model[side].set(key, step);
          changed[side].add(key);
          continue;
        }
        const isConflict = [...changed.child].some((name) => changed.parent.has(name));
        const id = await family.proposed({ idempotency_key: `p${step}` });
        const preview = await family.previewed(id);
        expect(Object.keys(preview)).toEqual([...changed.child].sort());
        if (isConflict) {
          refused++;
          await expect(family.validate(id)).rejects.toEqual(conflict);
          if (random(2) === 0) continue;
        }
        promoted++;
        const how = { on_conflict: isConflict ? 'merge' : 'reject', idempotency_key: `q${step}` };
        const told = await family.previewed(await family.proposed(how));
        await family.promote(how);
        for (const name of changed.child) {
          const stands = told[name]!.startsWith('child') ? 'child' : 'parent';
          model.parent.set(name, model[stands].get(name)!);
          changed.parent.delete(name);
        }
        changed.child.clear();
        for (const name of KEYS) expect([name, parent.get(name)]).toEqual([name, model.parent.get(name)]);
      }
      for (const name of KEYS) expect([name, child.get(name)]).toEqual([name, model.child.get(name)]);
      expect(Math.min(promoted, refused)).toBeGreaterThan(2);
    }
  });
});
