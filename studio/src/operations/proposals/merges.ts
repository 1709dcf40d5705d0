/** Merge proposals: changes that are offered, reviewed and landed. */
import { z } from 'zod';
import { mergeProposal } from '../../record/aggregates/merge-proposal/merge-proposal.js';
import { RESTART_MODES } from '../../record/aggregates/merge-proposal/events.js';
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import { branch } from '../../record/aggregates/branch/branch.js';
import { apply as land } from '../../rules/proposals/apply.js';
import { fileChangesOf, patchOf } from '../../rules/proposals/patch.js';
import { headOf, storedBranch } from '../../rules/branches/stored-branch.js';
import { propose as proposeFrom } from '../../rules/proposals/propose.js';
import { troublesOf } from '../../rules/proposals/troubles.js';
import { revert } from '../../rules/proposals/revert.js';
import { refusal } from '../../reasons.js';
import { requireSession } from '../../rules/goals/session-of.js';
import { createUnit } from '../../rules/goals/create-unit.js';
import { profileOf, proposalOf } from '../../record/views/by-id.js';
import { enqueueAgain } from '../../rules/queue/queue.js';
import { retry as retryWork } from '../../rules/proposals/review.js';
import { cyclesOfAgent } from '../../rules/goals/spending.js';
import type { Context } from '../kernel/context.js';
import { operation } from '../kernel/define.js';
import { ADDS, ENDS, READS, SETS } from '../kernel/hints.js';
import { NARROW_FIELDS, narrowed } from '../kernel/narrow.js';
import { Shown } from '../kernel/pages.js';
import { decide } from './decide.js';
import { BranchId, FOLDER_REFUSALS, BRANCH_REFUSALS } from '../branches/branch-shape.js';
import {
  LANDING_REFUSALS,
  MergeProposal,
  PROPOSAL_REFUSALS,
  ProposalFileChange,
  ProposalId,
  TRIAL_REFUSALS,
  proposalView,
} from './merge-shape.js';
import { WorkUnitId } from '../goals/work-unit-shape.js';

type Author = Partial<Pick<Proposal, 'agentId' | 'model' | 'provider'>>;

const Decision = z.enum(['Approved', 'Rejected']);
const Notes = z.string().max(100_000);
const RestartMode = z.enum(RESTART_MODES);

export const list = operation({
  summary: 'List the merge proposals, oldest first, without their changes as text.',
  scope: 'read',
  in: z.object({
    sourceBranch: BranchId.optional().describe('Only those of this branch.'),
    sessionId: z.string().max(200).optional().describe('Only those of this session.'),
    workUnitId: WorkUnitId.optional().describe('Only those of this unit.'),
    ...NARROW_FIELDS,
  }),
  out: z.array(MergeProposal),
  rest: { route: 'GET /studio/merges', query: ['sourceBranch', 'sessionId', 'workUnitId', 'words', 'newest'] },
  list: 'proposalId',
  refuses: [],
  annotations: READS,
}).run(async ({ records: { proposals } }, { sourceBranch, sessionId, workUnitId, ...narrow }) => {
  const all = sourceBranch === undefined ? proposals.all() : proposals.where('source', sourceBranch);
  const found = all.filter(
    (one) =>
      (sessionId === undefined || one.sessionId === sessionId) &&
      (workUnitId === undefined || one.workUnitId === workUnitId),
  );
  const shown = await narrowed(found, narrow, ({ proposalId, summary, goal }) => `${proposalId} ${summary} ${goal}`);
  return Shown.of(shown, (one) => proposalView(one));
});

export const get = operation({
  summary: 'Read one merge proposal, with its changes as text.',
  scope: 'read',
  in: z.object({ proposalId: ProposalId }),
  out: MergeProposal,
  rest: { route: 'GET /studio/merges/{proposalId}' },
  version: ({ proposals }, { proposalId }) => proposals.version(proposalId) || undefined,
  refuses: PROPOSAL_REFUSALS,
  annotations: READS,
}).run(async (context, { proposalId }) => {
  const found = proposalOf(context.records, proposalId);
  return { ...proposalView(found, await patchOf(context, found)), troubles: troublesOf(context.records, found) };
});

