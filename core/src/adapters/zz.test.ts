import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'vitest';
import { blobBattery } from '../testing/blob-battery.js';
import { levelStore } from './level/level-store.js';
import { memoryStore } from './memory/memory-store.js';
for (const { name, durable, run } of blobBattery) {
  if (!durable) it('mem ' + name, () => run(async () => memoryStore()));
  it('dir ' + name, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'weft-battery-'));
    try {
      await run(async () => {
        const s = levelStore(folder);
        await s.open();
        return s;
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
}
