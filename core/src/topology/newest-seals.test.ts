import { expect, it } from 'vitest';
import { newestSeals } from './newest-seals.js';

it('[TP4] of more seals than a proposal keeps, those of the newest nodes are kept, in whatever order their chains began', () => {
  const seal = (node: number): [number, Uint8Array] => [node, Uint8Array.of(node)];
  const seals = new Map([9, 30, 2, 100, 7].map(seal));
  expect(newestSeals(seals, 3)).toEqual([9, 30, 100].map(seal));
  expect(newestSeals(seals, 5)).toEqual([2, 7, 9, 30, 100].map(seal));
});
