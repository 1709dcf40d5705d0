/** Objects of the cold tier in memory: read once for all who want them at once, and gone from there a while later. */
import { expect, it } from 'vitest';
import { toUtf8 } from '../../codec/bytes/bytes.js';
import { MemoryCold } from '../../testing/memory-cold.js';
import { altered } from '../../testing/altered.js';
import { ColdObjects, hashOf } from './cold-objects.js';

const BYTES = toUtf8('a segment');

/** Objects over a store that counts what is asked of it. */
async function counted(keptMs: number): Promise<{ read: () => Promise<unknown>; asked: () => number }> {
  const inner = new MemoryCold();
  let asked = 0;
  const store = altered(inner, {
    get: (name: string) => {
      asked++;
      return inner.get(name);
    },
  });
  const objects = new ColdObjects(store, keptMs);
  await objects.put('segments/1', hashOf(BYTES), BYTES);
  asked = 0;
  return { read: () => objects.read('segments/1', hashOf(BYTES)), asked: () => asked };
}

it('an object is asked for once, however many read it then', async () => {
  const { read, asked } = await counted(3_600_000);
  expect(await Promise.all([read(), read(), read()])).toEqual([BYTES, BYTES, BYTES]);
  await read();
  expect(asked()).toBe(1);
});

it('what nobody reads for a while leaves memory: another process may have erased it', async () => {
  const { read, asked } = await counted(1);
  await read();
  const before = asked();
  await expect.poll(() => read().then(asked)).toBeGreaterThan(before);
});
