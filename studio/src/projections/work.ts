/** Projections of work: units, tasks, proposals, goals, branches. */
import { isOver } from '../record/aggregates/work-unit/status.js';
import type { WorkUnit } from '../record/aggregates/work-unit/state.js';
import { executionSnapshot } from '../rules/knowledge/execution-snapshot.js';
import type { Proposal } from '../record/aggregates/merge-proposal/state.js';
import { unitOf } from '../record/views/by-id.js';
import { goalOf, lookAt, treeOf } from '../rules/goals/tree.js';
import type { Records } from '../record/views/records.js';
import { groupBy } from './group-by.js';
import { type About, type Projection, type Sources, needed } from './sources.js';

/** Units in question: one with all below it, or all there are. */
export function unitsAbout({ records }: Sources, { workUnitId, branchId }: About): WorkUnit[] {
  const units = workUnitId === undefined ? records.workUnits.all() : treeOf(records, workUnitId);
  return branchId === undefined ? units : units.filter((unit) => unit.branchId === branchId);
}

export function proposalsAbout(sources: Sources, about: About): readonly Proposal[] {
  if (about.workUnitId === undefined && about.branchId === undefined) return sources.proposals.all();
  const units = new Set(unitsAbout(sources, about).map(({ workUnitId }) => workUnitId));
  return sources.proposals.all().filter(({ workUnitId }) => workUnitId !== undefined && units.has(workUnitId));
}

/** Pending proposal: not merged, not refused. */
export function isPending({ status }: Proposal): boolean {
  return status === 'Draft' || status === 'ReadyForReview' || status === 'UnderReview' || status === 'Approved';
}

function inShort({ proposalId, workUnitId, summary, status, filesTouched, model, provider }: Proposal) {
  return { proposalId, workUnitId, status, summary, model, provider, filesTouched };
}

export const workUnit: Projection = ({ records, progress }, about) => {
  const unit = unitOf(records, needed(about, 'workUnitId'));
  const { workUnitId, goal, branchId, status, successCriteria, dependsOn, assignedAgent } = unit;
  const tasks = progress.tasks.filter((task) => task.workUnitId === workUnitId);
  const agents = progress.agents.filter((agent) => agent.workUnitId === workUnitId).map(({ agentId }) => agentId);
  return {
    workUnitId,
    goal,
    branchId,
    status,
    successCriteria,
    activeTasks: tasks.filter((task) => task.status === 'Open' || task.status === 'InProgress'),
    dependencies: dependsOn.map((id) => ({ workUnitId: id, status: records.workUnits.get(id)?.status })),
    assignedAgents: [...new Set([...(assignedAgent === undefined ? [] : [assignedAgent]), ...agents])],
  };
};

export const authoritativeState: Projection = (sources, { branchId = 'main', ...about }) => {
  const merged = proposalsAbout(sources, about).filter(
    ({ status, targetBranch }) => status === 'Merged' && targetBranch === branchId,
  );
  const rows = merged
    .toReversed()
    .map(
      ({ proposalId, workUnitId, summary, filesTouched }) =>
        [proposalId, { workUnitId, summary, filesTouched }] as const,
    );
  return { branchId, mergedState: new Map(rows) };
};

export const task: Projection = (sources, about) => {
  const units = new Set(unitsAbout(sources, about).map(({ workUnitId }) => workUnitId));
  const tasks = sources.progress.tasks.filter(({ workUnitId }) => units.has(workUnitId));
  const assigned = tasks.flatMap(({ taskId, assignee }) =>
    assignee === undefined ? [] : [[taskId, assignee] as const],
  );
  return {
    openTasks: tasks.filter(({ status }) => status === 'Open' || status === 'InProgress'),
    blockedTasks: tasks.filter(({ status }) => status === 'Blocked'),
    completedTasks: tasks.filter(({ status }) => status === 'Completed').reverse(),
    assignments: new Map(assigned),
  };
};

export const mergeProposal: Projection = (sources, about) => {
  const newest = proposalsAbout(sources, about).toReversed();
  return {
    pendingProposals: newest.filter(isPending).map(inShort),
    reviewStatus: new Map(newest.map(({ proposalId, status }) => [proposalId, status])),
    verificationResults: newest.flatMap(({ proposalId, verificationResults }) =>
      verificationResults === undefined ? [] : [{ proposalId, verificationResults }],
    ),
  };
};

