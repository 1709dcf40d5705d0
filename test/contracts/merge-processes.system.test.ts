import { describe, expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { type Acked, expectAll, runAndKill } from './killed-merges.js';

describe('the level store, killed in the middle of merges', () => {
  it('[ST6] has every answered node once and in order, and whole images [fault 38]', async () => {
    const folder = await tempFolder();
    const acked: Acked = new Map();
    for (let round = 0; round < 5; round++) {
      await runAndKill(folder, 20 + Math.floor(Math.random() * 100), acked);
      await expectAll(folder, acked);
    }
    expect(acked.size, 'nodes, segments and images of three rooms').toBe(9);
  });
});
