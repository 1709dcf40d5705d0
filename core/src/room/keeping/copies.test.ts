/** Copies: rooms that are open on a host which does not keep them. */
import { expect, it } from 'vitest';
import { memoryStore } from '../../adapters/memory/memory-store.js';
import { fill, id, open } from '../../testing/open-rooms.js';

it('[ST10] a copy elsewhere writes no image, however much it is written to', async () => {
  const store = memoryStore();
  const copy = await open(store, { isElsewhere: true, isShared: true });
  await fill(copy, 3000);
  await copy.rest();
  expect(await store.images.get(id)).toBeUndefined();
  const room = await open(store);
  await room.rest();
  expect(await store.images.get(id)).toBeDefined();
});
