import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { levelStore } from '@weft/core/level';
import { memoryStore } from '@weft/core/memory';
import { blobBattery, storeBattery } from '@weft/core/testing';

const batteries = [...storeBattery, ...blobBattery];

describe('the memory store', () => {
  for (const { name, durable, run } of batteries) {
    if (durable) continue; // it lives and dies with the process
    it(name, () =>
      run(async () => {
        const store = memoryStore();
        await store.open();
        return store;
      }),
    );
  }
});

describe('the level store', () => {
  for (const { name, run } of batteries) {
    it(name, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'weft-battery-'));
      try {
        await run(async () => {
          const store = levelStore(folder);
          await store.open();
          return store;
        });
      } finally {
        await rm(folder, { recursive: true });
      }
    });
  }
});
