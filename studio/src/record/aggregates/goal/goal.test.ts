import { describe, expect, it } from 'vitest';
import { decided, stateOf, told } from '../../../testing/record/given.js';
import { GOAL_STATUSES, goal } from './goal.js';

const given = { workUnitId: 'wu-1', goal: 'build it', branchId: 'work-1', owner: 'ann' };
const created = decided(goal, [], 'create', given);
const after = (...steps: (() => typeof created)[]) => steps.reduce((events, step) => [...events, ...step()], created);

describe('a goal', () => {
  it('has the id of its unit, and begins to explore', () => {
    expect(stateOf(goal, created)).toEqual({
      ...given,
      goalId: 'wu-1',
      status: 'Exploring',
      createdAt: told.at,
      updatedAt: told.at,
    });
  });

  it('goes back to what it was when it is resumed', () => {
    const blocked = after(() => decided(goal, created, 'become', { status: 'Blocked' }));
    const paused = [...blocked, ...decided(goal, blocked, 'pause', { reason: 'lunch', pausedBy: 'ann' })];
    expect(stateOf(goal, paused)).toMatchObject({ status: 'Paused', pauseReason: 'lunch' });
    expect(decided(goal, paused, 'pause', {})).toEqual([]);
    const resumed = decided(goal, paused, 'resume', { steering: 'faster' });
    expect(resumed).toMatchObject([{ type: 'GoalResumed', steering: 'faster', newStatus: 'Blocked' }]);
    const state = stateOf(goal, [...paused, ...resumed])!;
    expect([state.status, state.pauseReason]).toEqual(['Blocked', undefined]);
  });

  it('stays paused whatever its work becomes, but for its end', () => {
    const paused = after(() => decided(goal, created, 'pause', {}));
    for (const status of GOAL_STATUSES) {
      const isEnd = status === 'Converged' || status === 'Abandoned';
      expect(decided(goal, paused, 'become', { status }).length, status).toBe(isEnd ? 1 : 0);
    }
  });

  it('is paused only before its end, and resumed only when it is paused', () => {
    for (const status of ['Converged', 'Abandoned'] as const) {
      const ended = after(() => decided(goal, created, 'become', { status }));
      expect(() => decided(goal, ended, 'pause', {})).toThrow(`a goal that is ${status} cannot be paused`);
    }
    expect(() => decided(goal, created, 'resume', {})).toThrow('a goal that is Exploring cannot be resumed');
    expect(() => decided(goal, [], 'pause', {})).toThrow('no goal has this id');
  });
});
