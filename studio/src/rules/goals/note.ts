/** Note to whoever works on a unit or below it, recorded as an artifact so that they are given it. */
import { artifact } from '../../record/aggregates/artifact/artifact.js';
import type { ArtifactType } from '../../record/aggregates/artifact/events.js';
import type { Artifact } from '../../record/aggregates/artifact/state.js';
import type { Change } from '../../record/ledger/change.js';
import { unitIn } from './tree.js';

export interface Note {
  readonly type: ArtifactType;
  readonly title: string;
  readonly body: string;
}

export function note(change: Change, workUnitId: string, { type, title, body }: Note): Artifact {
  const { repositoryId } = unitIn(change, workUnitId);
  const artifactId = change.newId('artifact-');
  return change.run(artifact, artifactId, 'record', {
    artifactId,
    artifactType: type,
    status: 'Active',
    title,
    body,
    ownedByWorkUnitId: workUnitId,
    supersedes: [],
    scopeVersion: 0,
    ...(repositoryId === undefined ? {} : { repositoryId }),
  });
}
