import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { ManualClock } from '../testing/manual-clock.js';
import { pause } from './pause.js';

it('a pause ends with its time or with the signal, and leaves nothing behind', async () => {
  const clock = new ManualClock();
  const stop = new AbortController();
  const listeners = () => getEventListeners(stop.signal, 'abort').length;
  for (let i = 0; i < 20; i++) {
    const over = pause(clock, 1000, stop.signal);
    expect(listeners()).toBe(1);
    clock.pass(1000);
    await over;
    expect(listeners()).toBe(0);
  }
  const over = pause(clock, 1000, stop.signal);
  stop.abort();
  await over;
  expect(listeners()).toBe(0);
  await pause(clock, 1000, stop.signal);
});
