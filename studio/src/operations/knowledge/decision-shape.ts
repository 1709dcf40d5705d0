/** Shapes of decisions, evidence, and what units go through, as callers see them. */
import { z } from 'zod';
import { DECISION_OUTCOMES } from '../../record/aggregates/decision/decision.js';
import { EVIDENCE_KINDS } from '../../record/aggregates/evidence/evidence.js';
import { PHASES } from '../../record/aggregates/trajectory/trajectory.js';

export const ProposalId = z.string().min(1).max(200).describe('Id of a merge proposal.');
export const AgentId = z.string().min(1).max(200).describe('Id of an agent.');
export const Model = z.string().min(1).max(200).describe('Model that did it.');
export const Provider = z.string().min(1).max(200).describe('Provider of that model.');

const model = z.string().optional().describe('Model that did it.');
const provider = z.string().optional().describe('Provider of that model.');

export const Decision = z
  .object({
    decisionId: z.string().describe('Id of the decision.'),
    proposalId: z.string().describe('Proposal that was decided.'),
    workUnitId: z.string().optional().describe('Work unit that made the proposal.'),
    outcome: z.enum(DECISION_OUTCOMES).describe('What was decided.'),
    reviewerAgentId: z.string().optional().describe('Agent that reviewed it.'),
    reviewerModel: model,
    reviewerProvider: provider,
    confidence: z.number().optional().describe('How sure the decision is, 0 to 1.'),
    rationale: z.string().optional().describe('Why.'),
    decidedAt: z.string().optional().describe('When, ISO 8601. Absent where only the state of the proposal is known.'),
  })
  .meta({ id: 'Decision', description: 'What was decided of a proposal.' });

export const Evidence = z
  .object({
    evidenceId: z.string().describe('Id of the evidence, the same whenever it is asked for.'),
    kind: z.enum(EVIDENCE_KINDS).describe('What it comes from.'),
    summary: z.string().describe('What it shows, in one line.'),
    success: z.boolean().describe('Whether it speaks for the work.'),
    proposalId: z.string().optional().describe('Proposal that it is about.'),
    commit: z.string().optional().describe('Commit that was built or tested. It shows nothing of any other.'),
    buildSystem: z.string().optional().describe('What ran the command.'),
    command: z.string().optional().describe('What ran.'),
    exitCode: z.number().optional().describe('How it ended.'),
    totalTests: z.number().optional().describe('Tests that there are.'),
    passed: z.number().optional().describe('Tests that passed.'),
    failed: z.number().optional().describe('Tests that failed.'),
    skipped: z.number().optional().describe('Tests that did not run.'),
    attachedAt: z.string().describe('When it was attached, ISO 8601.'),
  })
  .meta({ id: 'Evidence', description: 'What shows that work is as it should be, or is not.' });

export const Phase = z.enum(PHASES).describe('Phase that the work is in.');

export const Trajectory = z
  .object({
    trajectoryId: z.string().describe('Id of the trajectory: that of its work unit.'),
    workUnitId: z.string().describe('Work unit whose way it is.'),
    branchId: z.string().describe('Branch of that unit.'),
    goal: z.string().describe('Goal of that unit.'),
    phase: Phase,
    agentId: z.string().optional().describe('Agent that is at work.'),
    model,
    provider,
    startedAt: z.string().describe('When its first phase began, ISO 8601.'),
    phases: z
      .array(
        z.object({
          phase: Phase,
          agentId: z.string().optional().describe('Agent that was at work.'),
          model,
          provider,
          enteredAt: z.string().describe('When it began, ISO 8601.'),
        }),
      )
      .describe('All its phases, oldest first.'),
  })
  .meta({ id: 'Trajectory', description: 'The phases that a work unit goes through.' });

export const TimelineEntry = z
  .object({
    eventId: z.string().describe('Id of the event.'),
    kind: z.string().describe('What happened.'),
    entity: z.string().describe('Kind of thing that it happened to.'),
    entityId: z.string().describe('Id of that thing.'),
    workUnitId: z.string().optional().describe('Work unit that it is about.'),
    sessionId: z.string().optional().describe('Session that it belongs to.'),
    causedByEventId: z.string().optional().describe('Event that it follows from.'),
    by: z.string().describe('Who asked for it.'),
    occurredAt: z.string().describe('When, ISO 8601.'),
    payload: z.record(z.string(), z.unknown()).describe('What the event says.'),
  })
  .meta({ id: 'TimelineEntry', description: 'One thing that happened.' });
