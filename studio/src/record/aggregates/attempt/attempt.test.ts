import { describe, expect, it } from 'vitest';
import { decided, stateOf, told } from '../../../testing/record/given.js';
import { attempt } from './attempt.js';

const about = { operation: 'workunit.cancel', agentId: 'agent-1', workUnitId: 'wu-1' };
const refused = { type: 'HumanOnlyRefused', v: 1, ...about } as const;
const later = (ms: number) => ({ ...told, at: new Date(Date.parse(told.at) + ms).toISOString() });

describe('an attempt at what is for people', () => {
  it('is told of, with what it was about', () => {
    expect(decided(attempt, [], 'refuse', about)).toEqual([refused]);
    const state = stateOf(attempt, [refused]);
    expect(state).toEqual({ ...about, lastAt: told.at, lately: { '': told.at } });
    expect(attempt.workUnitOf?.(state!)).toBe('wu-1');
  });

  it('is told of for each thing that was tried, and of no more than 20 in a minute', () => {
    const tried = (n: number) => ({ ...refused, target: `path ${n}` });
    const all = [...Array(20).keys()].map(tried);
    const state = stateOf(attempt, all);
    expect(attempt.decide.refuse(stateOf(attempt, all.slice(1)), { ...about, target: 'path 0' }, told)).toEqual([
      all[0],
    ]);
    expect(attempt.decide.refuse(state, { ...about, target: 'path 20' }, told)).toEqual([]);
    expect(attempt.decide.refuse(state, { ...about, target: 'path 20' }, later(60_000))).toEqual([tried(20)]);
  });

  it('is told of once in a minute', () => {
    const state = stateOf(attempt, [refused]);
    expect(attempt.decide.refuse(state, about, later(59_999))).toEqual([]);
    expect(attempt.decide.refuse(state, about, later(60_000))).toEqual([refused]);
  });
});