export const constituents = operation({
  summary: 'List the proposals that a proposal brings together.',
  scope: 'read',
  in: z.object({ proposalId: ProposalId }),
  out: z.array(
    z.object({
      proposalId: z.string().describe('Id of the proposal.'),
      status: z.string().describe('Its state, or Unknown when it is not recorded here.'),
      goal: z.string().describe('What was to be achieved.'),
      summary: z.string().describe('What was done.'),
      model: z.string().optional().describe('Model that was used.'),
      provider: z.string().optional().describe('Who ran the model.'),
      confidence: z.number().optional().describe('How sure its author is.'),
      rationale: z.string().optional().describe('What was done, at length.'),
      agentId: z.string().optional().describe('Agent that made it.'),
      workspaceChanges: z.string().optional().describe('Its changes as text.'),
    }),
  ),
  rest: { route: 'GET /studio/merges/{proposalId}/constituents' },
  list: 'proposalId',
  refuses: PROPOSAL_REFUSALS,
  annotations: READS,
}).run((context, { proposalId }) =>
  Promise.all(
    proposalOf(context.records, proposalId).reconciledFrom.map(async (id) => {
      const found = context.records.proposals.get(id);
      if (!found) return { proposalId: id, status: 'Unknown', goal: '', summary: '' };
      return { ...found, rationale: found.changeDescription, workspaceChanges: await patchOf(context, found) };
    }),
  ),
);

export const fileChanges = operation({
  summary: 'Read what a proposal does to each file.',
  scope: 'read',
  in: z.object({ proposalId: ProposalId }),
  out: z.object({
    proposalId: z.string().describe('Id of the proposal.'),
    fileChanges: z.array(ProposalFileChange).describe('The files that it changes.'),
  }),
  rest: { route: 'GET /studio/merges/{proposalId}/file-changes' },
  refuses: PROPOSAL_REFUSALS,
  annotations: READS,
}).run(async (context, { proposalId }) => {
  const { repositoryId, baseCommit, headCommit } = proposalOf(context.records, proposalId);
  const store = await context.disk.stores.of(repositoryId);
  return { proposalId, fileChanges: await fileChangesOf(store, baseCommit, headCommit) };
});

export const propose = operation({
  summary: 'Offer what a branch has to another one, as a draft.',
  scope: 'operate',
  in: z.object({
    sourceBranch: BranchId.describe('Branch that has the changes.'),
    targetBranch: BranchId.describe(
      'Branch that they are for. A part of a goal goes to where its parts come together.',
    ),
    summary: z.string().min(1).max(20_000).describe('What was done, in short.'),
    goal: z.string().max(100_000).optional().describe('What was to be achieved. Default: the goal of the work unit.'),
    changeDescription: z.string().max(200_000).optional().describe('What was done, at length.'),
    workUnitId: WorkUnitId.optional().describe('Work unit that it is the result of; its branch is the source then.'),
    agentId: z.string().max(200).optional().describe('Agent that made it.'),
    model: z.string().max(200).optional().describe('Model that the agent used.'),
    provider: z.string().max(200).optional().describe('Who ran the model.'),
    sessionId: z.string().max(200).optional().describe('Session that it belongs to.'),
    confidence: z.number().min(0).max(1).optional().describe('How sure its author is.'),
    noFileChangesJustification: z.string().max(20_000).optional().describe('Why no file had to change.'),
  }),
  out: MergeProposal,
  rest: { route: 'POST /studio/merges' },
  tool: 'merge_propose',
  dispatch: true,
  refuses: [
    ...[
      'reject.workunit_not_found',
      'reject.submodule',
      'reject.too_many_files',
      'reject.wrong_state',
      'reject.merge_conflict',
    ],
    ...['reject.nothing_changed', 'reject.outside_file_scope', 'reject.workspace_gone', 'reject.session_not_found'],
    ...TRIAL_REFUSALS,
    ...BRANCH_REFUSALS,
    ...FOLDER_REFUSALS,
  ] as const,
  annotations: ADDS,
}).run(async (context, { goal, changeDescription, ...offer }) => {
  requireSession(context.look, context.records, offer.sessionId, offer.workUnitId);
  const unit = context.records.workUnits.get(offer.workUnitId ?? '');
  const record = await proposeFrom(context, {
    ...offer,
    ...authorOf(context, offer.workUnitId),
    goal: goal ?? unit?.goal ?? offer.summary,
    changeDescription: changeDescription ?? offer.summary,
  });
  return context.answer((change) => proposalView(record(change)));
});

export const validate = operation({
  summary: 'Say that a draft is ready to be reviewed.',
  scope: 'operate',
  in: z.object({ proposalId: ProposalId }),
  out: MergeProposal,
  rest: { route: 'POST /studio/merges/{proposalId}/validate' },
  tool: 'merge_validate',
  dispatch: true,
  version: ({ proposals }, { proposalId }) => proposals.version(proposalId) || undefined,
  refuses: ['reject.proposal_not_found', 'reject.wrong_state'],
  annotations: SETS,
}).run((context, { proposalId }) =>
  context.answer((change) => proposalView(change.run(mergeProposal, proposalId, 'move', { to: 'ReadyForReview' }))),
);

