import { describe, it } from 'vitest';
import { readByFive } from './five-readers.js';

/** A third of it; the whole is in `recordings-five.long.test.ts`. */
const TRANSACTIONS = 9_000;

describe('recorded typing, read by five', () => {
  it('[MP2] of two ends in one text, frontier and state hash', () =>
    readByFive('friendsforever.concurrent', 2, TRANSACTIONS));
});
