/** Import of manual edits: what people changed on disk is recorded, whatever was known before. */
import { z } from 'zod';
import { registerFolder } from '../../rules/branches/register.js';
import { MAIN, storedBranch, repositoryOr } from '../../rules/branches/stored-branch.js';
import { save } from '../../rules/branches/save.js';
import { refusal } from '../../reasons.js';
import { type NamedRepository, repositoryNamed } from '../branches/repository-meant.js';
import type { Context } from '../kernel/context.js';
import { operation } from '../kernel/define.js';
import { SETS } from '../kernel/hints.js';
import { BranchId, FOLDER_REFUSALS, BRANCH_REFUSALS } from '../branches/branch-shape.js';

export const switchTo = operation({
  summary:
    'Work on another repository or branch from now on. What was changed on disk meanwhile, by hand or by git, is taken ' +
    'over first; nothing on disk is written over.',
  scope: 'operate',
  in: z.object({
    repositoryId: z.string().min(1).max(200).optional().describe('Repository that is meant.'),
    repositoryPath: z.string().min(1).max(4096).optional().describe('Its folder; registered when it is not yet.'),
    branchId: BranchId.default(MAIN),
  }),
  out: z.object({
    branchId: z.string().describe('Branch that is meant.'),
    repositoryPath: z.string().describe('Folder of its repository.'),
    repositoryId: z.string().describe('Id of its repository.'),
    sync: z
      .object({
        from: z.string().describe('Commit that it was at, as far as was known.'),
        to: z.string().describe('Commit that it is at now.'),
        changes: z
          .array(
            z.object({
              path: z.string().describe('Path of the file.'),
              changeKind: z.enum(['Added', 'Modified', 'Deleted']).describe('What happened to it.'),
            }),
          )
          .describe('Files that were taken over, the first thousand.'),
      })
      .nullable()
      .describe('What was taken over, or null: nothing had changed.'),
  }),
  rest: { route: 'POST /studio/workspace/switch' },
  tool: 'workspace_switch',
  dispatch: true,
  refuses: [
    ...['reject.repository_path_unusable', 'reject.repository_registered_elsewhere'],
    ...BRANCH_REFUSALS,
    ...FOLDER_REFUSALS,
  ] as const,
  annotations: SETS,
}).run(async (context, { branchId, ...named }) => {
  const repositoryId = await repositoryMeant(context, named);
  const branch = await storedBranch(context, branchId, repositoryId);
  const { store, ref } = branch;
  const from = await store.at(ref);
  const to = await save(context, branch);
  const changed = from === undefined || from === to ? undefined : await store.changes(from, to);
  const changes = changed?.slice(0, MOST_SHOWN).map(({ path, changeKind }) => ({ path, changeKind }));
  const repositoryPath = context.records.repositories.get(branch.repositoryId)?.path ?? '';
  const sync = from !== undefined && changes ? { from, to, changes } : null;
  return { branchId, repositoryPath, repositoryId: branch.repositoryId, sync };
});

const MOST_SHOWN = 1000;

async function repositoryMeant(context: Context, named: NamedRepository): Promise<string> {
  const { repositoryId, repositoryPath } = named;
  if (repositoryId !== undefined) return repositoryOr(context.records, repositoryNamed(context.records, named));
  if (repositoryPath !== undefined && context.caller.kind === 'agent') {
    const known = context.records.repositories.atPath(repositoryPath);
    if (known) return known.repositoryId;
    throw refusal('reject.human_only', `${repositoryPath} is not registered, which is for people to do`);
  }
  if (repositoryPath !== undefined)
    return (await registerFolder({ ...context, answer: (work) => context.change(work) }, repositoryPath)).repositoryId;
  const message = 'is needed, or repositoryPath';
  throw refusal('reject.invalid_input', `repositoryId: ${message}`, [{ field: 'repositoryId', message }]);
}
