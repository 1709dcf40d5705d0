/**
 * Troubles of a proposal: what failed on its way and is not mended, which whoever reviews it has to know. They are derived from
 * the record, whatever its author says.
 */
import type { ConversationEntry } from '../../record/aggregates/conversation-entry/conversation-entry.js';
import { type Execution, succeeded } from '../../record/aggregates/execution/execution.js';
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import { PROPOSAL_TRANSITIONS } from '../../record/aggregates/merge-proposal/status.js';
import { isOver } from '../../record/aggregates/work-unit/status.js';
import type { Records } from '../../record/views/records.js';

export const TROUBLE_KINDS = ['Build', 'Test', 'Lint', 'RefusedChange', 'LostTests', 'Work'] as const;

export interface Trouble {
  readonly kind: (typeof TROUBLE_KINDS)[number];
  readonly text: string;
}

/** Troubles that are told. */
const MOST = 20;
const LONGEST = 300;
/** Tools that change files; each names them as `path`. */
const CHANGES = /_(?:workspace_(?:write|replace|delete)|repository_blob_write)$|^(?:edit|write|delete)$/;

export function troublesOf(records: Records, proposal: Proposal): Trouble[] {
  const { sourceBranch, headCommit, workUnitId, lostTests = [] } = proposal;
  const ended = records.executions.where('branch', sourceBranch).filter(({ status }) => status === 'ended');
  const ran = ended.findLast(({ commit }) => commit === headCommit) ?? ended.at(-1);
  const entries = workUnitId === undefined ? [] : records.conversationEntries.where('workUnit', workUnitId);
  const lost = lostTests.map((text) => ({ kind: 'LostTests' as const, text: text.slice(0, LONGEST) }));
  const failed = ran ? failedSteps(ran, headCommit) : [];
  return [...overWork(records, proposal), ...lost, ...failed, ...refusedChanges(entries)].slice(0, MOST);
}

/** Work that is over while its result is open: who queues cancelled work again has it, with the approval that it had. */
function overWork({ workUnits }: Records, { workUnitId = '', status, landing }: Proposal): Trouble[] {
  const unit = workUnits.get(workUnitId);
  if (!unit || !isOver(unit.status) || PROPOSAL_TRANSITIONS[status].length === 0 || status === 'Merged' || landing)
    return [];
  const text =
    unit.status === 'Cancelled'
      ? 'its work was cancelled: it lands once that is queued again'
      : `its work is over without it: ${unit.status}`;
  return [{ kind: 'Work', text }];
}

function failedSteps({ steps, commit }: Execution, headCommit: string): Trouble[] {
  const of = commit === headCommit ? '' : ', on an earlier state of the branch';
  return steps
    .filter((step) => !succeeded(step))
    .map(({ kind, command, exitCode, counts }) => {
      const tests = counts ? `, ${counts.failed} of ${counts.totalTests} tests failed` : '';
      return { kind, text: `${command} ended with ${exitCode}${tests}${of}`.slice(0, LONGEST) };
    });
}

/** Changes of files that were refused, and not made later. */
function refusedChanges(entries: readonly ConversationEntry[]): Trouble[] {
  const refused = new Map<string, string>();
  for (const { toolCalls, toolResults } of entries)
    for (const { toolUseId, name, inputJson } of toolCalls) {
      const answer = toolResults.find((result) => result.toolUseId === toolUseId);
      if (!answer || !CHANGES.test(name)) continue;
      const path = pathIn(inputJson);
      if (answer.isError === true) refused.set(path, answer.result);
      else refused.delete(path);
    }
  return [...refused].map(([path, why]) => ({
    kind: 'RefusedChange',
    text: `${path}: ${why.replaceAll(/\s+/g, ' ')}`.slice(0, LONGEST),
  }));
}

function pathIn(inputJson: string): string {
  const input: unknown = JSON.parse(inputJson);
  const path: unknown = typeof input === 'object' && input !== null && 'path' in input ? input.path : undefined;
  return typeof path === 'string' ? path : 'a file';
}
