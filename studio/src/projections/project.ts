/** Projection table: projections of the record by name, each at some level of detail. */
import { counterfactualComparison, hypothesisComparison, modelDivergenceView, runRetrospective } from './comparison.js';
import {
  agentWorkspace,
  decisionContext,
  evidenceLedger,
  reasoningCommitGraph,
  trajectoryTimeline,
} from './knowledge.js';
import { type Level, type Shrunk, shrink } from './shrink.js';
import type { About, Projection, Sources } from './sources.js';
import {
  authoritativeState,
  engineeringState,
  executionSnapshotView,
  goalGraph,
  mergeProposal,
  task,
  workUnit,
  workspacePathways,
} from './work.js';

export const PROJECTION_TYPES = [
  'WorkUnit',
  'AuthoritativeState',
  'Task',
  'MergeProposal',
  'ExecutionSnapshot',
  'AgentWorkspace',
  'GoalGraph',
  'EvidenceLedger',
  'TrajectoryTimeline',
  'ModelDivergenceView',
  'ReasoningCommitGraph',
  'DecisionContext',
  'CounterfactualComparison',
  'RunRetrospective',
  'HypothesisComparison',
  'WorkspacePathways',
  'EngineeringState',
] as const;
export type ProjectionType = (typeof PROJECTION_TYPES)[number];

const PROJECTIONS: Readonly<Record<ProjectionType, Projection>> = {
  WorkUnit: workUnit,
  AuthoritativeState: authoritativeState,
  Task: task,
  MergeProposal: mergeProposal,
  ExecutionSnapshot: executionSnapshotView,
  AgentWorkspace: agentWorkspace,
  GoalGraph: goalGraph,
  EvidenceLedger: evidenceLedger,
  TrajectoryTimeline: trajectoryTimeline,
  ModelDivergenceView: modelDivergenceView,
  ReasoningCommitGraph: reasoningCommitGraph,
  DecisionContext: decisionContext,
  CounterfactualComparison: counterfactualComparison,
  RunRetrospective: runRetrospective,
  HypothesisComparison: hypothesisComparison,
  WorkspacePathways: workspacePathways,
  EngineeringState: engineeringState,
};

export function project(sources: Sources, type: ProjectionType, level: Level, about: About = {}): Shrunk {
  return shrink(PROJECTIONS[type](sources, about), level);
}
