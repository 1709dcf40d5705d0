/** Delta between two looks at the same work. */
import type { Artifact } from '../record/aggregates/artifact/state.js';
import { queryArtifacts } from '../rules/knowledge/artifacts.js';
import { constraintsFor } from '../rules/knowledge/constraints.js';
import type { Sources } from './sources.js';

type Status = Artifact['status'];

/** Sighting: what was there at one look. */
export interface Sighting {
  readonly artifacts: readonly { readonly artifactId: string; readonly status: Status }[];
  readonly completedTaskIds: readonly string[];
}

/** Sighting without what is private to this host, so that it can be recorded. */
export function sightingOf({ records, progress }: Sources, workUnitId: string): Sighting {
  const known = [...queryArtifacts(records, workUnitId), ...constraintsFor(records, workUnitId, new Set())];
  const shared = known
    .filter(({ reach }) => reach !== 'Private')
    .map(({ artifactId, status }) => [artifactId, status] as const);
  const done = progress.tasks.filter((task) => task.workUnitId === workUnitId && task.status === 'Completed');
  return {
    artifacts: [...new Map(shared)].map(([artifactId, status]) => ({ artifactId, status })),
    completedTaskIds: done.map(({ taskId }) => taskId),
  };
}

export interface Delta {
  readonly added: readonly string[];
  /** Artifacts that are gone or no longer in force. */
  readonly removed: readonly string[];
  readonly statusChanged: readonly { readonly artifactId: string; readonly before: Status; readonly after: Status }[];
  readonly completedTaskIds: readonly string[];
}

const ENDED: ReadonlySet<Status> = new Set(['Rejected', 'Superseded', 'Invalidated']);

export function deltaOf(before: Sighting, after: Sighting): Delta {
  const was = new Map(before.artifacts.map(({ artifactId, status }) => [artifactId, status]));
  const is = new Map(after.artifacts.map(({ artifactId, status }) => [artifactId, status]));
  const changed = [...was].flatMap(([artifactId, before]) => {
    const after = is.get(artifactId);
    return after === undefined || after === before ? [] : [{ artifactId, before, after }];
  });
  const gone = [...was.keys()].filter((artifactId) => !is.has(artifactId));
  return {
    added: [...is.keys()].filter((artifactId) => !was.has(artifactId)),
    removed: [...gone, ...changed.filter(({ after }) => ENDED.has(after)).map(({ artifactId }) => artifactId)],
    statusChanged: changed,
    completedTaskIds: after.completedTaskIds.filter((taskId) => !before.completedTaskIds.includes(taskId)),
  };
}
