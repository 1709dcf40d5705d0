import { expect, it } from 'vitest';
import { type At, KilledLandings } from './killed-landings.js';

it.each(['main', 'goal'])(
  'studio fault 19: a host killed at any git while a merge lands on %s comes to one result',
  { timeout: 900_000 },
  async (target) => {
    const landings = await KilledLandings.begin();
    for (const when of ['before', 'after'] satisfies At['when'][]) {
      let nth = 1;
      while (nth < 60 && (await landings.land({ nth, when }, target))) nth += 1;
      expect(nth).toBeGreaterThan(5);
      expect(nth).toBeLessThan(60);
    }
  },
);

it.each([true, false])(
  'studio fault 19: a host killed at any git while a merge is tried out that is fit: %s, comes to one result',
  { timeout: 1_800_000 },
  async (isFit) => {
    const landings = await KilledLandings.begin();
    for (const when of ['before', 'after'] satisfies At['when'][]) {
      let nth = 1;
      while (nth < 90 && (await landings.tryOut({ nth, when }, isFit))) nth += 1;
      expect(nth).toBeGreaterThan(15);
      expect(nth).toBeLessThan(90);
    }
  },
);

it(
  'studio fault 19: a host killed at any git while the candidate is promoted comes to one result',
  { timeout: 900_000 },
  async () => {
    const landings = await KilledLandings.begin();
    for (const when of ['before', 'after'] satisfies At['when'][]) {
      let nth = 1;
      while (nth < 60 && (await landings.promote({ nth, when }))) nth += 1;
      expect(nth).toBeGreaterThan(5);
      expect(nth).toBeLessThan(60);
    }
  },
);
