import { describe, expect, it } from 'vitest';
import { decided, stateOf, told } from '../../../testing/record/given.js';
import { PARK_REASONS, type ScheduledItemEvent, requireLease, scheduledItem } from './scheduled-item.js';

const wanted = { workUnitId: 'wu-1', profileId: 'worker' };
const queued = decided(scheduledItem, [], 'schedule', wanted);
const then = (
  given: readonly ScheduledItemEvent[],
  decide: (events: readonly ScheduledItemEvent[]) => readonly ScheduledItemEvent[],
) => [...given, ...decide(given)];
const lease = { agentId: 'a1', expiresAt: 'soon', hostId: 'host-1' };
const leased = then(queued, (events) => decided(scheduledItem, events, 'lease', lease));

describe('a place in the queue', () => {
  it('is taken once, and keeps its turn when something about it changes', () => {
    expect(stateOf(scheduledItem, queued)).toMatchObject({ place: 'queued', generation: 0, attemptCount: 0 });
    expect(decided(scheduledItem, queued, 'schedule', wanted)).toEqual([]);
    const other = decided(scheduledItem, queued, 'schedule', { ...wanted, profileId: 'planner' });
    expect(stateOf(scheduledItem, [...queued, ...other])).toMatchObject({ place: 'queued', profileId: 'planner' });
  });

  it('is leased to one, and every lease has a number of its own', () => {
    expect(stateOf(scheduledItem, leased)).toMatchObject({
      place: 'leased',
      leasedBy: 'a1',
      leasedOn: 'host-1',
      leasedAt: told.at,
      generation: 1,
      attemptCount: 1,
    });
    const early = {
      type: 'SchedulerLeaseAcquired',
      v: 1,
      workUnitId: 'wu-1',
      agentId: 'a',
      expiresAt: 'soon',
    } as const;
    expect(stateOf(scheduledItem, [...queued, { ...early, generation: 1 }])).not.toHaveProperty('leasedOn');
    expect(() => decided(scheduledItem, leased, 'lease', lease)).toThrow('is leased');
    expect(() => decided(scheduledItem, leased, 'schedule', wanted)).toThrow('is being worked on');
    const again = then(
      then(leased, (events) => decided(scheduledItem, events, 'expire', { generation: 1 })),
      (events) => decided(scheduledItem, events, 'lease', { ...lease, agentId: 'a2' }),
    );
    const state = stateOf(scheduledItem, again)!;
    expect(state).toMatchObject({ leasedBy: 'a2', generation: 2, attemptCount: 2 });
    const mine = { generation: 2, leasedBy: 'a2' };
    expect(() => requireLease(state, mine)).not.toThrow();
    for (const [item, lease] of [
      [state, { ...mine, generation: 1 }],
      [state, { ...mine, leasedBy: 'a1' }],
      [undefined, mine],
    ] as const)
      expect(() => requireLease(item, lease)).toThrow('this lease is over');
  });

  it('does not end a lease that was renewed by another', () => {
    expect(decided(scheduledItem, leased, 'expire', { generation: 0 })).toEqual([]);
    expect(decided(scheduledItem, queued, 'expire', { generation: 0 })).toEqual([]);
  });

  it('is parked for exactly one reason at a time', () => {
    let events = leased;
    for (const reason of PARK_REASONS) {
      events = then(events, (before) => decided(scheduledItem, before, 'park', { reason }));
      expect(decided(scheduledItem, events, 'park', { reason })).toEqual([]);
      const state = stateOf(scheduledItem, events)!;
      expect([state.place, state.parkedFor, state.leasedBy]).toEqual(['parked', reason, undefined]);
    }
    expect(events.filter(({ type }) => type === 'SchedulerLeaseReleased')).toEqual([
      { type: 'SchedulerLeaseReleased', v: 1, workUnitId: 'wu-1', agentId: 'a1', success: false },
    ]);
    const resumed = then(events, (before) => decided(scheduledItem, before, 'resume', {}));
    expect(stateOf(scheduledItem, resumed)).not.toHaveProperty('parkedFor');
    expect(decided(scheduledItem, resumed, 'resume', {})).toEqual([]);
  });

  it('waits for a limit as before when something about it changes meanwhile', () => {
    const limited = { of: 'model key', because: 'enough for now', until: 'soon' };
    const parked = then(leased, (events) => decided(scheduledItem, events, 'park', { reason: 'Limit', limited }));
    const other = then(parked, (events) => decided(scheduledItem, events, 'schedule', { ...wanted, model: 'another' }));
    expect(other.length).toBeGreaterThan(parked.length);
    expect(stateOf(scheduledItem, other)).toMatchObject({ place: 'parked', parkedFor: 'Limit', limited });
    const interrupted = then(leased, (events) => decided(scheduledItem, events, 'interrupt', {}));
    const again = then(interrupted, (events) =>
      decided(scheduledItem, events, 'schedule', { ...wanted, model: 'other' }),
    );
    expect(stateOf(scheduledItem, again)).not.toHaveProperty('limited');
  });

  it('counts how often the host ended under it, until it is scheduled anew', () => {
    const interrupted = then(leased, (events) => decided(scheduledItem, events, 'interrupt', {}));
    expect(stateOf(scheduledItem, interrupted)).toMatchObject({ parkedFor: 'Resume', interruptions: 1 });
    expect(decided(scheduledItem, queued, 'interrupt', {})).toEqual([]);
    const removed = then(interrupted, (events) => decided(scheduledItem, events, 'remove', { success: true }));
    const anew = then(removed, (events) => decided(scheduledItem, events, 'schedule', wanted));
    expect(stateOf(scheduledItem, anew)).toMatchObject({ place: 'queued', interruptions: 0, generation: 1 });
  });

  it('is given up when its unit goes on, and nothing can be done with it then', () => {
    const removed = then(leased, (events) => decided(scheduledItem, events, 'remove', { success: true }));
    expect(removed.at(-2)).toMatchObject({ type: 'SchedulerLeaseReleased', success: true });
    expect(decided(scheduledItem, removed, 'remove', { success: true })).toEqual([]);
    for (const events of [removed, []]) {
      expect(() => decided(scheduledItem, events, 'park', { reason: 'Paused' })).toThrow('not in the queue');
      expect(() => decided(scheduledItem, events, 'resume', {})).toThrow('not in the queue');
      expect(() => decided(scheduledItem, events, 'lease', lease)).toThrow('not in the queue');
    }
  });

  it('is kept as it is wanted, without a turn, by none that has one', () => {
    const later = decided(scheduledItem, [], 'want', { ...wanted, model: 'm2' });
    expect(stateOf(scheduledItem, later)).toMatchObject({ place: 'removed', model: 'm2', attemptCount: 0 });
    const removed = then(leased, (events) => decided(scheduledItem, events, 'remove', { success: false }));
    const again = then(removed, (events) =>
      decided(scheduledItem, events, 'want', { ...wanted, profileId: 'planner' }),
    );
    expect(stateOf(scheduledItem, again)).toMatchObject({ place: 'removed', profileId: 'planner', attemptCount: 1 });
    expect(() => decided(scheduledItem, queued, 'want', wanted)).toThrow('is in the queue');
  });
});
