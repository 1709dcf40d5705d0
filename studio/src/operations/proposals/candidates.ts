/** Candidate branch: what waits on it, and how that reaches the user. */
import { z } from 'zod';
import { repositoryOr } from '../../rules/branches/stored-branch.js';
import { promote as promoteTo } from '../../rules/proposals/promote.js';
import { pendingOn } from '../../rules/proposals/settle-landed.js';
import { operation } from '../kernel/define.js';
import { READS, SETS } from '../kernel/hints.js';
import { RepositoryOfBranch } from '../branches/branch-shape.js';
import { LANDING_REFUSALS } from './merge-shape.js';

export const pending = operation({
  summary: "List what is on the candidate branch and not in the user's repository yet.",
  scope: 'read',
  in: z.object({ repositoryId: RepositoryOfBranch }),
  out: z.array(
    z.object({
      proposalId: z.string().describe('Id of the proposal.'),
      workUnitId: z.string().optional().describe('Work unit that it is the result of.'),
      goal: z.string().describe('What was to be achieved.'),
      summary: z.string().describe('What was done.'),
      filesTouched: z.array(z.string()).describe('Files that it changes.'),
    }),
  ),
  rest: { route: 'GET /studio/branches/candidate/pending', query: ['repositoryId'] },
  list: 'proposalId',
  refuses: ['reject.branch_unknown_repository', 'reject.repository_not_found'],
  annotations: READS,
}).run(({ records }, { repositoryId }) => pendingOn(records, repositoryOr(records, repositoryId)));

export const promote = operation({
  summary: "Take what is on the candidate branch to the user's own branch, if it passes its checks.",
  scope: 'operate',
  in: z.object({ repositoryId: RepositoryOfBranch }),
  out: z.object({
    promoted: z.literal(true).describe('Always true.'),
    source: z.string().describe('Branch that it came from.'),
    target: z.string().describe('Branch that has it now.'),
    proposalCount: z.number().describe('How many proposals it were.'),
    proposalIds: z.array(z.string()).describe('Which ones.'),
  }),
  rest: { route: 'POST /studio/branches/candidate/promote' },
  human: true,
  refuses: LANDING_REFUSALS,
  annotations: SETS,
}).run((context, { repositoryId }) =>
  promoteTo(context, repositoryOr(context.records, repositoryId), context.gate, (proposalIds, record) =>
    context.answer((change) => {
      record(change);
      const count = { proposalCount: proposalIds.length, proposalIds: [...proposalIds] };
      return { promoted: true as const, source: 'candidate', target: 'main', ...count };
    }),
  ),
);
