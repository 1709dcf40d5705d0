import { describe, it } from 'vitest';
import { readByFive } from './five-readers.js';

describe('recorded typing, read by five', () => {
  it('[MP2] of two ends in one text, frontier and state hash', () => readByFive('friendsforever.concurrent', 2));

  it('[MP2] of three ends in one text, frontier and state hash', () => readByFive('clownschool.concurrent', 3));
});
