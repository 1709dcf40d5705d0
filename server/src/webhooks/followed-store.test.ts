import { memoryStore } from '@weft/core/memory';
import { storeBattery } from '@weft/core/testing';
import { describe, it } from 'vitest';
import { followedStore } from './followed-store.js';

describe('a store that tells which rooms have changed', () => {
  for (const { name, run } of storeBattery.filter(({ durable }) => !durable))
    it(name, () => run(() => Promise.resolve(followedStore(memoryStore()).store)));
});
