/** Workspace overview: work under way, and pending changes. */
import { z } from 'zod';
import { patchOf } from '../../rules/proposals/patch.js';
import { sourcesOf } from '../../projections/sources.js';
import { isPending, proposalsAbout } from '../../projections/work.js';
import {
  type ChangedFile,
  changedFiles,
  proposalDag as dagOf,
  proposalSummary,
  workspaceSummary,
} from '../../projections/workspace-status.js';
import { PROPOSAL_STATUSES } from '../../record/aggregates/merge-proposal/status.js';
import { unitOf } from '../../record/views/by-id.js';
import { operation } from '../kernel/define.js';
import { READS } from '../kernel/hints.js';
import { Status, WorkUnitId } from '../goals/work-unit-shape.js';

const BranchId = z.string().min(1).max(400).describe('Only what is on this branch.');
const ids = z.array(z.string());
const ProposalStatus = z.enum(PROPOSAL_STATUSES).describe('State of the proposal.');

export const summary = operation({
  summary: 'Say what is going on, by ids.',
  scope: 'read',
  in: z.object({ branchId: BranchId.optional() }),
  out: z
    .object({
      activeWorkUnits: ids.describe('Work units that are not over.'),
      activeAgents: ids.describe('Agents at work.'),
      pendingMerges: ids.describe('Proposals that are neither merged nor refused.'),
      failures: ids.describe('Work units that failed.'),
      knownGoodStates: ids.describe('States that are known to be good.'),
    })
    .meta({ id: 'WorkspaceSummary', description: 'What is going on.' }),
  rest: { route: 'GET /studio/workspace-summary', query: ['branchId'] },
  tool: 'workspace_summary',
  dispatch: true,
  refuses: [],
  annotations: READS,
}).run((context, about) => workspaceSummary(sourcesOf(context), about));

export const status = operation({
  summary: 'Say what the open proposals change, of a branch, of a work unit, or of all.',
  scope: 'read',
  in: z.object({
    branchId: BranchId.optional(),
    workUnitId: WorkUnitId.optional().describe('Only this unit and those below it.'),
    limit: z.number().int().min(1).max(1000).default(50).describe('Files to show.'),
    offset: z.number().int().min(0).max(1_000_000).default(0).describe('Files to skip.'),
  }),
  out: z
    .object({
      branchId: z.string().optional().describe('Branch that it is about.'),
      workUnitId: z.string().optional().describe('Work unit that it is about.'),
      currentWorkUnitStatus: Status.optional().describe('State of that unit.'),
      changedFiles: z
        .array(
          z.object({
            path: z.string().describe('Path of the file.'),
            changeKind: z.enum(['Added', 'Modified', 'Deleted', 'Changed']).describe('What happens to it.'),
            proposalId: z.string().describe('Proposal that does it.'),
          }),
        )
        .describe('Files that are about to change.'),
      proposalSummaries: z
        .array(
          z.object({
            proposalId: z.string().describe('Id of the proposal.'),
            status: ProposalStatus,
            summary: z.string().describe('What it changes, in short.'),
            filesTouched: ids.describe('Files that it changes.'),
            addedFiles: ids.describe('Files that it makes.'),
            modifiedFiles: ids.describe('Files that it rewrites.'),
            deletedFiles: ids.describe('Files that it takes away.'),
            addedLines: z.number().optional().describe('Lines that it adds.'),
            removedLines: z.number().optional().describe('Lines that it takes away.'),
            diffGeneratedAt: z.string().optional().describe('When its diff was made, ISO 8601.'),
          }),
        )
        .describe('The open proposals.'),
      truncated: z.boolean().describe('Whether there are more files.'),
      limit: z.number().describe('Files to show.'),
      offset: z.number().describe('Files that were skipped.'),
      nextOffset: z.number().nullable().describe('Where to go on, or null at the end.'),
      generatedAt: z.string().describe('When this was so, ISO 8601.'),
    })
    .meta({ id: 'WorkspaceStatus', description: 'What is about to change.' }),
  rest: { route: 'GET /studio/workspace-status', query: ['branchId', 'workUnitId', 'limit', 'offset'] },
  tool: 'workspace_status',
  dispatch: true,
  refuses: ['reject.workunit_not_found', 'reject.git_failed'],
  annotations: READS,
}).run(async (context, { limit, offset, ...about }) => {
  const { workUnitId } = about;
  const unit = workUnitId === undefined ? undefined : unitOf(context.records, workUnitId);
  const files: ChangedFile[] = [];
  const proposalSummaries: ReturnType<typeof proposalSummary>[] = [];
  // Sequential: a hundred proposals must not start a hundred programs, nor hold a hundred patches.
  for (const proposal of proposalsAbout(sourcesOf(context), about).filter(isPending)) {
    const diff = await patchOf(context, proposal);
    for (const file of changedFiles(proposal, diff)) files.push(file);
    proposalSummaries.push(proposalSummary(proposal, diff));
  }
  const end = offset + limit;
  const truncated = files.length > end;
  return {
    ...about,
    currentWorkUnitStatus: unit?.status,
    changedFiles: files.slice(offset, end),
    proposalSummaries,
    truncated,
    limit,
    offset,
    nextOffset: truncated ? end : null,
    generatedAt: context.now(),
  };
});

export const proposalDag = operation({
  summary: 'Show the proposals of a work unit and of those below it: what they rest on and what became of them.',
  scope: 'read',
  in: z.object({ workUnitId: WorkUnitId }),
  out: z.object({
    workUnitId: z.string().describe('Id of the work unit.'),
    proposals: z
      .array(
        z.object({
          proposalId: z.string().describe('Id of the proposal.'),
          status: ProposalStatus,
          baseState: z.string().describe('Branch that holds what it began with.'),
          producedState: z.string().describe('Branch that holds what it made.'),
          filesTouched: ids.describe('Files that it changes.'),
        }),
      )
      .describe('The proposals, oldest first.'),
    branches: z
      .array(
        z.object({
          workUnitId: z.string().describe('Id of the work unit.'),
          goal: z.string().describe('Its goal.'),
          status: Status.describe('Its state.'),
          branchedFromProposalId: z.string().describe('Proposal that it branched from.'),
        }),
      )
      .describe('Work units that branched from one of them.'),
    mergeProposal: z
      .object({
        proposalId: z.string().describe('Id of the proposal.'),
        status: ProposalStatus,
        reconciledFrom: ids.describe('Proposals that it brings together.'),
        filesTouched: ids.describe('Files that it changes.'),
      })
      .nullable()
      .describe('The proposal that brings them together, or null.'),
  }),
  rest: { route: 'GET /studio/workunits/{workUnitId}/proposal-dag' },
  refuses: ['reject.workunit_not_found'],
  annotations: READS,
}).run((context, { workUnitId }) => dagOf(sourcesOf(context), workUnitId));
