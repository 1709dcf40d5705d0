import { expect, it } from 'vitest';
import { memoryStore } from '../../adapters/memory/memory-store.js';
import { join, open, push } from '../../testing/open-rooms.js';

it('what some nodes have written is told of them, and nothing of those before or behind', async () => {
  const room = await open(memoryStore());
  const replica = await join(room);
  const blob = (n: number): string => `${n}`.repeat(64);
  // A node each.
  const nodes = ['set/0', 'blob/1', 'set/2', 'set/3', 'blob/4', 'blob/5'].map((key, value) => ({ key, value }));
  for (const { key, value } of nodes)
    if (key.startsWith('set')) replica.set(key, value);
    else replica.setBlob(key, blob(value));
  await push(replica, room);
  const { written, seq } = room;
  const base = seq - nodes.length;
  for (let first = 0; first <= nodes.length; first++)
    for (let last = first; last <= nodes.length; last++) {
      const [from, to] = [base + first, base + last];
      const some = nodes.slice(first, last);
      const keys = some.map(({ key }) => key);
      const sets = some.filter(({ key }) => key.startsWith('set/'));
      expect(written.registersChanged(from, to, '').map(({ key }) => key)).toEqual(keys);
      expect(written.valuesSet(from, to, 'set/')).toEqual(sets);
      const blobs = some.filter((one) => !sets.includes(one)).map(({ value }) => blob(value));
      expect([...written.blobsNamed(from, to)]).toEqual(blobs);
      expect([...written.keysTouched(from, to)]).toEqual(keys);
      expect([...written.lastTouches(new Set(keys), [from, to])]).toEqual(
        some.map(({ key, value }) => [key, base + value]),
      );
      const collected = new Set<string>();
      expect(written.collectKeys(from, to, collected, 100)).toBe(to);
      expect([...collected]).toEqual(keys);
    }
  for (const [n, { key }] of nodes.entries()) {
    expect(written.hasWritten(base + n, (one) => one === key)).toBe(true);
    expect(written.hasWritten(base + n + 1, (one) => one === key)).toBe(false);
  }
});
