import { describe, expect, it } from 'vitest';
import { decided, stateOf, told } from '../../../testing/record/given.js';
import { conflict } from './conflict.js';

const given = {
  kind: 'candidate' as const,
  conflictId: 'c-1',
  proposalId: 'MP-1',
  repositoryId: 'repo-1',
  targetBranch: 'candidate',
  conflictingPaths: ['a'],
};
const found = { ...given, conflictingPaths: ['a'] };
const detected = decided(conflict, [], 'detect', found);

describe('a conflict', () => {
  it('is open when it is found, once', () => {
    expect(stateOf(conflict, detected)).toEqual({ ...found, status: 'Open', detectedAt: told.at });
    expect(decided(conflict, detected, 'detect', found)).toEqual([]);
  });

  it('is reconciled by one unit at a time, and begun again by who asks once more', () => {
    const once = [...detected, ...decided(conflict, detected, 'reconcile', { workUnitId: 'wu-1' })];
    expect(stateOf(conflict, once)).toMatchObject({ status: 'Reconciling', reconcilingWorkUnitId: 'wu-1' });
    const again = decided(conflict, once, 'reconcile', { workUnitId: 'wu-2' });
    expect(again.map(({ type }) => type)).toEqual(['ConflictReopened', 'ConflictReconciling']);
    expect(stateOf(conflict, [...once, ...again])).toMatchObject({ reconcilingWorkUnitId: 'wu-2' });
  });

  it('is resolved for good', () => {
    const resolved = [...detected, ...decided(conflict, detected, 'resolve', { proposalId: 'MP-2' })];
    expect(stateOf(conflict, resolved)).toMatchObject({ status: 'Resolved', resolvedBy: 'MP-2' });
    for (const decide of [
      () => decided(conflict, resolved, 'resolve', { proposalId: 'MP-3' }),
      () => decided(conflict, resolved, 'reconcile', { workUnitId: 'wu-1' }),
    ])
      expect(decide).toThrow('conflict c-1 is resolved');
    expect(() => decided(conflict, [], 'resolve', { proposalId: 'MP-2' })).toThrow('no conflict has this id');
  });
});
