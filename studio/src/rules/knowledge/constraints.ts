/**
 * Constraints of a work unit.
 *
 * A constraint that a work unit owns is for it and all below it. A global one, which nobody owns, is for every unit of its
 * repository, or of all; it is held by the workgroup, or by this host alone if it is private.
 */
import { artifact, privateArtifact } from '../../record/aggregates/artifact/artifact.js';
import type { Reach } from '../../record/aggregates/artifact/events.js';
import { type Artifact, isInForce } from '../../record/aggregates/artifact/state.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { lineageOf } from '../goals/tree.js';
import { artifactOf, findArtifact, present } from './artifacts.js';

/** Global constraints in force, oldest first; for one repository also those for all. */
export function globalConstraints(records: Records, repositoryId?: string): Artifact[] {
  const { artifacts, privateArtifacts } = records;
  const all = [...artifacts.where('unowned', 'Constraint'), ...privateArtifacts.all()];
  return all
    .filter((one) => findArtifact(records, one.artifactId) === one && isInForce(one))
    .filter((one) => repositoryId === undefined || one.repositoryId === undefined || one.repositoryId === repositoryId);
}

function lineageConstraints(records: Records, workUnitId: string): Artifact[] {
  return lineageOf(records, workUnitId)
    .flatMap((unit) => records.artifacts.where('owner', unit.workUnitId))
    .filter((one) => one.type === 'Constraint' && isInForce(one));
}

export function disabledHere({ constraintSwitches }: Records): ReadonlySet<string> {
  return new Set(constraintSwitches.all().flatMap(({ artifactId, disabled }) => (disabled ? [artifactId] : [])));
}

/** Constraints of a unit: global ones, then from the goal's root down. A promoted one is not repeated. */
export function constraintsFor(
  records: Records,
  workUnitId: string,
  locallyDisabled: ReadonlySet<string> = disabledHere(records),
): Artifact[] {
  const lineage = lineageConstraints(records, workUnitId);
  const { repositoryId } = lineageOf(records, workUnitId).at(-1)!;
  const isEnabled = ({ artifactId }: Artifact): boolean => !locallyDisabled.has(artifactId);
  const global = globalConstraints(records)
    .filter((one) => one.repositoryId === undefined || one.repositoryId === repositoryId)
    .filter(isEnabled);
  const promoted = new Set(global.map(({ promotedFromArtifactId }) => promotedFromArtifactId));
  return [...global, ...lineage.filter((one) => isEnabled(one) && !promoted.has(one.artifactId))];
}

export function globalConstraintOf(records: Records, artifactId: string): Artifact {
  const found = artifactOf(records, artifactId);
  if (found.type === 'Constraint' && found.ownedByWorkUnitId === undefined) return found;
  throw refusal('reject.not_a_constraint', `${artifactId} is no global constraint`, { artifactId, type: found.type });
}

/** Global copy of a promoted constraint, in either room. */
export function promotionOf(records: Records, artifactId: string): Artifact | undefined {
  const { artifacts, privateArtifacts } = records;
  const copies = [
    ...artifacts.where('promotedFrom', artifactId),
    ...privateArtifacts.where('promotedFrom', artifactId),
  ];
  return copies.find((copy) => findArtifact(records, copy.artifactId) === copy);
}

export interface ConstraintScope {
  readonly reach: Reach;
  /** Repository; undefined for all. */
  readonly repositoryId: string | undefined;
}

/**
 * Two-phase move between rooms: a constraint is held in the room that its reach asks for, and no change can write to both.
 * `enter` writes the newer version to the new room first; `leave` makes the old room agree. A crash between them shows nothing
 * wrong, and repeating both completes it.
 */
export function enter(change: Change, found: Artifact, { reach, repositoryId }: ConstraintScope): Artifact {
  const { artifactId } = found;
  const target = reach === 'Private' ? privateArtifact : artifact;
  if (!isInForce(found))
    throw refusal('reject.wrong_state', `${artifactId} is ${found.status}`, { artifactId, status: found.status });
  const isThere = found.reach === reach && found.repositoryId === repositoryId;
  if (isThere) return found;
  const scopeVersion = found.scopeVersion + 1;
  if (change.state(target, artifactId))
    return change.run(target, artifactId, 'rescope', {
      reach,
      repositoryId: repositoryId ?? null,
      scopeVersion,
    });
  const { type, createdAt, repositoryId: _before, statusReason: _why, invalidatedByArtifactId: _by, ...given } = found;
  const moved = { ...given, artifactType: type, firstRecordedAt: createdAt, reach, scopeVersion };
  return change.run(target, artifactId, 'record', { ...moved, ...present({ repositoryId }) });
}

export function leave(change: Change, now: Artifact): void {
  const { artifactId, reach = 'Workgroup', repositoryId = null, scopeVersion } = now;
  const source = reach === 'Private' ? artifact : privateArtifact;
  if (change.state(source, artifactId))
    change.run(source, artifactId, 'rescope', { reach, repositoryId, scopeVersion });
}
