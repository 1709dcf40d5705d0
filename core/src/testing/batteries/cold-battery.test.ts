import { describe, it } from 'vitest';
import { coldBattery } from './cold-battery.js';
import { MemoryCold } from '../memory-cold.js';

describe('a cold store in memory', () => {
  for (const { name, run } of coldBattery) it(name, () => run(new MemoryCold()));
});
