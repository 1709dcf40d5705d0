/** The places where it matters most that a host is killed while a merge lands; all of them are in the long suite. */
import { expect, it } from 'vitest';
import { type At, KilledLandings } from './killed-landings.js';

const after = (of: string, nth = 1): At => ({ nth, of, when: 'after' });
/** There, and not written down. */
const IN_FOLDER = after('merge');
const IN_STORE = after('update-ref');

it('studio fault 19: a host killed while a merge lands comes to one result', { timeout: 120_000 }, async () => {
  const landings = await KilledLandings.begin();
  expect(await landings.land(IN_FOLDER, 'main')).toBe(true);
  expect(await landings.land(IN_STORE, 'goal')).toBe(true);
});

it(
  'studio fault 19: a host killed while the candidate is promoted comes to one result',
  { timeout: 120_000 },
  async () => {
    const landings = await KilledLandings.begin();
    expect(await landings.promote(after('merge'))).toBe(true);
  },
);

it(
  'studio fault 19: a host killed while it finds out whether a merge may stay comes to one result',
  { timeout: 120_000 },
  async () => {
    const landings = await KilledLandings.begin();
    // Where it has landed, and where it was taken back.
    expect(await landings.tryOut(after('merge'), true)).toBe(true);
    expect(await landings.tryOut(after('merge', 2), false)).toBe(true);
  },
);
