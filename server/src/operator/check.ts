/** Integrity check: reads everything that is stored, and says what is not as it was written. */
import { createHash } from 'node:crypto';
import { type BlobHash, type Store, isReserved } from '@weft/core';
import * as z from 'zod';
import { storeOperation } from './define.js';
import { telling } from './progress.js';

export interface Checked {
  readonly rooms: number;
  readonly blobs: number;
  readonly problems: readonly string[];
}

export const check = storeOperation({
  name: 'check',
  in: z.object({ blobs: z.boolean() }),
  alone: true,
  async run({ quarantined, store, signal, ...context }, { blobs: withBlobs }): Promise<Checked> {
    const tell = telling(context);
    let total = 0;
    for await (const _room of store.log.rooms()) total++;
    const problems = [...(await quarantined())].map(([room, { reason }]) => `room ${room} is shut: ${reason}`);
    let [read, rooms, blobs] = [0, 0, 0];
    for await (const room of store.log.rooms()) {
      signal.throwIfAborted();
      await noted(problems, async () => {
        for await (const _record of store.log.read(room, 0)); // reading is checking
      });
      // The host's own are read, and counted nowhere.
      if (!isReserved(room)) rooms++;
      tell({ done: ++read, total, unit: 'rooms' });
    }
    if (withBlobs) {
      for await (const hash of store.blobs.all()) {
        signal.throwIfAborted();
        await noted(problems, () => checkBlob(hash, store));
        tell({ done: ++blobs, unit: 'blobs' });
      }
    }
    return { rooms, blobs, problems };
  },
});

async function checkBlob(hash: BlobHash, { blobs }: Store): Promise<void> {
  const digest = createHash('sha256');
  for await (const chunk of (await blobs.get(hash))?.bytes ?? []) digest.update(chunk);
  if (digest.digest('hex') !== hash) throw new Error(`the blob ${hash} is damaged; upload it again`);
}

async function noted(problems: string[], task: () => Promise<void>): Promise<void> {
  try {
    await task();
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
  }
}
