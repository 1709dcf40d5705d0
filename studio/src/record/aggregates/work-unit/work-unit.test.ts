import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decided, stateOf, told } from '../../../testing/record/given.js';
import type { WorkUnitEvent } from './events.js';
import { TRANSITIONS, WORK_UNIT_STATUSES, type WorkUnitStatus, isOver } from './status.js';
import { workUnit } from './work-unit.js';

const created: WorkUnitEvent = {
  type: 'WorkUnitCreated',
  v: 1,
  workUnitId: 'wu-1',
  goal: 'build it',
  branchId: 'work-1',
  owner: 'ann',
  dependsOn: [],
  fileScope: [],
  bypassPromotionBranch: false,
  expectedOutputKind: 'FileChange',
  taskReviewPolicy: 'HumanRequired',
  workspaceReviewPolicy: 'HumanRequired',
  sliceId: 's1',
};

function moved(...path: WorkUnitStatus[]): WorkUnitEvent[] {
  const steps = path.map((newStatus, i): WorkUnitEvent => {
    const previousStatus = path[i - 1] ?? 'Created';
    return { type: 'WorkUnitStatusChanged', v: 1, workUnitId: 'wu-1', previousStatus, newStatus };
  });
  return [created, ...steps];
}

describe('a work unit', () => {
  it('begins as it was given', () => {
    const { type: _type, v: _v, sliceId, ...given } = created;
    const [event] = decided(workUnit, [], 'create', { ...given, sliceId });
    expect(event).toEqual(created);
    expect(stateOf(workUnit, [created])).toEqual({
      ...given,
      status: 'Created',
      createdAt: told.at,
      updatedAt: told.at,
      workspaceId: 'workspace-default',
      executionInfo: { failureAttemptCount: 0, automatedReviewRejectionCount: 0, humanReviewRejectionCount: 0 },
      fanOutInfo: { sliceId },
    });
  });

  it('moves along the table, and no other way', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...WORK_UNIT_STATUSES), { maxLength: 12 }), (wanted) => {
        let events: readonly WorkUnitEvent[] = [created];
        for (const to of wanted) {
          const { status } = stateOf(workUnit, events)!;
          const isAllowed = status === to || TRANSITIONS[status].includes(to);
          let refused: unknown;
          try {
            events = [...events, ...decided(workUnit, events, 'move', { to })];
          } catch (error) {
            refused = error;
          }
          expect(refused === undefined).toBe(isAllowed);
          if (!isAllowed)
            expect(refused).toMatchObject({
              reason: 'reject.wrong_state',
              data: { workUnitId: 'wu-1', status, possible: TRANSITIONS[status] },
            });
        }
        const last = events.at(-1);
        const ended = last?.type === 'WorkUnitStatusChanged' ? last.newStatus : 'Created';
        expect(stateOf(workUnit, events)?.status).toBe(ended);
      }),
    );
  });

  it('says where it came from and why', () => {
    expect(decided(workUnit, moved('Queued'), 'move', { to: 'Cancelled', reason: 'no need' })).toEqual([
      {
        type: 'WorkUnitStatusChanged',
        v: 1,
        workUnitId: 'wu-1',
        reason: 'no need',
        previousStatus: 'Queued',
        newStatus: 'Cancelled',
      },
    ]);
    expect(decided(workUnit, moved('Queued'), 'move', { to: 'Queued' })).toEqual([]);
  });

  it('leaves its end only where the table says so: merged and completed work stays', () => {
    for (const status of WORK_UNIT_STATUSES)
      expect(TRANSITIONS[status].length === 0, status).toBe(status === 'Completed' || status === 'Merged');
    expect(WORK_UNIT_STATUSES.filter(isOver)).toEqual(['Completed', 'Cancelled', 'Merged']);
  });

  it('changes its scope until it is over', () => {
    expect(decided(workUnit, moved(), 'scope', { fileScope: ['src/**'] })).toEqual([
      { type: 'WorkUnitFileScopeChanged', v: 1, workUnitId: 'wu-1', previousScope: [], newScope: ['src/**'] },
    ]);
    expect(decided(workUnit, moved(), 'scope', { fileScope: [] })).toEqual([]);
    for (const end of [moved('Cancelled'), moved('Completed')])
      expect(() => decided(workUnit, end, 'scope', { fileScope: ['x'] })).toThrow('is C');
  });

  it('takes a correction into its goal', () => {
    const events = [...moved(), ...decided(workUnit, moved(), 'amend', { correction: 'in French' })];
    expect(stateOf(workUnit, events)?.goal).toBe('build it\n\nCorrection: in French');
  });

  it('is assigned, staged, blocked, counted and made to wait, each once', () => {
    let events: readonly WorkUnitEvent[] = [created];
    const both = (decide: () => readonly WorkUnitEvent[]): void => {
      const first = decide();
      expect(first).toHaveLength(1);
      events = [...events, ...first];
      expect(decide()).toEqual([]);
    };
    both(() => decided(workUnit, events, 'assign', { agentId: 'a1' }));
    both(() => decided(workUnit, events, 'stage', { stage: 'Execute' }));
    both(() => decided(workUnit, events, 'block', { reason: 'no model' }));
    both(() => decided(workUnit, events, 'count', { counter: 'failureAttemptCount', value: 2 }));
    both(() => decided(workUnit, events, 'depend', { dependsOn: ['wu-0'] }));
    expect(stateOf(workUnit, events)).toMatchObject({
      assignedAgent: 'a1',
      currentStage: 'Execute',
      dependsOn: ['wu-0'],
      fanOutInfo: { sliceId: 's1', blockedReason: 'no model' },
      executionInfo: { failureAttemptCount: 2 },
    });
    both(() => decided(workUnit, events, 'assign', { agentId: null }));
    both(() => decided(workUnit, events, 'stage', { stage: null }));
    both(() => decided(workUnit, events, 'block', { reason: null }));
    const state = stateOf(workUnit, events)!;
    expect(['assignedAgent' in state, 'currentStage' in state, state.fanOutInfo]).toEqual([
      false,
      false,
      { sliceId: 's1' },
    ]);
  });

  it('is refused what it does not know', () => {
    expect(() => decided(workUnit, [], 'move', { to: 'Queued' })).toThrow('no work unit has this id');
  });
});
