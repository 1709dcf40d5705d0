/** Snapshot of what is known of a work unit. */
import {
  type ProjectionSnapshot,
  projectionSnapshot,
} from '../record/aggregates/projection-snapshot/projection-snapshot.js';
import { unitOf } from '../record/views/by-id.js';
import type { Change } from '../record/ledger/change.js';
import { sightingOf } from './delta.js';
import type { Sources } from './sources.js';

export function capture(change: Change, sources: Sources, workUnitId: string): ProjectionSnapshot {
  const { status } = unitOf(sources.records, workUnitId);
  const { artifacts, completedTaskIds } = sightingOf(sources, workUnitId);
  const snapshotId = change.newId('snapshot-');
  return change.run(projectionSnapshot, snapshotId, 'capture', {
    snapshotId,
    workUnitId,
    workUnitStatus: status,
    artifacts: [...artifacts],
    completedTaskIds: [...completedTaskIds],
  });
}
