/** Results of goals, for outside tools: read, taken over, and judged. */
import { z } from 'zod';
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import { PROPOSAL_STATUSES } from '../../record/aggregates/merge-proposal/status.js';
import { apply as land } from '../../rules/proposals/apply.js';
import { requireGoal, proposalOf } from '../../record/views/by-id.js';
import { approve } from '../../rules/proposals/review.js';
import { costsOfTree } from '../../rules/goals/spending.js';
import { treeOf } from '../../rules/goals/tree.js';
import { recordArtifact } from '../../rules/knowledge/artifacts.js';
import { attachReview } from '../../rules/knowledge/evidence.js';
import { isReason } from '../../reasons.js';
import type { Context } from '../kernel/context.js';
import { operation } from '../kernel/define.js';
import { ADDS, ENDS, READS } from '../kernel/hints.js';
import { GoalId, GoalUsage } from './goal-shape.js';
import { LANDING_REFUSALS, ProposalId } from '../proposals/merge-shape.js';
import { usageOf } from '../agents/usage-shape.js';

const status = z.enum(PROPOSAL_STATUSES).describe('How it stands.');
const autoApplied = z.boolean().describe('Whether no person has approved it.');

export const get = operation({
  summary: 'List what the work on a goal proposes to change, oldest first.',
  scope: 'read',
  in: z.object({ goalId: GoalId }),
  out: z.object({
    goalId: z.string().describe('Id of the goal.'),
    proposals: z
      .array(
        z.object({
          proposalId: z.string().describe('Id of the proposal.'),
          status,
          goal: z.string().describe('What was to be achieved.'),
          summary: z.string().describe('What was done, in short.'),
          changeDescription: z.string().describe('What was done, at length.'),
          confidence: z.number().nullable().describe('How sure its author is, from 0 to 1, or null.'),
          filesTouched: z.array(z.string()).describe('Files that it changes.'),
          reviewNotes: z.string().nullable().describe('What the review says, or null.'),
          autoApplied,
        }),
      )
      .describe('The proposals, of parts of the goal too.'),
    usage: GoalUsage,
  }),
  rest: { route: 'GET /studio/goals/{goalId}/results' },
  external: 'results_get',
  refuses: ['reject.goal_not_found'],
  annotations: READS,
}).run(({ records }, { goalId }) => {
  const { workUnitId: root } = requireGoal(records, goalId);
  const units = treeOf(records, root);
  const proposals = units.flatMap(({ workUnitId }) => records.proposals.where('workUnit', workUnitId));
  return {
    goalId,
    proposals: proposals
      .sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
      .map(({ confidence = null, reviewNotes = null, ...one }) => ({ ...one, confidence, reviewNotes })),
    usage: usageOf(costsOfTree(records, goalId)),
  };
});

export const apply = operation({
  summary: 'Approve a proposal, if nobody has, and land it on its target.',
  scope: 'operate',
  in: z.object({ proposalId: ProposalId }),
  out: z.object({
    proposalId: z.string().describe('Id of the proposal.'),
    status,
    sourceBranch: z.string().describe('Branch that has the changes.'),
    targetBranch: z.string().describe('Branch that has them now.'),
    autoApplied,
  }),
  rest: { route: 'POST /studio/merges/{proposalId}/land' },
  external: 'results_apply',
  human: true,
  refuses: LANDING_REFUSALS,
  annotations: ENDS,
}).run(async (context, { proposalId }) => {
  const isByUs = await approveUnlessDone(context, proposalId);
  try {
    return await land(context, proposalId, (record) => context.answer((change) => landedAs(record(change))));
  } catch (error) {
    // Race with agents: an approved proposal may land before this comes to it.
    const now = proposalOf(context.records, proposalId);
    if (!isByUs || now.status !== 'Merged' || !isReason(error, 'reject.wrong_state')) throw error;
    return context.answer(() => landedAs(now));
  }
});

function landedAs({ proposalId, status, sourceBranch, targetBranch, appliedTo = targetBranch, autoApplied }: Proposal) {
  return { proposalId, status, sourceBranch, targetBranch: appliedTo, autoApplied };
}

export const recordFeedback = operation({
  summary: 'Say what the work on a goal, or all work, keeps to from here on.',
  scope: 'operate',
  in: z.object({
    title: z.string().min(1).max(1000).describe('What it is about.'),
    feedback: z.string().min(1).max(100_000).describe('What should be kept to.'),
    goalId: GoalId.optional().describe('Goal that it is for. Default: all work.'),
  }),
  out: z.object({
    recorded: z.literal(true).describe('Always true.'),
    scope: z.enum(['goal', 'workspace']).describe('What it is for.'),
    goalId: z.string().nullable().describe('Goal that it is for, or null.'),
    workUnitId: z.string().optional().describe('Root of the units that are given it.'),
    artifactId: z.string().describe('Constraint that it became.'),
  }),
  external: 'feedback_record',
  human: true,
  refuses: ['reject.goal_not_found'],
  annotations: ADDS,
}).run((context, { title, feedback: body, goalId }) =>
  context.answer((change) => {
    const { records } = context;
    const workUnitId = goalId === undefined ? undefined : requireGoal(records, goalId).workUnitId;
    const said = { type: 'Constraint' as const, title, body, workUnitId, idPrefix: 'FEEDBACK-' };
    const { artifactId } = recordArtifact(change, records, said);
    const scope = goalId === undefined ? ('workspace' as const) : ('goal' as const);
    return { recorded: true as const, scope, goalId: goalId ?? null, workUnitId, artifactId };
  }),
);

/** Approves, unless that is done: taking a result over is a review. Answers whether this was the approval. */
async function approveUnlessDone(context: Context, proposalId: string): Promise<boolean> {
  const { status, autoApplied } = proposalOf(context.records, proposalId);
  const isOpen = status === 'Draft' || status === 'ReadyForReview' || status === 'UnderReview';
  if (!isOpen && !(status === 'Approved' && autoApplied)) return false;
  await context.change((change) => {
    const review = { by: context.caller.name, automated: false, consideredArtifactIds: [] };
    attachReview(change, approve(change, proposalId, review), false);
  });
  return true;
}
