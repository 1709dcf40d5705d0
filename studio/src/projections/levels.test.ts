/** Every projection at every level, over a record in which there is too much of everything. */
import { describe, expect, it } from 'vitest';
import { agent } from '../record/aggregates/agent/agent.js';
import { decision } from '../record/aggregates/decision/decision.js';
import { evidence } from '../record/aggregates/evidence/evidence.js';
import { knownGood } from '../record/aggregates/known-good/known-good.js';
import { reasoning } from '../record/aggregates/reasoning/reasoning.js';
import { task } from '../record/aggregates/task/task.js';
import { trajectory } from '../record/aggregates/trajectory/trajectory.js';
import { createUnit } from '../rules/goals/create-unit.js';
import { toDeadLetter } from '../rules/queue/dead-letters.js';
import { enqueue, lease } from '../rules/queue/queue.js';
import { recordArtifact } from '../rules/knowledge/artifacts.js';
import { listedProposals, proposal, recordProposal } from '../testing/work/proposal.js';
import { recording } from '../testing/record/recording.js';
import { PROJECTION_TYPES, type ProjectionType, project } from './project.js';
import { EMERGENCY_BYTES, LEVELS } from './shrink.js';
import { sourcesOf } from './sources.js';

const MANY = 130;
const LONG = 'so it is said at length. '.repeat(200);
/** Id as long as those outside of tests. */
const id = (prefix: string, n: number): string => `${prefix}${String(n).padStart(32, '0')}`;

function muchOfEverything() {
  const { records, change, feed } = recording();
  const given = { goal: LONG, owner: 'ann' };
  const root = id('wu-', 0);
  const unit = id('wu-', 1);
  const agentId = id('agent-', 1);
  change((open) => createUnit(open, records, { ...given, workUnitId: root }));
  for (let n = 1; n <= MANY; n++) {
    const workUnitId = id('wu-', n);
    const isFork = n % 3 === 0;
    change((open) => {
      createUnit(open, records, {
        ...given,
        workUnitId,
        parentWorkUnitId: root,
        dependsOn: n > 1 && !isFork ? [unit] : [],
        ...(isFork ? { forkType: 'Model', branchedFromProposalId: id('MP-', 1) } : {}),
      });
      const offered = { workUnitId, sourceBranch: `work-${n}`, goal: LONG, summary: LONG, model: `m${n % 7}` };
      recordProposal(open, id('MP-', n), { ...offered, filesTouched: [`file-${n % 50}`, `file-${n}`] });
      createUnit(open, records, { ...given, workUnitId: id('wu-', 1000 + n) });
      open.run(trajectory, workUnitId, 'enter', { workUnitId, phase: 'Executing' });
    });
    change((open) => {
      const about = { workUnitId: unit };
      open.run(task, id('task-', n), 'create', {
        ...about,
        taskId: id('task-', n),
        title: LONG,
        description: LONG,
        priority: n,
      });
      recordArtifact(open, records, { ...about, type: 'Research', title: `found ${n}`, body: LONG });
      recordArtifact(open, records, { ...about, type: 'Constraint', title: `rule ${n}`, body: LONG });
      const step = {
        ...about,
        commitId: id('commit-', n),
        agentId,
        inputStage: 'Execute',
        action: 'look',
        reasoning: LONG,
      };
      open.run(reasoning, step.commitId, 'commit', step);
      const built = { ...about, evidenceId: id('ev-', n), kind: 'Build', success: true, summary: LONG } as const;
      open.run(evidence, built.evidenceId, 'attach', built);
      const decided = { ...about, decisionId: id('dec-', n), proposalId: id('MP-', n), outcome: 'Deferred' } as const;
      open.run(decision, decided.decisionId, 'record', { ...decided, rationale: LONG });
      const stateId = id('KGS-', n);
      const good = { stateId, branchId: 'main', repositoryId: 'repo-1', description: LONG, commit: '1'.repeat(40) };
      open.run(knownGood, stateId, 'mark', { ...good, createdBy: 'ann' });
      const agentOf = id('agent-', n);
      open.run(agent, agentOf, 'spawn', { agentId: agentOf, agentType: 'worker', ...about, profileId: 'worker' });
    });
  }
  for (let n = 100; n <= MANY; n++)
    change((open) => {
      enqueue(open, records, id('wu-', n), { profileId: 'worker' });
      lease(open, id('wu-', n), agentId);
      toDeadLetter(open, records, { workUnitId: id('wu-', n), kind: 'Stalled', reason: LONG });
    });
  const landed = Array.from({ length: MANY }, (_, n) =>
    proposal({ proposalId: id('MP-', 1000 + n), workUnitId: unit, status: 'Merged', summary: LONG }),
  );
  const proposals = listedProposals([...records.proposals.all(), ...landed]);
  return { sources: { ...sourcesOf({ records, feed }), proposals }, root, unit, agentId };
}

