/** Workspace status: work under way, and the changes that proposals contain. */
import { isOver } from '../record/aggregates/work-unit/status.js';
import { fileDiffs } from '../rules/knowledge/diff-text.js';
import type { Proposal } from '../record/aggregates/merge-proposal/state.js';
import type { About, Sources } from './sources.js';
import { isPending, proposalsAbout, unitsAbout } from './work.js';

/** Summary of the workspace; everything by id. */
export function workspaceSummary(sources: Sources, about: About) {
  const units = unitsAbout(sources, about);
  const ids = new Set(units.map(({ workUnitId }) => workUnitId));
  const { agents, failures, knownGood } = sources.progress;
  const isMeant = ({ workUnitId }: { readonly workUnitId: string }): boolean => ids.has(workUnitId);
  const failed = units.filter(({ status }) => status === 'Failed' || status === 'DeadLettered');
  return {
    activeWorkUnits: units.filter(({ status }) => !isOver(status)).map(({ workUnitId }) => workUnitId),
    activeAgents: agents.filter((agent) => isMeant(agent) && agent.status === 'active').map(({ agentId }) => agentId),
    pendingMerges: proposalsAbout(sources, about)
      .filter(isPending)
      .map(({ proposalId }) => proposalId),
    failures: [...new Set([...failed, ...failures.filter(isMeant)].map(({ workUnitId }) => workUnitId))],
    knownGoodStates: knownGood
      .filter(({ branchId }) => about.branchId === undefined || branchId === about.branchId)
      .map(({ stateId }) => stateId),
  };
}

export interface ChangedFile {
  readonly path: string;
  readonly changeKind: 'Added' | 'Modified' | 'Deleted' | 'Changed';
  readonly proposalId: string;
}

/** Changed files of a proposal; without a diff at hand only their names. */
export function changedFiles({ proposalId, filesTouched }: Proposal, diff = ''): ChangedFile[] {
  const kinds = new Map(fileDiffs(diff).map(({ path, change }) => [path, change]));
  return filesTouched.map((path) => ({ path, changeKind: kinds.get(path) ?? 'Changed', proposalId }));
}

export function proposalSummary({ proposalId, status, filesTouched, summary, createdAt }: Proposal, diff?: string) {
  const files = fileDiffs(diff ?? '');
  const named = (change: ChangedFile['changeKind']): string[] =>
    files.filter((file) => file.change === change).map(({ path }) => path);
  const sum = (of: 'addedLines' | 'removedLines'): number => files.reduce((total, file) => total + file[of], 0);
  return {
    proposalId,
    status,
    summary,
    filesTouched: [...filesTouched],
    addedFiles: named('Added'),
    modifiedFiles: named('Modified'),
    deletedFiles: named('Deleted'),
    // Cacheable: a proposal never changes, so neither does its diff.
    ...(diff === undefined
      ? {}
      : { addedLines: sum('addedLines'), removedLines: sum('removedLines'), diffGeneratedAt: createdAt }),
  };
}

/** Proposal graph of a unit and all below it: bases, successors, and branches from them. */
export function proposalDag(sources: Sources, workUnitId: string) {
  const proposals = proposalsAbout(sources, { workUnitId });
  const reconciled = proposals.filter((one) => one.workUnitId === workUnitId && one.reconciledFrom.length > 0).at(-1);
  const shown = proposals.filter(({ reconciledFrom }) => reconciledFrom.length === 0);
  const ids = new Set(proposals.map(({ proposalId }) => proposalId));
  return {
    workUnitId,
    proposals: shown.map(({ proposalId, status, sourceBranch, filesTouched }) => ({
      proposalId,
      status,
      baseState: `base/${proposalId}`,
      producedState: sourceBranch,
      filesTouched: [...filesTouched],
    })),
    branches: sources.records.workUnits
      .all()
      .flatMap(({ workUnitId, goal, status, branchedFromProposalId: from }) =>
        from !== undefined && ids.has(from) ? [{ workUnitId, goal, status, branchedFromProposalId: from }] : [],
      ),
    mergeProposal: reconciled
      ? {
          proposalId: reconciled.proposalId,
          status: reconciled.status,
          reconciledFrom: [...reconciled.reconciledFrom],
          filesTouched: [...reconciled.filesTouched],
        }
      : null,
  };
}
