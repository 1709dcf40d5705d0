import { expect, it } from 'vitest';
import { decided, stateOf, told } from '../../../testing/record/given.js';
import { trajectory } from './trajectory.js';

it('a trajectory keeps all its phases, and enters none twice in a row', () => {
  const executing = { workUnitId: 'wu-1', phase: 'Executing', agentId: 'a-1' } as const;
  const first = decided(trajectory, [], 'enter', { workUnitId: 'wu-1', phase: 'Decomposed' });
  const second = [...first, ...decided(trajectory, first, 'enter', executing)];
  expect(decided(trajectory, second, 'enter', executing)).toEqual([]);
  const third = [...second, ...decided(trajectory, second, 'enter', { ...executing, agentId: 'a-2' })];
  expect(stateOf(trajectory, third)).toEqual({
    trajectoryId: 'wu-1',
    workUnitId: 'wu-1',
    phase: 'Executing',
    agentId: 'a-2',
    startedAt: told.at,
    phases: [
      { phase: 'Decomposed', enteredAt: told.at },
      { phase: 'Executing', agentId: 'a-1', enteredAt: told.at },
      { phase: 'Executing', agentId: 'a-2', enteredAt: told.at },
    ],
  });
});
