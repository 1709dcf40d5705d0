import { describe, expect, it } from 'vitest';
import { decided, stateOf, told } from '../../../testing/record/given.js';
import { clarification } from './clarification.js';

const given = { requestId: 'CLR-1', workUnitId: 'wu-1', question: 'which?', blocking: true, options: ['a', 'b'] };
const asked = decided(clarification, [], 'request', { ...given, timeoutSeconds: 60, timeoutBehavior: 'auto_continue' });
const said = { response: 'a', resumed: true };

describe('a clarification', () => {
  it('is open until its time, which is a fact', () => {
    expect(stateOf(clarification, asked)).toMatchObject({
      ...given,
      status: 'open',
      requestedAt: told.at,
      timeoutAt: '2026-01-02T03:05:05.000Z',
    });
  });

  it('is answered once', () => {
    const answered = [...asked, ...decided(clarification, asked, 'respond', said)];
    expect(stateOf(clarification, answered)).toMatchObject({ status: 'answered', ...said, respondedAt: told.at });
    expect(() => decided(clarification, answered, 'respond', said)).toThrow('this question is answered');
    expect(decided(clarification, answered, 'abandon', { reason: 'x' })).toEqual([]);
    expect(decided(clarification, answered, 'unblock', {})).toEqual([]);
  });

  it('is not answered when it was given up', () => {
    const abandoned = [...asked, ...decided(clarification, asked, 'abandon', { reason: 'cancelled' })];
    expect(() => decided(clarification, abandoned, 'respond', said)).toThrow('this question is abandoned');
  });

  it('can be left open while the work goes on', () => {
    const unblocked = [...asked, ...decided(clarification, asked, 'unblock', {})];
    expect(stateOf(clarification, unblocked)).toMatchObject({ status: 'open', blocking: false });
    expect(decided(clarification, unblocked, 'unblock', {})).toEqual([]);
  });
});
