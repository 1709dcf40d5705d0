import { describe, expect, it } from 'vitest';
import { decided, stateOf } from '../../../testing/record/given.js';
import { contribution } from './contribution.js';

const begun = decided(contribution, [], 'begin', { goalId: 'wu-1', repositoryId: 'r' });
const push = (commit: string, proposalId = 'MP-1') => ({ proposalId, branch: 'b', commit });

describe('a contribution', () => {
  it('keeps what was pushed in its order, each once, the last at the end', () => {
    let events = begun;
    for (const commit of ['a', 'b', 'a']) events = [...events, ...decided(contribution, events, 'push', push(commit))];
    expect(stateOf(contribution, events)?.pushed).toEqual(['b', 'a']);
    expect(decided(contribution, events, 'push', push('a'))).toEqual([]);
    expect(decided(contribution, events, 'push', push('a', 'MP-2'))).toHaveLength(1);
  });

  it('hears what is said once, and waits with each thread until that is answered', () => {
    let events = begun;
    const hear = (ids: string[], threads: string[]) => {
      const heard = decided(contribution, events, 'hear', { ids, threads });
      events = [...events, ...heard];
      return heard.length;
    };
    expect([hear(['1', '2'], ['t']), hear(['2'], ['u']), hear(['2', '3'], ['t', 'v'])]).toEqual([1, 0, 1]);
    expect(stateOf(contribution, events)).toMatchObject({ heard: ['1', '2', '3'], threads: ['t', 'v'] });
    events = [...events, ...decided(contribution, events, 'answer', { threads: ['t'] })];
    expect(stateOf(contribution, events)?.threads).toEqual(['v']);
  });

  it('keeps checks as they were seen last, the worst first and no more than so many', () => {
    const checks = [
      { name: 'z'.repeat(400), state: 'passed' },
      { name: 'b', state: 'pending' },
      { name: 'c', state: 'failed' },
      { name: 'a', state: 'pending' },
    ] as const;
    const seen = decided(contribution, begun, 'check', { commit: 'a', checks });
    const events = [...begun, ...seen];
    const kept = stateOf(contribution, events)?.checked?.checks.map(({ name, state }) => `${state} ${name}`);
    expect(kept).toEqual(['failed c', 'pending a', 'pending b', `passed ${'z'.repeat(300)}`]);
    expect(decided(contribution, events, 'check', { commit: 'a', checks: checks.toReversed() })).toEqual([]);
    expect(decided(contribution, events, 'check', { commit: 'b', checks })).toHaveLength(1);
    const many = Array.from({ length: 400 }, (_, n) => ({ name: `n${n}`, state: 'passed' as const }));
    const [all] = decided(contribution, begun, 'check', { commit: 'a', checks: [...many, checks[2]] });
    expect(all).toMatchObject({ checks: expect.arrayContaining([{ name: 'c', state: 'failed' }]) });
    expect(stateOf(contribution, [...begun, all!])?.checked?.checks).toHaveLength(300);
  });

  it('ends once', () => {
    const ended = [...begun, ...decided(contribution, begun, 'end', { outcome: 'merged', commit: 'm', by: 'ann' })];
    expect(stateOf(contribution, ended)).toMatchObject({ outcome: 'merged', mergedAs: 'm', endedBy: 'ann' });
    expect(decided(contribution, ended, 'end', { outcome: 'closed' })).toEqual([]);
  });
});
