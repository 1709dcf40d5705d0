import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { atTurnEnd } from './turn-end.js';

let restore = (): void => undefined;
afterEach(() => restore());

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

it('one that throws is told to the process, and those behind it are called in the same turn', async () => {
  const told: unknown[] = [];
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => told.push(error));
  restore = () => {
    process.removeAllListeners('uncaughtException');
    for (const listener of others) process.on('uncaughtException', listener);
  };
  const bug = new Error('a bug');
  atTurnEnd(() => told.push('first'));
  atTurnEnd(() => {
    throw bug;
  });
  atTurnEnd(() => told.push('last'));
  await nextTurn();
  expect(told).toEqual(['first', 'last', bug]);
});
