import { describe, expect, it } from 'vitest';
import { decided, stateOf } from '../../../testing/record/given.js';
import { agent } from './agent.js';

const given = { agentId: 'a1', agentType: 'worker', workUnitId: 'wu-1', profileId: 'worker' };
const spawned = decided(agent, [], 'spawn', given);
const after = (step: 'pause' | 'resume' | 'interrupt', events = spawned) => [
  ...events,
  ...decided(agent, events, step, {}),
];

describe('an agent', () => {
  it('is active, paused and active again', () => {
    expect(stateOf(agent, spawned)).toEqual({ ...given, status: 'active' });
    expect(stateOf(agent, after('pause'))?.status).toBe('paused');
    expect(decided(agent, after('pause'), 'pause', {})).toEqual([]);
    expect(stateOf(agent, after('resume', after('pause')))?.status).toBe('active');
  });

  it('is interrupted only while it is active, and can be resumed', () => {
    expect(stateOf(agent, after('interrupt'))?.status).toBe('Interrupted');
    expect(decided(agent, after('pause'), 'interrupt', {})).toEqual([]);
    expect(stateOf(agent, after('resume', after('interrupt')))?.status).toBe('active');
  });

  it('says in its status what went wrong, and not more than 80 characters of it', () => {
    const failed = [...spawned, ...decided(agent, spawned, 'fail', { message: 'x'.repeat(100) })];
    expect(stateOf(agent, failed)?.status).toBe(`failed:${'x'.repeat(80)}`);
    expect(() => decided(agent, failed, 'resume', {})).toThrow('cannot be resumed');
    expect(decided(agent, failed, 'stop', {})).toEqual([]);
  });

  it('forgets what it was doing when it stops, for good', () => {
    const acting = [...spawned, ...decided(agent, spawned, 'act', { activity: 'reads' })];
    expect(stateOf(agent, acting)?.currentActivity).toBe('reads');
    const stopped = [...acting, ...decided(agent, acting, 'stop', {})];
    expect(stateOf(agent, stopped)).toEqual({ ...given, status: 'stopped' });
    expect(decided(agent, stopped, 'stop', {})).toEqual([]);
    expect(() => decided(agent, stopped, 'pause', {})).toThrow('cannot be paused');
  });
});
