import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import type { Chance } from '../chance.js';
import { ManualClock } from '../manual-clock.js';
import { type Asked, askedOf } from './scripted-models.js';
import { simulatedModels } from './simulated-models.js';

it('a model that falls silent again and again leaves no listener on the signal of the job', async () => {
  // Every mood is that of silence.
  const chance = { number: (name: string) => (name.startsWith('mood') ? 9 : 0) } as unknown as Chance;
  const clock = new ManualClock();
  const models = simulatedModels({ chance, clock, moment: () => Promise.resolve(), isHelping: () => false });
  const { signal } = new AbortController();
  const asked: Asked = askedOf({ model: 'm', system: '', messages: [], tools: [], maxTokens: 1 });
  for (let i = 0; i < 3; i++) {
    const silent = expect(models(asked, signal)).rejects.toMatchObject({ fault: 'timeout' });
    await Promise.resolve();
    clock.pass(120_000);
    await silent;
  }
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
