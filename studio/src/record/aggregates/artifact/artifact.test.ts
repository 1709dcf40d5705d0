import { describe, expect, it } from 'vitest';
import { decided, stateOf, told } from '../../../testing/record/given.js';
import { artifact, privateArtifact } from './artifact.js';
import { ARTIFACT_STATUSES, type ArtifactEvent, type ArtifactGiven } from './events.js';
import { isInForce } from './state.js';

const given: ArtifactGiven & { artifactId: string } = {
  artifactId: 'artifact-1',
  artifactType: 'Research',
  status: 'Active',
  title: 't',
  body: 'b',
  ownedByWorkUnitId: 'wu-1',
  supersedes: ['artifact-0'],
  scopeVersion: 0,
};
const recorded = decided(artifact, [], 'record', given);
const after = (...steps: ((events: readonly ArtifactEvent[]) => readonly ArtifactEvent[])[]) =>
  steps.reduce((events, step) => [...events, ...step(events)], recorded);

describe('an artifact', () => {
  it('begins as it was given', () => {
    const { artifactType, ...rest } = given;
    expect(stateOf(artifact, recorded)).toEqual({ ...rest, type: artifactType, createdAt: told.at });
    expect(() => decided(artifact, recorded, 'record', given)).toThrow('is there already');
  });

  it('keeps the time of its first record when it comes from another place', () => {
    const moved = { ...given, firstRecordedAt: '2025-01-01T00:00:00.000Z' };
    const state = stateOf(privateArtifact, decided(privateArtifact, [], 'record', moved));
    expect(state?.createdAt).toBe('2025-01-01T00:00:00.000Z');
    expect(state).not.toHaveProperty('firstRecordedAt');
  });

  it('says why it does not count any more, and what it fell with', () => {
    const fallen = after((events) =>
      decided(artifact, events, 'become', { to: 'Invalidated', reason: 'wrong', byArtifactId: 'artifact-0' }),
    );
    expect(fallen.at(-1)).toEqual({
      type: 'ArtifactStatusChanged',
      v: 1,
      artifactId: 'artifact-1',
      reason: 'wrong',
      previousStatus: 'Active',
      newStatus: 'Invalidated',
      byArtifactId: 'artifact-0',
    });
    expect(stateOf(artifact, fallen)).toMatchObject({
      status: 'Invalidated',
      statusReason: 'wrong',
      invalidatedByArtifactId: 'artifact-0',
    });
    expect(decided(artifact, fallen, 'become', { to: 'Invalidated' })).toEqual([]);
  });

  it('does not come back', () => {
    for (const end of ['Superseded', 'Rejected', 'Invalidated'] as const) {
      const events = after((events) => decided(artifact, events, 'become', { to: end }));
      for (const to of ARTIFACT_STATUSES.filter((status) => isInForce({ status })))
        expect(() => decided(artifact, events, 'become', { to })).toThrow(`is ${end} cannot become ${to}`);
    }
    expect(ARTIFACT_STATUSES.filter((status) => isInForce({ status }))).toEqual(['Active', 'Approved', 'Applied']);
  });

  it('changes its scope once', () => {
    const scope = { reach: 'Workgroup', repositoryId: 'repo-1', scopeVersion: 1 } as const;
    const scoped = after((events) => decided(artifact, events, 'rescope', scope));
    expect(stateOf(artifact, scoped)).toMatchObject(scope);
    expect(decided(artifact, scoped, 'rescope', { ...scope, scopeVersion: 2 })).toEqual([]);
    const wide = [...scoped, ...decided(artifact, scoped, 'rescope', { ...scope, repositoryId: null })];
    expect(stateOf(artifact, wide)).not.toHaveProperty('repositoryId');
  });

  it('is refused what it does not know', () => {
    expect(() => decided(artifact, [], 'become', { to: 'Applied' })).toThrow('no artifact has this id');
  });
});
