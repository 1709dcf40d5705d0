/** Shapes of hypotheses, experiments and comparisons of models, as callers see them. */
import { z } from 'zod';
import { HYPOTHESIS_STATUSES } from '../../record/aggregates/hypothesis/hypothesis.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import { FORK_TYPES } from '../../record/aggregates/work-unit/events.js';
import { hypothesisStatus } from '../../rules/knowledge/forks.js';
import { PROPOSAL_STATUSES } from '../../record/aggregates/merge-proposal/status.js';
import type { Records } from '../../record/views/records.js';

export const ForkType = z.enum(FORK_TYPES).describe('In what the fork differs.');
export const SessionId = z.string().min(1).max(200).describe('Session that asks for it.');

export const Hypothesis = z
  .object({
    hypothesisId: z.string().describe('Id of the hypothesis: that of its work unit.'),
    workUnitId: z.string().describe('Work unit that tries it.'),
    goal: z.string().describe('What is to be found out.'),
    forkType: z.string().describe('In what it differs; "Unknown" when nobody said.'),
    parentWorkUnitId: z.string().optional().describe('Unit that it is a part of.'),
    branchedFromProposalId: z.string().optional().describe('Proposal that it branches from.'),
    rationale: z.string().optional().describe('Why it is tried.'),
    status: z.enum(HYPOTHESIS_STATUSES).describe('What came of it.'),
    createdAt: z.string().describe('When it was put forward, ISO 8601.'),
    sessionId: z.string().optional().describe('Session in which it was asked for.'),
  })
  .meta({ id: 'Hypothesis', description: 'What a work unit is to find out.' });

export function hypothesisView(records: Records, unit: WorkUnit): z.input<typeof Hypothesis> {
  const { workUnitId, goal, forkType, parentWorkUnitId, branchedFromProposalId, createdAt } = unit;
  const { rationale, sessionId } = records.hypotheses.get(workUnitId) ?? {};
  return {
    hypothesisId: workUnitId,
    workUnitId,
    goal,
    forkType: forkType ?? 'Unknown',
    parentWorkUnitId,
    branchedFromProposalId,
    rationale,
    sessionId,
    status: hypothesisStatus(records, unit),
    createdAt,
  };
}

export const Experiment = z
  .object({
    experimentId: z.string().describe('Id of the experiment.'),
    parentWorkUnitId: z.string().describe('Work unit that holds it together.'),
    forkType: z.string().describe('In what its forks differ.'),
    forkWorkUnitIds: z.array(z.string()).describe('Work units that are compared.'),
    comparisonMetricHint: z.string().optional().describe('What to compare them by.'),
    createdAt: z.string().describe('When it began, ISO 8601.'),
    sessionId: z.string().optional().describe('Session in which it was asked for.'),
    winnerId: z.string().optional().describe('Fork that has won.'),
    rationale: z.string().optional().describe('Why that one.'),
  })
  .meta({ id: 'Experiment', description: 'One goal, tried in several ways.' });

export const ProposalInShort = z
  .object({
    proposalId: z.string().describe('Id of the proposal.'),
    workUnitId: z.string().optional().describe('Work unit that made it.'),
    summary: z.string().describe('What it changes, in short.'),
    status: z.enum(PROPOSAL_STATUSES).describe('State of the proposal.'),
    filesTouched: z.array(z.string()).describe('Files that it changes.'),
    model: z.string().optional().describe('Model that made it.'),
    provider: z.string().optional().describe('Provider of that model.'),
    confidence: z.number().optional().describe('How sure its maker was, 0 to 1.'),
  })
  .meta({ id: 'ProposalInShort', description: 'A merge proposal, without what it changes.' });
