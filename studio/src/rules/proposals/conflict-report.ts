/**
 * Conflict report: open conflicts of a unit and of its parts, as text for people. It is generated on request, so it is never
 * out of date.
 */
import type { Conflict } from '../../record/aggregates/conflict/conflict.js';
import type { Goal } from '../../record/aggregates/goal/goal.js';
import type { Records } from '../../record/views/records.js';
import { namedPaths } from '../branches/outside-scope.js';
import { treeOf } from '../goals/tree.js';

/** Report, or undefined without a conflict. */
export function conflictReport(records: Records, workUnitId: string): string | undefined {
  const { conflicts } = records;
  const found = new Set([...conflicts.where('workUnit', workUnitId), ...conflicts.where('parent', workUnitId)]);
  const open = [...found].filter(({ status }) => status !== 'Resolved');
  if (open.length === 0) return undefined;
  return ['# Conflicts', ...open.map((conflict) => section(records, conflict))].join('\n\n') + '\n';
}

function section({ proposals }: Records, conflict: Conflict): string {
  const { conflictId, status, targetBranch, conflictingPaths, proposalId, winningProposalId } = conflict;
  const said = (id: string): string => `${id} (${proposals.get(id)?.summary ?? 'not known here'})`;
  return [
    `## ${conflictId}`,
    '',
    `- State: ${status}`,
    `- Cannot land: ${said(proposalId)}`,
    `- On ${targetBranch} already: ${winningProposalId === undefined ? 'other changes' : said(winningProposalId)}`,
    '- Files that both have changed:',
    ...conflictingPaths.map((path) => `  - ${path}`),
  ].join('\n');
}

/** Conflicts of the goal's proposals that are not resolved, each as a sentence that says who brings both sides together. */
export function conflictsIn(records: Records, { workUnitId }: Goal): string[] {
  return treeOf(records, workUnitId).flatMap(({ workUnitId: id }) =>
    records.conflicts.where('workUnit', id).flatMap((one) => {
      const { status, proposalId, targetBranch, conflictingPaths, reconcilingWorkUnitId: by } = one;
      if (status === 'Resolved') return [];
      const own = `${by} brings its own work up to date`;
      const who = status === 'Open' ? 'nobody yet' : by === id ? own : `${by} brings both together`;
      return [`${proposalId} and ${targetBranch} have both changed ${namedPaths(conflictingPaths)}: ${who}`];
    }),
  );
}