export const review = operation({
  summary: 'Approve or reject a proposal. Rejected work goes back to be done anew.',
  scope: 'operate',
  in: z.object({
    proposalId: ProposalId,
    decision: Decision.describe('What was decided.'),
    notes: Notes.optional().describe('Why. Needed when a person rejects.'),
    sessionId: z.string().max(200).optional().describe('Session in which it was decided.'),
    restartMode: RestartMode.optional().describe('Whether rejected work keeps its files (Revise) or not (Revert).'),
    automated: z.boolean().optional().describe('Whether no person has looked at it. Always so for agents.'),
    verificationResults: Notes.optional().describe('What was checked. Needed when automated.'),
    reviewerAgentId: z.string().max(200).optional().describe('Agent that has reviewed it.'),
    reviewedBy: z.string().max(200).optional().describe('Who has reviewed it.'),
    consideredArtifactIds: z.array(z.string().max(200)).max(1000).optional().describe('Artifacts taken into account.'),
  }),
  out: MergeProposal,
  rest: { route: 'POST /studio/merges/{proposalId}/review' },
  tool: 'merge_review',
  dispatch: true,
  ofPeople: ['reviewedBy'],
  version: ({ proposals }, { proposalId }) => proposals.version(proposalId) || undefined,
  refuses: [
    ...['reject.own_proposal', 'reject.review_required'],
    ...['reject.wrong_state', 'reject.busy', 'reject.artifact_not_found', 'reject.session_not_found'],
    ...PROPOSAL_REFUSALS,
    ...BRANCH_REFUSALS,
    ...FOLDER_REFUSALS,
  ] as const,
  annotations: ENDS,
}).run(async (context, { proposalId, decision, restartMode = 'Revise', verificationResults, ...input }) => {
  const { agentId: author, workUnitId } = proposalOf(context.records, proposalId);
  requireSession(context.look, context.records, input.sessionId, workUnitId);
  if (author !== undefined && author === context.caller.agentId)
    throw refusal('reject.own_proposal', `${proposalId} is your own; another has to review it`, { proposalId });
  const automated = input.automated === true || context.caller.kind === 'agent';
  const notes = input.notes ?? (decision === 'Rejected' ? verificationResults : undefined);
  if (automated && verificationResults === undefined)
    throw missing('verificationResults', 'an automated review says what it checked');
  if (!automated && decision === 'Rejected' && notes === undefined) throw missing('notes', 'a rejection says why');
  const by = input.reviewedBy ?? input.reviewerAgentId ?? context.caller.name;
  const said = { by, notes, automated, verificationResults, consideredArtifactIds: input.consideredArtifactIds ?? [] };
  const reviewed = await context.answer((change) =>
    proposalView(decide(change, context.records, proposalId, { ...said, decision, restartMode })),
  );
  if (decision === 'Rejected' && restartMode === 'Revert')
    await revert(context, proposalId, { by: 'caller', kind: context.caller.kind });
  return reviewed;
});

export const apply = operation({
  summary: 'Land an approved proposal on its target.',
  scope: 'operate',
  in: z.object({ proposalId: ProposalId }),
  out: MergeProposal,
  rest: { route: 'POST /studio/merges/{proposalId}/apply' },
  tool: 'merge_apply',
  dispatch: true,
  version: ({ proposals }, { proposalId }) => proposals.version(proposalId) || undefined,
  refuses: LANDING_REFUSALS,
  annotations: ENDS,
}).run((context, { proposalId }) =>
  land(context, proposalId, (record) => context.answer((change) => proposalView(record(change)))),
);

export const retry = operation({
  summary: 'Have rejected work done again.',
  scope: 'operate',
  in: z.object({
    proposalId: ProposalId,
    notes: Notes.optional().describe('What to do otherwise; becomes part of the goal.'),
    sessionId: z.string().max(200).optional().describe('Session in which it was decided.'),
    restartMode: RestartMode.optional().describe('Whether the work keeps its files (Revise) or not (Revert).'),
  }),
  out: z.object({ outcome: z.literal('RetriedWorkers').describe('Always RetriedWorkers.') }),
  rest: { route: 'POST /studio/merges/{proposalId}/retry' },
  human: true,
  refuses: [
    ...['reject.wrong_state', 'reject.workunit_not_found', 'reject.attempts_exhausted', 'reject.session_not_found'],
    ...PROPOSAL_REFUSALS,
    ...BRANCH_REFUSALS,
    ...FOLDER_REFUSALS,
  ] as const,
  annotations: ADDS,
}).run(async (context, { proposalId, notes, sessionId, restartMode = 'Revise' }) => {
  const answer = await context.answer((change) => {
    requireSession(change, context.records, sessionId, proposalOf(context.records, proposalId).workUnitId);
    retryWork(change, context.records, proposalId, notes);
    return { outcome: 'RetriedWorkers' as const };
  });
  if (restartMode === 'Revert') await revert(context, proposalId, { by: 'caller', kind: context.caller.kind });
  return answer;
});

