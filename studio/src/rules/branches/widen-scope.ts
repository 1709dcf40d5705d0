/**
 * Wider scope: a part is given files that nobody else has, at once, or is told who has them and until when. It never waits: what it
 * waited for could wait for it.
 */
import { isOver } from '../../record/aggregates/work-unit/status.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import { workUnit } from '../../record/aggregates/work-unit/work-unit.js';
import type { Change } from '../../record/ledger/change.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { safePath } from '../../workspace/files/safe-path.js';
import { isInScope } from './in-scope.js';
import { fileHeldBy } from '../queue/file-leases.js';
import { lineOf, rootOf, treeOf, unitIn } from '../goals/tree.js';

/** Gives a unit these files, all of them or none. Answers those that it did not have. */
export function widenScope(
  change: Change,
  records: Records,
  workUnitId: string,
  { paths, reason }: { readonly paths: readonly string[]; readonly reason: string },
): string[] {
  const unit = unitIn(change, workUnitId);
  const line = lineOf(change, workUnitId);
  const lacks = ({ fileScope }: WorkUnit): string[] => all.filter((path) => !isInScope(fileScope, path));
  const all = [...new Set(paths.map((path) => safePath(path)))];
  const more = all.filter((path) => line.some(({ fileScope }) => !isInScope(fileScope, path)));
  if (more.length === 0) return [];
  for (const one of line) requireDrawnByPlan(one, lacks(one));
  for (const path of more) requireFree(change, records, unit, path);
  // What it is a part of is to propose them too.
  for (const one of line) {
    // A bare name would be any file of that name.
    const globs = lacks(one).map((path) => (path.includes('/') ? path : `/${path}`));
    if (globs.length > 0) change.run(workUnit, one.workUnitId, 'scope', { fileScope: [...one.fileScope, ...globs] });
  }
  change.run(workUnit, workUnitId, 'note', { key: 'scope', text: `${more.join(', ')}: ${reason}` });
  return more;
}

/** Guard: a plan's borders keep parts from each other, and give way where nobody is. A person's keep agents out, and stay. */
function requireDrawnByPlan({ workUnitId, fileScope, fanOutInfo }: WorkUnit, [path]: readonly string[]): void {
  if (path === undefined || fanOutInfo.sliceId !== undefined) return;
  throw refusal(
    'reject.outside_file_scope',
    `${path} is outside of what a person has allowed ${workUnitId}: ask with clarification_request`,
    { path, fileScope },
  );
}

function requireFree(change: Change, records: Records, unit: WorkUnit, path: string): void {
  const own = new Set(lineOf(change, unit.workUnitId).map(({ workUnitId }) => workUnitId));
  const root = rootOf(change, unit.workUnitId)!;
  const others = treeOf(records, root.workUnitId).filter(
    ({ workUnitId, status }) => !own.has(workUnitId) && !isOver(status),
  );
  const lease = fileHeldBy(change, unit.workUnitId, path);
  const isOf = (fileScope: readonly string[]): boolean =>
    fileScope.length > 0 && (isInScope(fileScope, path) || fileScope.some((one) => one.startsWith(`${path}/`)));
  const holder = others.find(({ workUnitId, fileScope }) => workUnitId === lease || isOf(fileScope));
  if (!holder) return;
  const { workUnitId: heldBy, goal, status, updatedAt } = holder;
  throw refusal(
    'reject.file_held',
    `${path} belongs to ${heldBy} (${goal.split('\n')[0]}; ${status} since ${updatedAt}) until that has landed or ended: ` +
      'do the rest without it, and say in your proposal what is missing there',
    { path, heldBy, status, until: `${heldBy} has landed or ended` },
  );
}
