/** Trajectories: the phases that work goes through, and what happened on the way. */
import { z } from 'zod';
import { trajectory } from '../../record/aggregates/trajectory/trajectory.js';
import { alternativesTo, branchesOf } from '../../rules/knowledge/alternatives.js';
import { entryAt, numbersAbout } from '../../rules/knowledge/timeline.js';
import { inTurns } from '../../record/ledger/in-turns.js';
import { refusal } from '../../reasons.js';
import { unitOf } from '../../record/views/by-id.js';
import { operation } from '../kernel/define.js';
import { READS, SETS } from '../kernel/hints.js';
import { AgentId, Model, Phase, Provider, TimelineEntry, Trajectory } from './decision-shape.js';
import { SessionId } from '../experiments/fork-shape.js';
import { Status, WorkUnitId } from '../goals/work-unit-shape.js';

export const create = operation({
  summary: 'Say which phase a work unit is in.',
  scope: 'operate',
  in: z.object({
    workUnitId: WorkUnitId,
    phase: Phase,
    agentId: AgentId.optional(),
    model: Model.optional(),
    provider: Provider.optional(),
  }),
  out: Trajectory,
  rest: { route: 'POST /studio/trajectory' },
  tool: 'trajectory_create',
  refuses: ['reject.workunit_not_found'],
  annotations: SETS,
}).run((context, given) =>
  context.answer((change) => {
    const { workUnitId, branchId, goal } = unitOf(context.records, given.workUnitId);
    const { phases, ...entered } = change.run(trajectory, workUnitId, 'enter', given);
    return { ...entered, branchId, goal, phases: [...phases] };
  }),
);

const MODES = ['linear', 'branchexplorer', 'counterfactual'] as const;

export const replay = operation({
  summary: 'Show what happened: in order, by branch, or beside what was tried in its place.',
  scope: 'read',
  in: z.object({
    workUnitId: WorkUnitId.optional().describe('Work unit to show. The counterfactual mode needs it.'),
    branchId: z.string().min(1).max(400).optional().describe('Only what happened on this branch.'),
    mode: z.string().max(20).default('linear').describe('linear, branchexplorer or counterfactual.'),
    sessionId: SessionId.optional(),
  }),
  out: z.object({
    mode: z.enum(['Linear', 'BranchExplorer', 'Counterfactual']).describe('How it is shown.'),
    nodes: z.array(TimelineEntry).optional().describe('Linear: what happened, oldest first.'),
    branches: z
      .array(
        z.object({
          branchId: z.string().describe('Id of the branch.'),
          workUnitCount: z.number().describe('Work units on it.'),
          goals: z.array(z.string()).describe('What they are to achieve.'),
        }),
      )
      .optional()
      .describe('BranchExplorer: the branches.'),
    targetWorkUnitId: z.string().optional().describe('Counterfactual: the unit that is looked at.'),
    targetGoal: z.string().optional().describe('Counterfactual: its goal.'),
    alternatives: z
      .array(
        z.object({
          workUnitId: z.string().describe('Id of the other unit.'),
          goal: z.string().describe('Its goal.'),
          status: Status.describe('Its state.'),
          relationship: z.enum(['sibling', 'forked-from-proposal']).describe('How it is related.'),
          forkType: z.string().optional().describe('In what it differs.'),
          branchedFromProposalId: z.string().optional().describe('Proposal that it branched from.'),
          createdAt: z.string().describe('When it was made, ISO 8601.'),
        }),
      )
      .optional()
      .describe('Counterfactual: what else was tried.'),
  }),
  rest: { route: 'GET /studio/trajectory/replay', query: ['workUnitId', 'branchId', 'mode', 'sessionId'] },
  tool: 'trajectory_replay',
  refuses: ['reject.workunit_not_found', 'reject.invalid_input'],
  annotations: READS,
}).run(async ({ records, feed }, { mode: wanted, ...about }) => {
  const { workUnitId } = about;
  const unit = workUnitId === undefined ? undefined : unitOf(records, workUnitId);
  switch (MODES.find((mode) => mode === wanted.toLowerCase())) {
    case undefined:
      throw invalid('mode', `must be one of ${MODES.join(', ')}`);
    case 'linear':
      return {
        mode: 'Linear' as const,
        nodes: await inTurns(numbersAbout(feed, records, about), (number) => entryAt(feed, number)),
      };
    case 'branchexplorer': {
      const units = unit ? [unit] : records.workUnits.all();
      const wantedUnits = units.filter(({ branchId }) => (about.branchId ?? branchId) === branchId);
      return { mode: 'BranchExplorer' as const, branches: branchesOf(wantedUnits) };
    }
    case 'counterfactual': {
      if (!unit) throw invalid('workUnitId', 'is needed to show what was tried in its place');
      const { workUnitId: targetWorkUnitId, goal: targetGoal } = unit;
      const alternatives = alternativesTo(records, unit);
      return { mode: 'Counterfactual' as const, targetWorkUnitId, targetGoal, alternatives };
    }
  }
});

function invalid(field: string, message: string): Error {
  return refusal('reject.invalid_input', `${field}: ${message}`, [{ field, message }]);
}
