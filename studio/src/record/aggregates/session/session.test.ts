import { describe, expect, it } from 'vitest';
import { decided, stateOf, told } from '../../../testing/record/given.js';
import { session } from './session.js';

const given = { sessionId: 's1', rootWorkUnitId: 'wu-1', profileIds: ['worker'], modelConfigSnapshotJson: '{}' };
const started = decided(session, [], 'start', given);
const after = (...steps: ('pause' | 'resume' | 'abandon' | 'complete')[]) =>
  steps.reduce((events, step) => [...events, ...decided(session, events, step, {})], started);

describe('a session', () => {
  it('begins active', () => {
    expect(stateOf(session, started)).toEqual({ ...given, status: 'Active', startedAt: told.at });
  });

  it('is paused and resumed', () => {
    expect(stateOf(session, after('pause'))).toMatchObject({ status: 'Paused', pausedAt: told.at });
    expect(decided(session, after('pause'), 'pause', {})).toEqual([]);
    expect(stateOf(session, after('pause', 'resume'))).toEqual(stateOf(session, started));
    expect(() => decided(session, started, 'resume', {})).toThrow('a session that is Active cannot be resumed');
  });

  it('ends once: what is over is not paused, resumed or ended otherwise', () => {
    for (const end of ['abandon', 'complete'] as const) {
      const ended = after('pause', end);
      expect(stateOf(session, ended)?.completedAt).toBe(told.at);
      expect(() => decided(session, ended, 'pause', {})).toThrow('cannot be paused');
      expect(() => decided(session, ended, 'resume', {})).toThrow('cannot be resumed');
      expect(decided(session, ended, 'complete', {})).toEqual([]);
    }
    expect(decided(session, after('abandon'), 'abandon', {})).toEqual([]);
    expect(() => decided(session, after('complete'), 'abandon', {})).toThrow('cannot be abandoned');
  });

  it('remembers what was branched from it', () => {
    const branch = { childSessionId: 's2', parentEventId: 'ev-3' };
    expect(decided(session, started, 'branch', branch)).toEqual([
      { type: 'SessionBranchCreated', v: 1, sessionId: 's1', parentSessionId: 's1', ...branch },
    ]);
  });
});
