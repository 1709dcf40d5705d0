/**
 * Stored branch: a branch as a ref in the object store of its repository.
 *
 * `main` is the user's own branch and `candidate` the staging branch before it; every repository has these two. Every other id
 * names one branch. That of a work unit, and the one where a unit's parts are merged, are created on first use.
 */
import { branch } from '../../record/aggregates/branch/branch.js';
import { CANDIDATE } from '../../record/aggregates/merge-proposal/state.js';
import { OPTIONS_ID } from '../../record/aggregates/options/options.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import type { ObjectStore } from '../../workspace/git/objects/object-store.js';
import { branchRef } from '../../workspace/git/objects/ref-names.js';
import type { SpaceKey } from '../../workspace/git/spaces/spaces.js';
import type { BranchContext } from './branch-context.js';

export const MAIN = 'main';
const MERGE = 'merge/';
const EPOCH = '1970-01-01T00:00:00Z';

export interface StoredBranch extends SpaceKey {
  readonly store: ObjectStore;
  readonly ref: string;
}

/** Reserved names, which no branch of a caller may have. */
export function isReserved(records: Records, named: string): boolean {
  const branchId = branchNamed(records, named);
  return branchId === MAIN || branchId === CANDIDATE || branchId.startsWith(MERGE);
}

/** Resolves the alias that the options may give the candidate branch. */
export function branchNamed({ options }: Records, name: string): string {
  return name === options.get(OPTIONS_ID)?.candidateBranchId ? CANDIDATE : name;
}

/** Whether it is a work unit's branch that was not created yet. */
export function isUnbegun({ branches, workUnits }: Records, branchId: string): boolean {
  if (branches.get(branchId)) return false;
  const parent = parentOfMergeBranch(branchId);
  return parent === undefined ? workUnits.where('branch', branchId).length > 0 : workUnits.get(parent) !== undefined;
}

/** Merge branch of a unit: its parts are merged there first. */
export function mergeBranchOf(workUnitId: string): string {
  return MERGE + workUnitId;
}

/** Unit of a merge branch. */
export function parentOfMergeBranch(branchId: string): string | undefined {
  return branchId.startsWith(MERGE) ? branchId.slice(MERGE.length) : undefined;
}

export async function storedBranch(
  context: BranchContext,
  named: string,
  repositoryId?: string,
): Promise<StoredBranch> {
  const branchId = branchNamed(context.records, named);
  const known = context.records.branches.get(branchId) ?? (await begun(context, branchId, repositoryId));
  const found = known?.repositoryId ?? repositoryOr(context.records, repositoryId);
  if (repositoryId !== undefined && found !== repositoryId)
    throw refusal('reject.branch_not_found', `branch ${branchId} is of another repository`, {
      branchId,
      repositoryId: found,
    });
  return branchIn(context, found, branchId);
}

async function branchIn(
  { disk }: Pick<BranchContext, 'disk'>,
  repositoryId: string,
  branchId: string,
): Promise<StoredBranch> {
  return { repositoryId, branchId, store: await disk.stores.of(repositoryId), ref: branchRef(branchId) };
}

/** Head: the commit that a branch is at. */
export async function headOf(context: BranchContext, branch: StoredBranch): Promise<string> {
  const { store, ref, branchId } = branch;
  if (branchId === MAIN) return context.lane.inOrder(`main ${branch.repositoryId}`, () => takeOver(context, branch));
  if (branchId === CANDIDATE)
    return context.lane.inOrder(`candidate ${branch.repositoryId}`, () => keepUp(context, branch));
  const now = await store.at(ref);
  if (now !== undefined) return now;
  const seed = context.records.branches.get(branchId)?.seedSnapshotId;
  if (seed === undefined || !(await store.has(seed)))
    throw refusal(
      'reject.objects_missing',
      `${seed ?? 'the commit'}, which ${branchId} began with, is not on this host`,
      { branchId },
    );
  await store.move(ref, undefined, seed);
  return (await store.at(ref)) ?? seed;
}

/** Creates a branch at a commit. */
async function beginBranch(
  context: BranchContext,
  given: {
    readonly branchId: string;
    readonly repositoryId: string;
    readonly parentId?: string;
    readonly workUnitId?: string;
  },
  seedSnapshotId: string,
): Promise<StoredBranch> {
  await context.change((change) => change.run(branch, given.branchId, 'create', { ...given, seedSnapshotId }));
  const made = await branchIn(context, given.repositoryId, given.branchId);
  await headOf(context, made);
  return made;
}

