/** File leases: one unit of a goal holds a file while others wait. */
import { type FileLease, fileLease, leaseEnds, normalisedPath } from '../../record/aggregates/file-lease/file-lease.js';
import { isOver } from '../../record/aggregates/work-unit/status.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { itemOf, park, settle } from './queue.js';
import { requireOpen } from './set-status.js';
import { goalOf, lineOf } from '../goals/tree.js';

/**
 * Acquires a file or queues for it. Answers the lease; the unit is parked when another has it and its time is not over. Nobody queues in a
 * circle: whoever would close one is refused, and goes on without the file.
 */
export function askForFile(change: Change, records: Records, workUnitId: string, path: string): FileLease {
  requireOpen(change, records, workUnitId);
  const goalId = withWhom(change, workUnitId);
  const name = normalisedPath(path);
  if (name === undefined)
    throw refusal('reject.path_outside_repository', `${path} is not a path within the repository`, { path });
  endLease(change, records, leaseId(goalId, name), workUnitId);
  const holder = change.state(fileLease, leaseId(goalId, name))?.holderWorkUnitId;
  if (holder !== undefined && waitsFor(records, holder, workUnitId))
    throw refusal(
      'reject.file_held',
      `${path} is held by ${holder}, which waits for a file of yours: do the rest without it, and propose that`,
      { path, heldBy: holder },
    );
  const lease = change.run(fileLease, leaseId(goalId, name), 'ask', { goalId, path: name, workUnitId });
  if (lease.holderWorkUnitId !== workUnitId && itemOf(change, workUnitId)) park(change, workUnitId, 'FileLease');
  return lease;
}

/**
 * Ends a lease whose time is over, or whose holder has left its work to its parts, where somebody else wants the file: who has waited longest
 * has it then. Both change the file on branches of their own, so nothing is lost; what meets is brought together.
 */
export function endLease(change: Change, records: Records, id: string, wanting?: string): void {
  const lease = change.state(fileLease, id);
  const { holderWorkUnitId: holder, waitQueue = [] } = lease ?? {};
  const isWanted = waitQueue.length > 0 || (wanting !== undefined && wanting !== holder);
  if (!lease || holder === undefined || !isWanted) return;
  const ends = isLeftToParts(change, records, holder) ? 0 : leaseEnds(lease);
  if (ends === undefined || Date.parse(change.at) < ends) return;
  const { holderWorkUnitId: next } = change.run(fileLease, id, 'release', { workUnitId: holder });
  if (next !== undefined && itemOf(change, next)?.parkedFor === 'FileLease') settle(change, records, next);
}

/** Unit that holds a file among those that a unit shares its files with. */
export function fileHeldBy(change: Change, workUnitId: string, path: string): string | undefined {
  const name = normalisedPath(path);
  if (name === undefined) return undefined;
  return change.state(fileLease, leaseId(withWhom(change, workUnitId), name))?.holderWorkUnitId;
}

/** Releases all leases of a unit, and its waits. Answers the units that hold a file now. */
export function releaseFiles(change: Change, records: Records, workUnitId: string): string[] {
  const promoted: string[] = [];
  // A unit that waited for a file and no longer wants it resumes.
  const freed = [workUnitId];
  for (const { goalId, path } of records.fileLeases.where('unit', workUnitId)) {
    const before = change.state(fileLease, leaseId(goalId, path))?.holderWorkUnitId;
    const { holderWorkUnitId: after } = change.run(fileLease, leaseId(goalId, path), 'release', { workUnitId });
    if (after === undefined || after === before) continue;
    promoted.push(after);
    freed.push(after);
  }
  for (const id of freed) if (itemOf(change, id)?.parkedFor === 'FileLease') settle(change, records, id);
  return promoted;
}

/** Whether nobody works on a unit but on its parts, for which it waits: one of them may want what it holds. */
function isLeftToParts(change: Change, records: Records, workUnitId: string): boolean {
  const parts = records.workUnits.where('parent', workUnitId);
  return itemOf(change, workUnitId) === undefined && parts.some(({ status }) => !isOver(status));
}

/** Whether a unit waits for a file of the other one, or of somebody who does. */
function waitsFor(records: Records, workUnitId: string, other: string): boolean {
  const seen = new Set([workUnitId]);
  for (const waiting of seen)
    for (const { holderWorkUnitId: holder, waitQueue } of records.fileLeases.where('unit', waiting))
      if (waitQueue.includes(waiting) && holder !== undefined) seen.add(holder);
  return workUnitId !== other && seen.has(other);
}

/**
 * Scope of leases: units of one goal share its files. A fork is an alternative and waits for nobody; its own parts share with
 * it.
 */
function withWhom(change: Change, workUnitId: string): string {
  const fork = lineOf(change, workUnitId).find(({ forkType }) => forkType !== undefined);
  return fork?.workUnitId ?? goalOf(change, workUnitId)?.goalId ?? workUnitId;
}

export function leaseId(goalId: string, path: string): string {
  return `${goalId}/${path}`;
}
