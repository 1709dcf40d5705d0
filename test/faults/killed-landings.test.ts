/** A few of the places where a host can be killed while a merge lands; all of them are in the long suite. */
import { expect, it } from 'vitest';
import { KilledLandings } from './killed-landings.js';

it('studio fault 19: a host killed while a merge lands comes to one result', { timeout: 120_000 }, async () => {
  const landings = await KilledLandings.begin();
  for (const nth of [9, 19]) await landings.land(nth, 'after', 'main');
  for (const nth of [5, 9]) await landings.land(nth, 'after', 'goal');
});

it(
  'studio fault 19: a host killed while the candidate is promoted comes to one result',
  { timeout: 120_000 },
  async () => {
    const landings = await KilledLandings.begin();
    for (const nth of [7, 15]) expect(await landings.promote(nth, 'after')).toBe(true);
  },
);

it(
  'studio fault 19: a host killed while it finds out whether a merge may stay comes to one result',
  { timeout: 120_000 },
  async () => {
    const landings = await KilledLandings.begin();
    for (const nth of [25, 40]) expect(await landings.tryOut(nth, 'after', false)).toBe(true);
    expect(await landings.tryOut(21, 'after', true)).toBe(true);
  },
);
