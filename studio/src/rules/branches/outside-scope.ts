/** Changes outside of a unit's scope, such as its programs have made: they are taken back on the branch. */
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import type { TreeChange } from '../../workspace/git/objects/object-store.js';
import type { BranchContext } from './branch-context.js';
import { scopeThatForbids } from './in-scope.js';
import { editBranch } from './save.js';
import type { StoredBranch } from './stored-branch.js';

/** Takes back what lies outside, and answers its paths. A reconciliation touches what both sides have touched. */
export async function takeBackOutside(
  context: BranchContext,
  branch: StoredBranch,
  { workUnitId, reconciliationSourceProposalIds = [] }: WorkUnit,
  changes: readonly TreeChange[],
): Promise<string[]> {
  if (reconciliationSourceProposalIds.length > 0) return [];
  const outside = changes.filter(({ path }) => scopeThatForbids(context.records, workUnitId, path));
  if (outside.length === 0) return [];
  const edits = outside.map(({ path, before }) => ({ path, content: before ?? null }));
  await editBranch(context, branch, edits, `Take back ${outside.length} changes outside of the scope of ${workUnitId}`);
  return outside.map(({ path }) => path);
}

const MOST_NAMED = 10;

/** Paths in a sentence, the first of them. */
export function namedPaths(paths: readonly string[]): string {
  return paths.slice(0, MOST_NAMED).join(', ') + (paths.length > MOST_NAMED ? ', …' : '');
}
