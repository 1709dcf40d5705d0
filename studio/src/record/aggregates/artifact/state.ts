/** State of an artifact, folded from its events. */
import type { Told } from '../aggregate.js';
import type { ArtifactEvent, ArtifactGiven, ArtifactStatus, ArtifactType } from './events.js';

export interface Artifact extends Omit<ArtifactGiven, 'artifactType' | 'firstRecordedAt'> {
  readonly artifactId: string;
  readonly type: ArtifactType;
  readonly createdAt: string;
  readonly invalidatedByArtifactId?: string;
  /** Reason of the present status. */
  readonly statusReason?: string;
}

export function evolve(state: Artifact | undefined, event: ArtifactEvent, { at }: Told): Artifact | undefined {
  if (event.type === 'ArtifactRecorded') return state ?? recorded(event, at);
  if (!state) return state;
  switch (event.type) {
    case 'ArtifactStatusChanged': {
      const { newStatus, reason, byArtifactId } = event;
      const isInvalidated = newStatus === 'Invalidated' && byArtifactId !== undefined;
      return {
        ...state,
        status: newStatus,
        ...(reason === undefined ? {} : { statusReason: reason }),
        ...(isInvalidated ? { invalidatedByArtifactId: byArtifactId } : {}),
      };
    }
    case 'ArtifactScopeChanged': {
      const { repositoryId: _before, ...rest } = state;
      const { reach, repositoryId, scopeVersion } = event;
      return { ...rest, reach, scopeVersion, ...(repositoryId === null ? {} : { repositoryId }) };
    }
    case 'ArtifactInvalidationCascaded':
      return state;
  }
}

/** Whether an artifact is in force, so that work may be based on it. */
export function isInForce({ status }: { readonly status: ArtifactStatus }): boolean {
  return status === 'Active' || status === 'Approved' || status === 'Applied';
}

function recorded(event: Extract<ArtifactEvent, { type: 'ArtifactRecorded' }>, at: string): Artifact {
  const { type: _type, v: _v, artifactType, firstRecordedAt = at, ...given } = event;
  return { ...given, type: artifactType, createdAt: firstRecordedAt };
}
