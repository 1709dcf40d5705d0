/** Artifacts: queried, recorded, and taken back. */
import { artifact, privateArtifact } from '../../record/aggregates/artifact/artifact.js';
import type { ArtifactGiven, ArtifactStatus, ArtifactType, Reach } from '../../record/aggregates/artifact/events.js';
import type { Artifact } from '../../record/aggregates/artifact/state.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { unitOf } from '../../record/views/by-id.js';
import { lineageOf, unitIn } from '../goals/tree.js';

/** Finds an artifact in either room. While it moves between them, the newer version counts. */
export function findArtifact({ artifacts, privateArtifacts }: Records, artifactId: string): Artifact | undefined {
  const shared = artifacts.get(artifactId);
  const own = privateArtifacts.get(artifactId);
  const held = [shared?.reach === 'Private' ? undefined : shared, own?.reach === 'Private' ? own : undefined];
  return held.reduce((best, one) => (one && one.scopeVersion >= (best?.scopeVersion ?? 0) ? one : best), undefined);
}

export function artifactOf(records: Records, artifactId: string): Artifact {
  const found = findArtifact(records, artifactId);
  if (found) return found;
  throw refusal('reject.artifact_not_found', `no artifact is called ${artifactId}`, { artifactId });
}

/** Artifact that is shared with others. */
function sharedArtifactOf(records: Records, artifactId: string): Artifact {
  const found = artifactOf(records, artifactId);
  if (found.reach !== 'Private') return found;
  throw refusal('reject.wrong_state', `${artifactId} is private: nothing of the workgroup can name it`, { artifactId });
}

/** Version of an artifact, for `If-Match`. */
export function artifactVersion(records: Records, { artifactId }: { readonly artifactId: string }): number | undefined {
  const { artifacts, privateArtifacts } = records;
  return artifacts.version(artifactId) + privateArtifacts.version(artifactId) || undefined;
}

export interface Query {
  readonly type?: ArtifactType | undefined;
  /** Words that must all be in the title or the body. */
  readonly keywords?: string | undefined;
  readonly includeAncestors?: boolean | undefined;
}

/** Artifacts of a work unit and of its ancestors, root first, oldest first. Without a unit, all of them. */
export function queryArtifacts(
  records: Records,
  workUnitId: string | undefined,
  { type, keywords = '', includeAncestors = true }: Query = {},
): Artifact[] {
  const words = keywords.toLowerCase().split(/\s+/).filter(Boolean);
  return artifactsOf(records, workUnitId, includeAncestors)
    .filter((one) => type === undefined || one.type === type)
    .filter(({ title = '', body = '' }) => {
      const text = `${title}\n${body}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
}

function artifactsOf(records: Records, workUnitId: string | undefined, includeAncestors: boolean): Artifact[] {
  const { artifacts, privateArtifacts } = records;
  if (workUnitId === undefined)
    return [...artifacts.all(), ...privateArtifacts.all()].filter(
      (one) => findArtifact(records, one.artifactId) === one,
    );
  const units = includeAncestors ? lineageOf(records, workUnitId) : [unitOf(records, workUnitId)];
  return units.flatMap((unit) => artifacts.where('owner', unit.workUnitId));
}

export interface NewArtifact {
  readonly type: ArtifactType;
  readonly status?: ArtifactStatus;
  readonly title?: string | undefined;
  readonly body?: string | undefined;
  readonly parentArtifactId?: string | undefined;
  readonly workUnitId?: string | undefined;
  readonly agentId?: string | undefined;
  readonly supersedes?: readonly string[] | undefined;
  readonly repositoryId?: string | undefined;
  readonly reach?: Reach | undefined;
  readonly promotedFromArtifactId?: string | undefined;
  /** Prefix of the id. Default: by type. */
  readonly idPrefix?: string | undefined;
}

/** Records an artifact; the one that it supersedes changes status in the same change. */
export function recordArtifact(change: Change, records: Records, wanted: NewArtifact): Artifact {
  const { type, workUnitId, agentId, supersedes = [], parentArtifactId, idPrefix, ...rest } = wanted;
  const isRule = type === 'Constraint' && workUnitId === undefined;
  const unit = workUnitId === undefined ? undefined : unitIn(change, workUnitId);
  if (parentArtifactId !== undefined && sharedArtifactOf(records, parentArtifactId).status === 'Invalidated')
    throw refusal('reject.wrong_state', `artifact ${parentArtifactId} was invalidated`, { parentArtifactId });
  const artifactId = change.newId(idPrefix ?? (isRule ? 'constraint-' : 'artifact-'));
  for (const superseded of supersedes) {
    sharedArtifactOf(records, superseded);
    change.run(artifact, superseded, 'become', { to: 'Superseded', byArtifactId: artifactId });
  }
  const given: ArtifactGiven & { artifactId: string } = {
    ...(isRule ? { reach: 'Workgroup', status: 'Approved' } : { status: 'Active' }),
    ...present(rest),
    artifactId,
    artifactType: type,
    supersedes: [...supersedes],
    scopeVersion: 0,
    ...present({ parentArtifactId, ownedByWorkUnitId: workUnitId, ownedByAgentId: agentId }),
    ...(rest.repositoryId === undefined ? present({ repositoryId: unit?.repositoryId }) : {}),
  };
  return wanted.reach === 'Private'
    ? change.run(privateArtifact, artifactId, 'record', given)
    : change.run(artifact, artifactId, 'record', given);
}

/** Invalidates an artifact, with all that was derived from it. */
export function invalidateArtifact(change: Change, records: Records, artifactId: string, reason: string): Artifact {
  const found = artifactOf(records, artifactId);
  if (found.status === 'Invalidated') return found;
  const end = { to: 'Invalidated', reason } as const;
  if (found.reach === 'Private') return change.run(privateArtifact, artifactId, 'become', end);
  const ended = change.run(artifact, artifactId, 'become', end);
  const flagged = descendantsOf(records, artifactId).filter(({ status }) => status !== 'Invalidated');
  for (const below of flagged) change.run(artifact, below.artifactId, 'become', { ...end, byArtifactId: artifactId });
  if (flagged.length === 0) return ended;
  const flaggedArtifactIds = flagged.map((below) => below.artifactId);
  return change.run(artifact, artifactId, 'cascade', { reason, flaggedArtifactIds });
}

function descendantsOf({ artifacts }: Records, artifactId: string): Artifact[] {
  const found = artifacts.where('parent', artifactId);
  for (const one of found) found.push(...artifacts.where('parent', one.artifactId));
  return found;
}

/** Omits undefined fields. */
export function present<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // Object.entries loses the types of the fields, which stay as they are.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
