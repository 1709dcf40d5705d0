import { describe, expect, it } from 'vitest';
import { evidence } from '../record/aggregates/evidence/evidence.js';
import { reasoning } from '../record/aggregates/reasoning/reasoning.js';
import { trajectory } from '../record/aggregates/trajectory/trajectory.js';
import { recordArtifact } from '../rules/knowledge/artifacts.js';
import { decision } from '../record/aggregates/decision/decision.js';
import { listedProposals, proposal } from '../testing/work/proposal.js';
import { recording } from '../testing/record/recording.js';
import { createUnit } from '../rules/goals/create-unit.js';
import { moveUnit } from '../rules/queue/move.js';
import { PROJECTION_TYPES, type ProjectionType, project } from './project.js';
import { EMERGENCY_BYTES, LEVELS } from './shrink.js';
import type { About, Sources } from './sources.js';
import { enqueue, lease } from '../rules/queue/queue.js';

/** A goal with two parts, of which one was forked, and with something of everything that views tell. */
function example() {
  const { records, change, feed } = recording();
  const given = { goal: 'be fast', owner: 'ann' };
  const root = change((open) => createUnit(open, records, given)).workUnitId;
  const below = { ...given, parentWorkUnitId: root };
  const part = change((open) => createUnit(open, records, { ...below, successCriteria: 'twice as fast' })).workUnitId;
  const other = change((open) => createUnit(open, records, { ...below, dependsOn: [part] })).workUnitId;
  const forked = change((open) =>
    createUnit(open, records, { ...below, forkType: 'Model', branchedFromProposalId: 'MP-1' }),
  ).workUnitId;
  const proposals = listedProposals([
    proposal({ proposalId: 'MP-1', workUnitId: part, filesTouched: ['a', 'b'], model: 'm1', status: 'Rejected' }),
    proposal({ proposalId: 'MP-2', workUnitId: forked, filesTouched: ['a', 'b', 'c'], model: 'm2', status: 'Merged' }),
    proposal({ proposalId: 'MP-3', workUnitId: other, filesTouched: ['a'], model: 'm1', verificationResults: 'ok' }),
  ]);
  const plan = JSON.stringify({ slices: [{ sliceId: 's1', goal: 'measure' }] });
  change((open) => {
    recordArtifact(open, records, { type: 'Plan', body: plan, workUnitId: root });
    recordArtifact(open, records, { type: 'Constraint', title: 'no cache', body: 'b', workUnitId: root });
    recordArtifact(open, records, { type: 'Constraint', title: 'be brief', body: 'b' });
  });
  change((open) => recordArtifact(open, records, { type: 'Research', title: 'it is slow', workUnitId: part }));
  change((open) => open.run(trajectory, part, 'enter', { workUnitId: part, phase: 'Executing' }));
  const step = { workUnitId: part, agentId: 'a-1', inputStage: 'Execute', reasoning: 'so' };
  for (const commitId of ['c-1', 'c-2'])
    change((open) => open.run(reasoning, commitId, 'commit', { ...step, commitId, action: 'look' }));
  const built = { evidenceId: 'ev-1', workUnitId: part, kind: 'Build', success: true, summary: 'built' } as const;
  change((open) => open.run(evidence, 'ev-1', 'attach', built));
  // It speaks for what is not offered any more.
  const older = { ...built, evidenceId: 'ev-0', workUnitId: other, commit: '0'.repeat(40) };
  change((open) => open.run(evidence, 'ev-0', 'attach', older));
  const decided = { decisionId: 'dec-1', proposalId: 'MP-1', outcome: 'Rejected', workUnitId: part } as const;
  change((open) => open.run(decision, 'dec-1', 'record', decided));
  change((open) => enqueue(open, records, other, { profileId: 'worker' }));
  change((open) => lease(open, other, 'a-2'));
  change((open) => moveUnit(open, records, other, 'DeadLettered', 'no tests'));
  const about = { workUnitId: part };
  const task = { taskId: 't-1', workUnitId: part, title: 'measure', status: 'InProgress', assignee: 'a-1' } as const;
  const failure = { entryId: 'DL-1', workUnitId: other, kind: 'Stalled', reason: 'no tests' };
  const sources: Sources = {
    records,
    feed,
    proposals,
    executions: { latest: () => undefined },
    progress: {
      tasks: [task, { ...task, taskId: 't-2', status: 'Blocked' }, { ...task, taskId: 't-3', status: 'Completed' }],
      agents: [{ agentId: 'a-1', workUnitId: part, status: 'active', model: 'm1' }],
      failures: [{ ...failure, occurredAt: records.workUnits.get(other)!.updatedAt }],
      knownGood: [{ stateId: 'KGS-1', branchId: 'main' }],
    },
  };
  const view = (type: ProjectionType, of: About = about) => project(sources, type, 'Full', of).data;
  return { sources, root, part, other, forked, view };
}

