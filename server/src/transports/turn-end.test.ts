import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { atTurnEnd } from './turn-end.js';

it('the end of a turn comes behind its microtasks, once for each that waits, and what it causes waits for the next', async () => {
  const told: string[] = [];
  atTurnEnd(() => {
    told.push('first');
    atTurnEnd(() => told.push('caused'));
  });
  await Promise.resolve();
  atTurnEnd(() => told.push('second'));
  expect(told).toEqual([]);
  await nextTurn();
  expect(told).toEqual(['first', 'second']);
  await nextTurn();
  expect(told).toEqual(['first', 'second', 'caused']);
});
