/**
 * Garbage collection of this host's disk: folders of branches, and unreachable objects. Nothing is removed before it is certain
 * that it can be made again, and nothing of work that may go on.
 */
import type { CollectionMode } from '../../record/aggregates/collection-run/collection-run.js';
import { isOver } from '../../record/aggregates/work-unit/status.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import type { ObjectStore } from '../../workspace/git/objects/object-store.js';
import { baseRef, goodRef, headRef } from '../../workspace/git/objects/ref-names.js';
import type { BranchContext } from './branch-context.js';
import { MAIN, storedBranch } from './stored-branch.js';
import { type Evicted, evict } from './save.js';

/** Grace period: newer objects may be part of work that is not recorded yet. */
const GRACE: Readonly<Record<CollectionMode, string>> = {
  DryRun: '2.weeks.ago',
  MarkOnly: '2.weeks.ago',
  SweepSoft: '2.weeks.ago',
  SweepHard: '1.hour.ago',
};

export interface Kept {
  readonly branchId: string;
  readonly reason: string;
}

/** Evicts the folder of a unit's branch. */
export async function evictUnit(context: BranchContext, workUnitId: string, force: boolean): Promise<Evicted> {
  const unit = context.records.workUnits.get(workUnitId);
  if (!unit) throw refusal('reject.workunit_not_found', `no work unit is called ${workUnitId}`, { workUnitId });
  if (!isOver(unit.status)) return { reason: `the work is ${unit.status}`, ignored: [] };
  if (inUse(context.records, unit.branchId)) return { reason: 'other work goes on on its branch', ignored: [] };
  return evict(context, await storedBranch(context, unit.branchId, unit.repositoryId), force);
}

/** Evicts every folder whose work is over. Answers how many, and which branches keep theirs, with the reason. */
export async function evictOrphaned(
  context: BranchContext,
  force: boolean,
): Promise<{ readonly evicted: number; readonly kept: readonly Kept[] }> {
  let evicted = 0;
  const kept: Kept[] = [];
  for (const { branchId, repositoryId } of await context.disk.spaces.all()) {
    const units = context.records.workUnits.where('branch', branchId);
    // A branch without a unit is somebody's own.
    if (branchId === MAIN || units.length === 0 || inUse(context.records, branchId)) continue;
    const { reason } = await evict(context, await storedBranch(context, branchId, repositoryId), force);
    if (reason === undefined) evicted += 1;
    else kept.push({ branchId, reason });
  }
  return { evicted, kept };
}

/** Counts unreachable objects, and removes them in the modes that say so. */
export async function collectObjects(
  context: BranchContext,
  mode: CollectionMode,
): Promise<{ readonly repositoryIds: string[]; readonly unreachable: number; readonly removed: number }> {
  const repositoryIds = context.records.repositories.all().map(({ repositoryId }) => repositoryId);
  const stores = await Promise.all(repositoryIds.map((id) => context.disk.stores.of(id)));
  // All stores are checked before anything is removed from one.
  for (const [index, store] of stores.entries()) await requirePins(context.records, repositoryIds[index]!, store);
  const sweeps = mode === 'SweepSoft' || mode === 'SweepHard';
  let unreachable = 0;
  for (const store of stores) unreachable += await store.prune(GRACE[mode], sweeps);
  return { repositoryIds, unreachable, removed: sweeps ? unreachable : 0 };
}

/** Pins everything that the record names, and answers how much that is; refuses when some of it is not on this host. */
export async function checkPins({ records, disk }: Pick<BranchContext, 'records' | 'disk'>): Promise<number> {
  let checked = 0;
  for (const { repositoryId } of records.repositories.all())
    checked += await requirePins(records, repositoryId, await disk.stores.of(repositoryId));
  return checked;
}

/** Pins: whatever the record names must be held by a ref, or it would be collected. Answers how many there are. */
async function requirePins(
  { proposals, knownGoods }: Records,
  repositoryId: string,
  store: ObjectStore,
): Promise<number> {
  const refs = await store.refs('refs/weft/');
  const pins = [
    ...proposals
      .all()
      .filter((one) => one.repositoryId === repositoryId)
      .flatMap((one) => [
        [baseRef(one.proposalId), one.baseCommit],
        [headRef(one.proposalId), one.headCommit],
      ]),
    ...knownGoods
      .all()
      .filter((one) => one.repositoryId === repositoryId)
      .map((one) => [goodRef(one.stateId), one.commit]),
  ] as const;
  for (const [ref, commit] of pins) {
    if (refs.has(ref!)) continue;
    if (!(await store.has(commit!)))
      throw refusal('reject.live_set_incomplete', `${commit} is recorded and not on this host`, {
        repositoryId,
        commit,
      });
    await store.move(ref!, undefined, commit);
  }
  return pins.length;
}

function inUse({ workUnits }: Records, branchId: string): boolean {
  return workUnits.where('branch', branchId).some(({ status }) => !isOver(status));
}
