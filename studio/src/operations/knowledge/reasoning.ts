/** Reasoning: what agents saw, what they did, and why. */
import { z } from 'zod';
import { reasoning } from '../../record/aggregates/reasoning/reasoning.js';
import { unitOf } from '../../record/views/by-id.js';
import { operation } from '../kernel/define.js';
import { ADDS } from '../kernel/hints.js';
import { AgentId, Model, Provider } from './decision-shape.js';
import { WorkUnitId } from '../goals/work-unit-shape.js';

export const record = operation({
  summary: 'Record one step of the reasoning on a work unit.',
  scope: 'operate',
  in: z.object({
    workUnitId: WorkUnitId,
    agentId: AgentId,
    inputStage: z.string().min(1).max(200).describe('Stage that the agent was in.'),
    action: z.string().min(1).max(200).describe('What it did.'),
    reasoning: z.string().max(200_000).optional().describe('Why.'),
    projectionSnapshotJson: z.string().max(2_000_000).optional().describe('What it saw, as JSON.'),
    agentModel: Model.optional(),
    agentProvider: Provider.optional(),
  }),
  out: z.object({
    commitId: z.string().describe('Id of this step.'),
    workUnitId: z.string().describe('Work unit that it is about.'),
    agentId: z.string().describe('Agent whose step it is.'),
    agentModel: z.string().optional().describe('Model of the agent.'),
    agentProvider: z.string().optional().describe('Provider of that model.'),
    inputStage: z.string().describe('Stage that the agent was in.'),
    action: z.string().describe('What it did.'),
    reasoning: z.string().optional().describe('Why.'),
    committedAt: z.string().describe('When, ISO 8601.'),
  }),
  rest: { route: 'POST /studio/reasoning' },
  tool: 'reasoning_record',
  refuses: ['reject.workunit_not_found'],
  annotations: ADDS,
}).run((context, given) =>
  context.answer((change) => {
    unitOf(context.records, given.workUnitId);
    const commitId = change.newId('commit-');
    return change.run(reasoning, commitId, 'commit', { ...given, commitId });
  }),
);
