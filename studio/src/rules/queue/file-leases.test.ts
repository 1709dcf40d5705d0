import { expect, it } from 'vitest';
import { recording } from '../../testing/record/recording.js';
import { createUnit } from '../goals/create-unit.js';
import { toDeadLetter } from './dead-letters.js';
import { askForFile, fileHeldBy } from './file-leases.js';
import { enqueue } from './queue.js';
import { replan } from './replan.js';

it('a root that was planned anew knows who holds the files of its goal, as what took its place does', () => {
  const { records, change } = recording();
  const { workUnitId: old } = change((open) => createUnit(open, records, { goal: 'g', owner: 'ann' }));
  change((open) => enqueue(open, records, old, { profileId: 'worker' }));
  const failure = { workUnitId: old, kind: 'Exception' as const, reason: 'no luck' };
  const { entryId } = change((open) => toDeadLetter(open, records, failure));
  change((open) => replan(open, records, entryId));
  const [{ workUnitId: root } = { workUnitId: '' }] = records.workUnits.where('replaces', old);
  expect(change((open) => askForFile(open, records, root, 'a.txt'))).toMatchObject({ holderWorkUnitId: root });
  expect(change((open) => [old, root].map((id) => fileHeldBy(open, id, 'a.txt')))).toEqual([root, root]);
});
