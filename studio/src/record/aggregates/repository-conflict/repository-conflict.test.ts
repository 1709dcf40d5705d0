import { describe, expect, it } from 'vitest';
import { decided, stateOf } from '../../../testing/record/given.js';
import { repositoryConflict } from './repository-conflict.js';

const conflictId = 'rc-1';
const given = { conflictId, repositoryId: 'r', path: 'a', mergeConflictId: 'conflict-1', opIdA: 'MP-1', opIdB: 'MP-2' };
const found = decided(repositoryConflict, [], 'detect', given);

describe('a file in conflict', () => {
  it('is found once, and resolved once', () => {
    expect(decided(repositoryConflict, found, 'detect', given)).toEqual([]);
    const blobId = 'a'.repeat(40);
    const resolved = decided(repositoryConflict, found, 'resolve', { strategy: 'human', blobId, byOpId: 'MP-3' });
    const events = [...found, ...resolved];
    expect(stateOf(repositoryConflict, events)).toMatchObject({
      status: 'Resolved',
      resolution: { strategy: 'human', blobId, byOpId: 'MP-3' },
    });
    expect(decided(repositoryConflict, events, 'resolve', { byOpId: 'MP-4' })).toEqual([]);
    expect(() => decided(repositoryConflict, events, 'dismiss', {})).toThrow('is resolved');
  });

  it('that was dismissed may still be resolved', () => {
    const events = [...found, ...decided(repositoryConflict, found, 'dismiss', {})];
    expect(stateOf(repositoryConflict, events)?.status).toBe('Dismissed');
    expect(decided(repositoryConflict, events, 'dismiss', {})).toEqual([]);
    expect(decided(repositoryConflict, events, 'resolve', { byOpId: 'MP-3' })).toHaveLength(1);
  });

  it('is worked on anew once', () => {
    const events = [...found, ...decided(repositoryConflict, found, 'requeue', { workUnitId: 'wu-2' })];
    expect(stateOf(repositoryConflict, events)?.requeuedWorkUnitId).toBe('wu-2');
    expect(decided(repositoryConflict, events, 'requeue', { workUnitId: 'wu-3' })).toEqual([]);
    expect(() => decided(repositoryConflict, [], 'dismiss', {})).toThrow('no conflict');
  });
});