export const executionSnapshotView: Projection = (sources, about) => ({
  ...executionSnapshot(sources.records, sources.progress, {
    agentId: needed(about, 'agentId'),
    workUnitId: needed(about, 'workUnitId'),
  }),
});

function goalWith(records: Records, workUnitId: string | undefined) {
  const unit = workUnitId === undefined ? undefined : records.workUnits.get(workUnitId);
  return unit && goalOf(lookAt(records), unit.workUnitId);
}

export const goalGraph: Projection = ({ records, proposals }, { workUnitId }) => {
  const about = workUnitId === undefined ? undefined : goalOf(lookAt(records), unitOf(records, workUnitId).workUnitId);
  const all = records.goals.all();
  const goals = all.filter(({ goalId }) => about === undefined || goalId === about.goalId);
  const children = groupBy(all, ({ parentGoalId }) => parentGoalId);
  // Each proposal is traced up to its goal: there are fewer proposals than goals and units.
  const offered = groupBy(proposals.all(), (one) => goalWith(records, one.workUnitId)?.workUnitId);
  const nodes = goals.map(({ goalId, goal, workUnitId, branchId, status, parentGoalId, owner, createdAt }) => ({
    goalId,
    goal,
    workUnitId,
    branchId,
    status,
    parentGoalId,
    owner,
    createdAt,
    childGoalIds: (children.get(goalId) ?? []).map((child) => child.goalId),
    assignedAgent: records.workUnits.get(workUnitId)?.assignedAgent,
    proposalCount: offered.get(workUnitId)?.length ?? 0,
  }));
  return { nodes: nodes.reverse() };
};

/** Branch graph: the work on each branch, its parent, its dependencies, what it was forked from. */
export const workspacePathways: Projection = (sources, about) => {
  const units = unitsAbout(sources, about);
  const { knownGood } = sources.progress;
  const edges = units.flatMap(({ workUnitId: to, parentWorkUnitId, dependsOn, branchedFromProposalId }) => {
    const original = branchedFromProposalId === undefined ? undefined : sources.proposals.get(branchedFromProposalId);
    const forkedFrom = original?.workUnitId;
    return [
      ...(parentWorkUnitId === undefined ? [] : [{ from: parentWorkUnitId, to, edgeType: 'Part' }]),
      ...dependsOn.map((from) => ({ from, to, edgeType: 'Dependency' })),
      ...(forkedFrom === undefined ? [] : [{ from: forkedFrom, to, edgeType: 'Fork' }]),
    ];
  });
  return {
    nodes: units
      .map(({ workUnitId, goal, branchId, status, forkType, createdAt, updatedAt }) => ({
        workUnitId,
        goal,
        branchId,
        status,
        forkType,
        createdAt,
        updatedAt,
        events: sources.feed.countOfWorkUnit(workUnitId),
        proposals: sources.proposals.ofUnit(workUnitId).map(({ proposalId, status }) => ({ proposalId, status })),
      }))
      .reverse(),
    edges,
    knownGoodStates: knownGood.filter(({ branchId }) => about.branchId === undefined || branchId === about.branchId),
  };
};

export const engineeringState: Projection = (sources, about) => {
  const units = unitsAbout(sources, about);
  const counts = new Map<string, number>();
  for (const { status } of units) counts.set(status, (counts.get(status) ?? 0) + 1);
  const ids = new Set(units.map(({ workUnitId }) => workUnitId));
  const { agents, failures, knownGood } = sources.progress;
  const open = units.filter(({ status }) => !isOver(status));
  return {
    workUnitsByStatus: counts,
    activeWorkUnits: open.map(({ workUnitId, goal, status }) => ({ workUnitId, status, goal })).reverse(),
    activeAgents: agents.filter(({ workUnitId, status }) => ids.has(workUnitId) && status === 'active'),
    failures: failures.filter(({ workUnitId }) => ids.has(workUnitId)).reverse(),
    pendingProposals: proposalsAbout(sources, about)
      .filter(({ status }) => status === 'ReadyForReview' || status === 'Approved')
      .map(inShort),
    openFindings: sources.records.findings
      .where('status', 'Open')
      .map(({ findingId, title }) => ({ findingId, title })),
    knownGoodStates: knownGood,
  };
};
