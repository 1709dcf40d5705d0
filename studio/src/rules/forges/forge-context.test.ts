import { expect, it } from 'vitest';
import { recording } from '../../testing/record/recording.js';
import { recordProposal } from '../../testing/work/proposal.js';
import { createUnit } from '../goals/create-unit.js';
import { newestProposal } from './forge-context.js';

it('what a goal offers is its newest proposal for the branch of the user, whatever came later for another', () => {
  const { records, change } = recording();
  const { workUnitId } = change((open) => createUnit(open, records, { goal: 'g', owner: 'ann' }));
  const [goal] = records.goals.all();
  expect(newestProposal(records, goal!)).toBeUndefined();
  for (const [id, targetBranch] of [
    ['MP-1', 'main'],
    ['MP-2', 'main'],
    ['MP-3', 'candidate'],
  ] as const)
    change((open) => recordProposal(open, id, { workUnitId, targetBranch }));
  expect(newestProposal(records, goal!)?.proposalId).toBe('MP-2');
});
