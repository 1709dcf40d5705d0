/** The places where it matters most that a host is killed while a merge lands; all of them are in the long suite. */
import { expect, it } from 'vitest';
import { type At, KilledLandings } from './killed-landings.js';

const after = (of: string, nth = 1): At => ({ nth, of, when: 'after' });
/** Kills between steps: the merge is made and nowhere yet; then it is in place and not recorded. */
const IN_FOLDER = [after('commit-tree'), after('merge')];
const IN_STORE = [after('commit-tree'), after('update-ref')];

it('studio fault 19: a host killed while a merge lands comes to one result', async () => {
  const landings = await KilledLandings.begin();
  for (const at of IN_FOLDER) expect(await landings.land(at, 'main')).toBe(true);
  for (const at of IN_STORE) expect(await landings.land(at, 'goal')).toBe(true);
});

it('studio fault 19: a host killed while the candidate is promoted comes to one result', async () => {
  const landings = await KilledLandings.begin();
  for (const at of [after('update-ref'), after('merge')]) expect(await landings.promote(at)).toBe(true);
});

it('studio fault 19: a host killed while it finds out whether a merge may stay comes to one result', async () => {
  const landings = await KilledLandings.begin();
  expect(await landings.tryOut(after('merge'), true)).toBe(true);
  // Once where it has landed, and once where it was taken back.
  for (const nth of [1, 2]) expect(await landings.tryOut(after('merge', nth), false)).toBe(true);
});
