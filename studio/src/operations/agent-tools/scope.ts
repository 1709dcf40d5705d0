/** Wider scope, which an agent asks for: it is given it at once, or told who has the files and until when. */
import { z } from 'zod';
import { branchFiles } from '../../rules/branches/files.js';
import { widenScope } from '../../rules/branches/widen-scope.js';
import { refusal } from '../../reasons.js';
import { operation } from '../kernel/define.js';
import { SETS } from '../kernel/hints.js';
import { OWN_TOOL_REFUSALS, Told, ownWork } from './own-work.js';

export const widen = operation({
  summary:
    'Ask for files outside of those that the work may change. They are given at once where no other part of the goal has them; else the answer says who has them, and until when.',
  scope: 'operate',
  in: z.object({
    paths: z.array(z.string().min(1).max(1000)).min(1).max(50).describe('The files: all of them are given, or none.'),
    reason: z.string().min(1).max(1000).describe('Why the work cannot be done without them. Reviewers read it.'),
  }),
  out: Told,
  tool: 'scope_request',
  dispatch: true,
  refuses: OWN_TOOL_REFUSALS,
  annotations: SETS,
}).run(async (context, asked) => {
  const { unit, branch } = await ownWork(context);
  const files = await branchFiles(context, branch);
  for (const path of asked.paths) requireFile(files, path);
  return context.answer((change) => {
    const given = widenScope(change, context.records, unit.workUnitId, asked);
    if (given.length === 0) return { text: 'You may change all of these already.' };
    return { text: `You may change ${given.join(', ')} from now on. Say in your proposal why you did.` };
  });
});

/** Guard: a pattern or a folder would take in files that nobody has compared with what others have. */
function requireFile(files: readonly string[], path: string): void {
  const folder = `${path.replace(/\/+$/, '')}/`;
  if (!/[*?{}]/.test(path) && !path.endsWith('/') && !files.some((one) => one.startsWith(folder))) return;
  throw refusal('reject.not_a_file', `${path} is no file: name each file that is needed`, { path });
}
