/** Work of the calling agent, which its own tools are about: they name no branch and no unit. */
import { z } from 'zod';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import { type StoredBranch, storedBranch } from '../../rules/branches/stored-branch.js';
import { isOver } from '../../record/aggregates/work-unit/status.js';
import { unitOf } from '../../record/views/by-id.js';
import { refusal } from '../../reasons.js';
import type { StudioReason } from '../../reasons.js';
import type { Context } from '../kernel/context.js';
import { EXECUTION_REFUSALS, unitOfAgent } from '../workspaces/workspace-target.js';

export interface OwnWork {
  readonly unit: WorkUnit;
  readonly branch: StoredBranch;
  /** Whether the work has ended since. */
  readonly hasEnded: () => boolean;
}

export async function ownWork(context: Context): Promise<OwnWork> {
  const unit = unitOfAgent(context);
  if (!unit) throw refusal('reject.workunit_not_found', 'this agent works on no unit');
  const { workUnitId, branchId, repositoryId } = unit;
  return {
    unit,
    branch: await storedBranch(context, branchId, repositoryId),
    hasEnded: () => isOver(unitOf(context.records, workUnitId).status),
  };
}

/** Answer of an agent's own tool: text, as a model reads it best. */
export const Told = z.object({ text: z.string().describe('What is answered.') });

/** Refusals that any of these tools may give. */
export const OWN_TOOL_REFUSALS: readonly StudioReason[] = [
  ...EXECUTION_REFUSALS,
  'reject.file_held',
  'reject.file_not_found',
  'reject.file_too_large',
  'reject.language_server_failed',
  'reject.language_unsupported',
  'reject.not_a_file',
  'reject.not_read',
  'reject.not_running',
  'reject.not_text',
  'reject.outside_file_scope',
  'reject.path_outside_repository',
  'reject.search_program_missing',
  'reject.search_too_long',
  'reject.text_not_found',
  'reject.too_many_runs',
  'reject.wrong_state',
];

/** Characters of an answer. What is longer is cut in whole lines, and says how much and how to see it. */
export const MOST_TOLD = 40_000;

/** First lines of a text that fit. */
export function firstLines(text: string, most: number, rest: (left: number) => string): string {
  if (text.length <= most) return text;
  const end = text.lastIndexOf('\n', most);
  const shown = text.slice(0, end < 0 ? most : end);
  return `${shown}\n[${rest(text.length - shown.length)}]`;
}

/** First and last lines of a text that fit; of a program's output the end says most. */
export function bothEnds(text: string, most: number, how: string): string {
  if (text.length <= most) return text;
  const headEnd = text.lastIndexOf('\n', most * 0.4) + 1;
  const tailStart = text.indexOf('\n', text.length - most * 0.6) + 1;
  const left = text.slice(headEnd, tailStart);
  return `${text.slice(0, headEnd)}[${left.length} characters in ${left.split('\n').length - 1} lines left out; ${how}]\n${text.slice(tailStart)}`;
}