describe('projections', () => {
  it('of a unit and its tasks', () => {
    const { view, part, other } = example();
    expect(view('WorkUnit')).toMatchObject({
      workUnitId: part,
      goal: 'be fast',
      status: 'Created',
      successCriteria: 'twice as fast',
      dependencies: [],
      activeTasks: [{ taskId: 't-1' }],
      assignedAgents: ['a-1'],
    });
    expect(view('WorkUnit', { workUnitId: other })).toMatchObject({
      dependencies: [{ workUnitId: part, status: 'Created' }],
    });
    expect(view('Task')).toMatchObject({
      openTasks: [{ taskId: 't-1' }],
      blockedTasks: [{ taskId: 't-2' }],
      completedTasks: [{ taskId: 't-3' }],
      assignments: { 't-1': 'a-1', 't-2': 'a-1', 't-3': 'a-1' },
    });
    expect(view('ExecutionSnapshot', { workUnitId: part, agentId: 'a-1' })).toMatchObject({
      agentId: 'a-1',
      currentGoal: 'be fast',
      currentTask: 'measure',
      failureCount: 0,
      rollbackCount: 0,
      nextSuggestedAction: 'Enqueue it.',
    });
  });

  it('of proposals', () => {
    const { view, root, forked } = example();
    expect(view('MergeProposal', { workUnitId: root })).toMatchObject({
      pendingProposals: [{ proposalId: 'MP-3' }],
      reviewStatus: { 'MP-1': 'Rejected', 'MP-2': 'Merged', 'MP-3': 'ReadyForReview' },
      verificationResults: [{ proposalId: 'MP-3', verificationResults: 'ok' }],
    });
    expect(view('AuthoritativeState', {})).toEqual({
      branchId: 'main',
      mergedState: { 'MP-2': { workUnitId: forked, summary: 's', filesTouched: ['a', 'b', 'c'] } },
    });
    expect(view('ModelDivergenceView', { workUnitId: root })).toMatchObject({
      models: [
        { model: 'm1', proposals: 2, accepted: 0, rejected: 1 },
        { model: 'm2', proposals: 1, accepted: 1, rejected: 0 },
      ],
      divergedFiles: [{ path: 'c', models: ['m2'] }],
    });
  });

  it('of what an agent is given', () => {
    const { view, part } = example();
    expect(view('AgentWorkspace')).toMatchObject({
      workUnitId: part,
      artifacts: { artifacts: [{ title: 'it is slow' }, { type: 'Plan' }] },
      inheritedConstraints: [{ title: 'be brief', reach: 'Workgroup' }, { title: 'no cache' }],
      coModHints: [{ pathA: 'a', pathB: 'b', confidence: 2 / 3 }],
    });
    expect(view('DecisionContext')).toMatchObject({
      goal: 'be fast',
      plan: [{ sliceId: 's1', goal: 'measure' }],
      assumptions: [{ title: 'it is slow' }],
      allowedTools: [],
      constraints: [{ title: 'be brief' }, { title: 'no cache' }],
      evidence: [{ kind: 'Build', success: true }],
    });
  });

  it('of how it came about', () => {
    const { view, part } = example();
    const decided = expect.stringMatching(/^dec-/) as string;
    expect(view('ReasoningCommitGraph')).toMatchObject({
      nodes: [{ commitId: 'c-2' }, { commitId: 'c-1', stage: 'Execute', reasoning: 'so' }],
      edges: [
        { from: 'c-1', to: 'c-2', edgeType: 'Refine' },
        { from: 'c-2', to: 'ev-1', edgeType: 'EvidenceAttached' },
        { from: 'c-2', to: decided, edgeType: 'Decided' },
      ],
    });
    expect(view('EvidenceLedger')).toMatchObject({ total: 1, succeeded: 1, evidence: [{ evidenceId: 'ev-1' }] });
    const { events } = view('TrajectoryTimeline') as { events: { kind: string; occurredAt: string }[] };
    expect(events.map(({ kind }) => kind)).toEqual([
      ...['DecisionRecorded', 'EvidenceAttached', 'ReasoningCommitted', 'ReasoningCommitted'],
      ...['TrajectoryPhaseEntered', 'ArtifactRecorded', 'WorkUnitCreated'],
    ]);
    const since = events[3]!.occurredAt;
    const later = view('TrajectoryTimeline', { workUnitId: part, since }) as { events: unknown[]; phases: unknown[] };
    expect([later.events, later.phases]).toEqual([events.slice(0, 4), []]);
  });

  it('of goals and branches', () => {
    const { view, root, part, other, forked } = example();
    expect(view('GoalGraph')).toMatchObject({
      nodes: [{ goalId: root, status: 'Exploring', proposalCount: 3, childGoalIds: [] }],
    });
    expect(view('WorkspacePathways', { workUnitId: root })).toMatchObject({
      nodes: [forked, other, part, root].map((workUnitId) => ({ workUnitId })),
      edges: [
        { from: root, to: part, edgeType: 'Part' },
        { from: root, to: other, edgeType: 'Part' },
        { from: part, to: other, edgeType: 'Dependency' },
        { from: root, to: forked, edgeType: 'Part' },
        { from: part, to: forked, edgeType: 'Fork' },
      ],
      knownGoodStates: [{ stateId: 'KGS-1' }],
    });
    expect(view('EngineeringState', { workUnitId: root })).toMatchObject({
      workUnitsByStatus: { Created: 3, DeadLettered: 1 },
      activeAgents: [{ agentId: 'a-1' }],
      failures: [{ entryId: 'DL-1' }],
      pendingProposals: [{ proposalId: 'MP-3' }],
    });
  });

  it('of what was tried in place of it', () => {
    const { view, part, forked, root } = example();
    expect(view('CounterfactualComparison')).toMatchObject({
      original: { workUnitId: part, model: 'm1', proposals: [{ proposalId: 'MP-1' }] },
      counterfactuals: [{ workUnitId: forked, model: 'm2', proposals: [{ proposalId: 'MP-2' }] }],
      whichWasBetter: forked,
    });
    expect(view('HypothesisComparison', { workUnitId: root })).toMatchObject({
      siblings: [{ workUnitId: part, evidenceCount: 1, score: 1 }, { score: 0 }, { score: 0 }],
      recommendedWorkUnitId: part,
    });
  });

  it('of how a run went, within its time', () => {
    const { view, root, sources, forked } = example();
    expect(view('RunRetrospective', { workUnitId: root })).toMatchObject({
      totals: { workUnits: 4, completed: 0, proposals: 3, failures: 1, decisions: 1 },
      successRate: 0,
      averageReworkCycles: 0,
      topFailureCause: 'Stalled',
      reviewOutcomes: { Rejected: 1 },
      forkWinRates: [{ forkType: 'Model', forks: 1, wins: 0, winRate: 0 }],
    });
    const since = sources.records.workUnits.get(forked)!.createdAt;
    expect(view('RunRetrospective', { since })).toMatchObject({ totals: { workUnits: 1, proposals: 1, failures: 0 } });
    expect(view('RunRetrospective', { until: since })).toMatchObject({ totals: { workUnits: 4, failures: 0 } });
  });

  it('fit a thousand tokens in an emergency, and lose nothing at the fullest', () => {
    const { sources, part } = example();
    const about = { workUnitId: part, agentId: 'a-1' };
    for (const type of PROJECTION_TYPES)
      for (const level of LEVELS) {
        const { data, truncated } = project(sources, type, level, about);
        if (level === 'Full') expect(truncated, type).toBe(false);
        if (level === 'Emergency') expect(Buffer.byteLength(JSON.stringify(data)), type).toBeLessThan(EMERGENCY_BYTES);
      }
  });

  it('say what they need', () => {
    const { sources } = example();
    const lacking = PROJECTION_TYPES.filter((type) => {
      try {
        project(sources, type, 'Full');
        return false;
      } catch (error) {
        expect(error).toMatchObject({ reason: 'reject.invalid_input' });
        return true;
      }
    });
    expect(lacking).toEqual([
      ...['WorkUnit', 'ExecutionSnapshot', 'AgentWorkspace', 'DecisionContext'],
      ...['CounterfactualComparison', 'HypothesisComparison'],
    ]);
  });
});