/** The seventeen, each with the fields that it must have, and of whom it tells: a unit, the goal, or all. */
const SHOWN: Readonly<Record<ProjectionType, readonly ['unit' | 'goal' | 'all', ...fields: string[]]>> = {
  WorkUnit: ['unit', 'workUnitId', 'goal', 'branchId', 'status', 'activeTasks', 'dependencies', 'assignedAgents'],
  AuthoritativeState: ['all', 'branchId', 'mergedState'],
  Task: ['unit', 'openTasks', 'blockedTasks', 'completedTasks', 'assignments'],
  MergeProposal: ['goal', 'pendingProposals', 'reviewStatus', 'verificationResults'],
  ExecutionSnapshot: ['unit', 'agentId', 'workUnitId', 'currentGoal', 'failureCount', 'rollbackCount'],
  AgentWorkspace: ['unit', 'agentId', 'workUnitId', 'artifacts', 'inheritedConstraints'],
  GoalGraph: ['all', 'nodes'],
  EvidenceLedger: ['unit', 'evidence'],
  TrajectoryTimeline: ['unit', 'events'],
  ModelDivergenceView: ['goal', 'models', 'divergedFiles'],
  ReasoningCommitGraph: ['unit', 'nodes', 'edges'],
  DecisionContext: ['unit', 'goal', 'plan', 'assumptions', 'constraints', 'evidence', 'allowedTools'],
  CounterfactualComparison: ['unit', 'original', 'counterfactuals'],
  RunRetrospective: ['goal', 'totals', 'successRate', 'averageReworkCycles', 'topFailureCause', 'forkWinRates'],
  HypothesisComparison: ['goal', 'siblings', 'recommendedWorkUnitId'],
  WorkspacePathways: ['goal', 'nodes', 'edges'],
  EngineeringState: ['goal', 'workUnitsByStatus', 'activeAgents', 'failures', 'pendingProposals'],
};

describe('a projection at its four levels', () => {
  const { sources, root, unit, agentId } = muchOfEverything();
  const whom = { unit: { workUnitId: unit, agentId }, goal: { workUnitId: root, agentId }, all: { agentId } };

  it.each(PROJECTION_TYPES)('%s says less and less of the same, and names nothing by half', (type) => {
    const [of, ...fields] = SHOWN[type];
    const shown = LEVELS.map((level) => project(sources, type, level, whom[of]));
    const full = shown[0]!.data;
    expect(Object.keys(full)).toEqual(expect.arrayContaining(fields));
    const named = new Set(idsIn(full));
    let size = Number.POSITIVE_INFINITY;
    for (const { data, truncated } of shown) {
      const text = JSON.stringify(data);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(size);
      size = Buffer.byteLength(text);
      expect(Object.keys(data)).toEqual(Object.keys(full));
      expect(truncated).toBe(text !== JSON.stringify(full));
      for (const one of idsIn(data)) expect(named).toContain(one);
    }
    expect(size).toBeLessThanOrEqual(EMERGENCY_BYTES);
    // A sum is short as it is; of anything else there was too much for every level but the fullest.
    const cut = shown.map(({ truncated }) => truncated);
    expect(cut).toEqual(
      type === 'RunRetrospective' ? [false, false, false, expect.any(Boolean)] : [false, true, true, true],
    );
  });
});

/** All that looks like an id, cut off or not. */
function idsIn(data: unknown): string[] {
  return JSON.stringify(data).match(/\b(wu|MP|task|artifact|commit|ev|dec|KGS|agent|DL)-[0-9]+…?/g) ?? [];
}
