import { expect, it } from 'vitest';
import { decided, stateOf, told } from '../../../testing/record/given.js';
import { hypothesis } from './hypothesis.js';

it('a hypothesis keeps why it was put forward, and what was decided of it', () => {
  const given = { workUnitId: 'wu-1', forkType: 'Code', rationale: 'a hunch' };
  const forked = decided(hypothesis, [], 'fork', given);
  expect(stateOf(hypothesis, forked)).toEqual({ ...given, hypothesisId: 'wu-1', createdAt: told.at });
  const settled = [...forked, ...decided(hypothesis, forked, 'settle', { status: 'Rejected', rationale: 'slow' })];
  expect(stateOf(hypothesis, settled)).toMatchObject({
    settled: 'Rejected',
    settledBecause: 'slow',
    rationale: 'a hunch',
  });
  expect(decided(hypothesis, settled, 'settle', { status: 'Rejected' })).toEqual([]);
  // A work unit that nobody called a hypothesis.
  expect(decided(hypothesis, [], 'settle', { status: 'Rejected' })).toEqual([]);
});
