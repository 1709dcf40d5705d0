import { describe, expect, it } from 'vitest';
import { memoryStore } from '@weft/core/memory';
import { blobBattery } from '@weft/core/testing';
import { hashOf, room } from '../testing/blob-address.js';
import { meteredStore } from './metered.js';

describe('a metered store', () => {
  const metered = () => Promise.resolve(meteredStore(memoryStore(), { record: () => undefined }));
  for (const { name, run, durable } of blobBattery) if (!durable) it(name, () => run(metered));

  it('counts what goes in, and what is read of what goes out', async () => {
    const counts = { in: 0, out: 0 };
    const record = (_metric: string, value: number, label?: string): void => {
      if (label === 'in' || label === 'out') counts[label] += value;
    };
    const store = meteredStore(memoryStore(), { record });
    await store.open();
    const bytes = new Uint8Array(5000);
    async function* source(): AsyncGenerator<Uint8Array> {
      yield bytes;
    }
    await store.blobs.put(hashOf(bytes), source(), bytes.length);
    await store.blobs.link(room, hashOf(bytes));
    const content = await store.blobs.get(hashOf(bytes), { from: 10, to: 30 });
    expect(counts).toEqual({ in: 5000, out: 0 });
    for await (const _chunk of content?.bytes ?? []);
    expect(counts).toEqual({ in: 5000, out: 20 });
  });
});
