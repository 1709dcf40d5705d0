import { describe, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { type Acked, expectAll, runAndKill } from './killed-merges.js';

describe('the level store, killed a hundred times in the middle of merges', () => {
  it('[ST6] has every answered node once and in order, and whole images', async () => {
    const folder = await tempFolder();
    const acked: Acked = new Map();
    for (let round = 0; round < 100; round++) {
      await runAndKill(folder, 1 + Math.floor(Math.random() * 300), acked);
      await expectAll(folder, acked);
    }
  });
});
