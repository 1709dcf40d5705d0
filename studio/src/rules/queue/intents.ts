/** Intents of agents to change files, and where they overlap. */
import { normalisedPath } from '../../record/aggregates/file-lease/file-lease.js';
import { type Intent, intent } from '../../record/aggregates/intent/intent.js';
import { isOver } from '../../record/aggregates/work-unit/status.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { unitOf } from '../../record/views/by-id.js';

export interface Intended {
  readonly workUnitId: string;
  readonly intentType: string;
  readonly targetPath: string;
  readonly regionDescriptor?: string | undefined;
  readonly baseSnapshotHash?: string | undefined;
}

export function recordIntent(change: Change, records: Records, intended: Intended): Intent {
  unitOf(records, intended.workUnitId);
  if (normalisedPath(intended.targetPath) === undefined)
    throw refusal('reject.path_outside_repository', `${intended.targetPath} is not a path within the repository`);
  const intentId = change.newId('CI-');
  return change.run(intent, intentId, 'record', { ...intended, intentId });
}

export function overlapOf(records: Records, workUnitId: string) {
  const files = new Set<string>();
  const units = new Set<string>();
  const repositoryId = records.workUnits.get(workUnitId)?.repositoryId;
  for (const { targetPath } of records.intents.where('workUnit', workUnitId))
    for (const other of records.intents.where('path', targetPath)) {
      const unit = records.workUnits.get(other.workUnitId);
      if (!unit || unit.workUnitId === workUnitId || isOver(unit.status) || unit.repositoryId !== repositoryId)
        continue;
      files.add(targetPath);
      units.add(unit.workUnitId);
    }
  return { overlappingFiles: [...files], conflictingWorkUnitIds: [...units] };
}