/** Default repository: the only one, where none is named. */
export function repositoryOr({ repositories }: Records, repositoryId: string | undefined): string {
  if (repositoryId !== undefined) {
    if (repositories.get(repositoryId)) return repositoryId;
    throw refusal('reject.repository_not_found', `no repository ${repositoryId} is registered`, { repositoryId });
  }
  const all = repositories.all();
  if (all.length === 1) return all[0]!.repositoryId;
  throw refusal('reject.branch_unknown_repository', `${all.length} repositories are registered; name one`, {
    repositoryIds: all.slice(0, 100).map((found) => found.repositoryId),
  });
}

/** Folder of the user's repository, which must still hold it. */
export async function folderOf(
  { records, git }: Pick<BranchContext, 'records' | 'git'>,
  repositoryId: string,
): Promise<string> {
  const found = records.repositories.get(repositoryId);
  if (!found)
    throw refusal('reject.repository_not_found', `no repository ${repositoryId} is registered`, { repositoryId });
  if (await git.holds(found.path, found.rootCommits)) return found.path;
  throw refusal('reject.repository_folder_missing', `${found.path} no longer holds ${repositoryId}`, {
    path: found.path,
  });
}

/** Root commit for a user's repository without any. */
export async function emptyCommit(store: ObjectStore): Promise<string> {
  return store.commit({ tree: await store.emptyTree(), parents: [], message: 'Nothing yet', at: EPOCH });
}

async function mainOf(context: BranchContext, { repositoryId }: StoredBranch): Promise<string> {
  return headOf(context, await branchIn(context, repositoryId, MAIN));
}

/** Head of the candidate branch; without commits of its own it follows the user's branch. */
async function keepUp(context: BranchContext, branch: StoredBranch): Promise<string> {
  const { store, ref } = branch;
  const now = await store.at(ref);
  const main = await mainOf(context, branch);
  if (now !== undefined && (now === main || !(await store.isAncestor(now, main)))) return now;
  await store.move(ref, now, main);
  return (await store.at(ref)) ?? main;
}

/** Head of the user's branch, copied into the store so that nothing in the user's repository can remove it. */
async function takeOver(context: BranchContext, { repositoryId, store, ref }: StoredBranch): Promise<string> {
  const folder = await folderOf(context, repositoryId);
  const { name, commit = await emptyCommit(store), isToBe } = await context.disk.user.defaultBranch(folder);
  const now = await store.at(ref);
  if (now === commit) return commit;
  if (await store.has(commit)) await store.move(ref, now, commit);
  else await store.receive(folder, [`+${isToBe === true ? 'HEAD' : `refs/heads/${name}`}:${ref}`]);
  return (await store.at(ref)) ?? commit;
}

/** Creates the branch of a work unit on first use; undefined for `main` and `candidate`. */
async function begun(
  context: BranchContext,
  branchId: string,
  repositoryId: string | undefined,
): Promise<{ readonly repositoryId: string } | undefined> {
  if (branchId === MAIN || branchId === CANDIDATE) return undefined;
  return context.lane.inOrder(`begin ${branchId}`, async () => {
    const { branches, workUnits } = context.records;
    const known = branches.get(branchId);
    if (known) return known;
    const whole = workUnits.get(parentOfMergeBranch(branchId) ?? '');
    if (whole) return beginFrom(context, branchId, whole, whole.branchId);
    const unit = workUnits.where('branch', branchId)[0];
    if (!unit) throw refusal('reject.branch_not_found', `no branch is called ${branchId}`, { branchId });
    const parent = workUnits.get(unit.parentWorkUnitId ?? '');
    const seedBranch =
      unit.fanOutInfo.seedFromBranchId ?? (parent?.branchId === branchId ? undefined : parent?.branchId);
    if (unit.seedSnapshotId === undefined) return beginFrom(context, branchId, unit, seedBranch ?? MAIN, repositoryId);
    const given = {
      branchId,
      repositoryId: repositoryOr(context.records, unit.repositoryId),
      workUnitId: unit.workUnitId,
    };
    return beginBranch(context, given, unit.seedSnapshotId);
  });
}

async function beginFrom(
  context: BranchContext,
  branchId: string,
  { workUnitId, repositoryId }: WorkUnit,
  parentId: string,
  wanted?: string,
): Promise<StoredBranch> {
  const branch = await storedBranch(context, parentId, repositoryId ?? wanted);
  const given = { branchId, repositoryId: branch.repositoryId, parentId, workUnitId };
  return beginBranch(context, given, await headOf(context, branch));
}