export const compare = operation({
  summary: 'Set two proposals of one work unit side by side.',
  scope: 'read',
  in: z.object({ ids: z.string().max(500).describe('Ids of two proposals, with a comma between them.') }),
  out: z.object({
    proposalIdA: z.string().describe('The first.'),
    proposalIdB: z.string().describe('The second.'),
    overlappingFiles: z.array(z.string()).describe('Files that both change.'),
    diffA: z.string().describe('Changes of the first.'),
    diffB: z.string().describe('Changes of the second.'),
  }),
  rest: { route: 'GET /studio/merges/compare', query: ['ids'] },
  refuses: ['reject.invalid_input', ...PROPOSAL_REFUSALS],
  annotations: READS,
}).run(async (context, { ids }) => {
  const names = ids.split(',').map((id) => id.trim());
  if (names.length !== 2) throw missing('ids', 'names exactly two proposals');
  const [a, b] = names.map((id) => proposalOf(context.records, id)) as [Proposal, Proposal];
  if (a.workUnitId !== b.workUnitId) throw missing('ids', 'the two are of different work units');
  const overlappingFiles = a.filesTouched.filter((path) => b.filesTouched.includes(path));
  const [diffA = '', diffB = ''] = [await patchOf(context, a), await patchOf(context, b)];
  return { proposalIdA: a.proposalId, proposalIdB: b.proposalId, overlappingFiles, diffA, diffB };
});

export const branchFrom = operation({
  summary: 'Begin another work unit with what a proposal began with.',
  scope: 'operate',
  in: z.object({
    proposalId: ProposalId,
    goal: z.string().min(1).max(100_000).describe('What it is to achieve.'),
    profileId: z.string().min(1).max(200).describe('Profile of the agent that is to do it.'),
    sessionId: z.string().max(200).optional().describe('Session that it belongs to.'),
  }),
  out: z.object({ workUnitId: z.string().describe('Id of the new work unit.') }),
  rest: { route: 'POST /studio/merges/{proposalId}/branch' },
  refuses: [
    ...['reject.wrong_state', 'reject.workunit_not_found', 'reject.profile_not_found', 'reject.session_not_found'],
    ...PROPOSAL_REFUSALS,
  ] as const,
  annotations: ADDS,
}).run((context, { proposalId, goal, profileId, sessionId }) =>
  context.answer((change) => {
    profileOf(context.records, profileId);
    const { workUnitId: of, repositoryId, baseCommit } = proposalOf(context.records, proposalId);
    const unit = context.records.workUnits.get(of ?? '');
    requireSession(change, context.records, sessionId, unit?.workUnitId);
    const { workUnitId } = createUnit(change, context.records, {
      goal,
      owner: unit?.owner ?? 'studio',
      repositoryId,
      seedSnapshotId: baseCommit,
      branchedFromProposalId: proposalId,
      metadata: { profileId },
      ...(unit === undefined ? {} : { parentWorkUnitId: unit.workUnitId }),
    });
    enqueueAgain(change, context.records, workUnitId);
    return { workUnitId };
  }),
);

export const restoreWorkspace = operation({
  summary: 'Make a new branch that holds what a proposal proposes.',
  scope: 'operate',
  in: z.object({ proposalId: ProposalId }),
  out: z.object({
    branchId: z.string().describe('Id of the new branch.'),
    proposalId: z.string().describe('Id of the proposal.'),
  }),
  rest: { route: 'POST /studio/merges/{proposalId}/restore-workspace' },
  refuses: ['reject.branch_exists', ...PROPOSAL_REFUSALS, ...BRANCH_REFUSALS],
  annotations: ADDS,
}).run(async (context, { proposalId }) => {
  const { repositoryId, headCommit } = proposalOf(context.records, proposalId);
  const time = context.now().replace(/\D/g, '').slice(0, 14);
  const branchId = `restore/${proposalId}-${time}`;
  const answer = await context.answer((change) => {
    change.run(branch, branchId, 'create', { branchId, repositoryId, seedSnapshotId: headCommit });
    return { branchId, proposalId };
  });
  await headOf(context, await storedBranch(context, branchId));
  return answer;
});

/** Author of a proposal. An agent's is its own identity and model, whatever it says. */
function authorOf({ caller: { agentId }, records }: Context, workUnitId = ''): Author {
  if (agentId === undefined) return {};
  const { model, provider } = cyclesOfAgent(records, { workUnitId, agentId }).at(-1) ?? {};
  return { agentId, ...(model === undefined ? {} : { model }), ...(provider === undefined ? {} : { provider }) };
}

function missing(field: string, message: string): Error {
  return refusal('reject.invalid_input', `${field}: ${message}`, [{ field, message }]);
}
