import { describe, expect, it } from 'vitest';
import { decided, stateOf, told } from '../../../testing/record/given.js';
import { experiment } from './experiment.js';

const given = { experimentId: 'exp-1', parentWorkUnitId: 'wu-0', forkType: 'Code', forkWorkUnitIds: ['wu-1', 'wu-2'] };
const started = decided(experiment, [], 'start', given);

describe('an experiment', () => {
  it('begins without a winner', () => {
    expect(stateOf(experiment, started)).toEqual({ ...given, createdAt: told.at });
  });

  it('is won once, by one of its forks', () => {
    const won = [...started, ...decided(experiment, started, 'converge', { winnerId: 'wu-2', rationale: 'faster' })];
    expect(stateOf(experiment, won)).toMatchObject({ winnerId: 'wu-2', rationale: 'faster' });
    expect(decided(experiment, won, 'converge', { winnerId: 'wu-2' })).toEqual([]);
    expect(() => decided(experiment, won, 'converge', { winnerId: 'wu-1' })).toThrow('wu-2 has won already');
    expect(() => decided(experiment, started, 'converge', { winnerId: 'wu-0' })).toThrow('is no fork');
    expect(() => decided(experiment, [], 'converge', { winnerId: 'wu-1' })).toThrow('no experiment has this id');
  });
});
