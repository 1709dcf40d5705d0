/** Execution snapshots: the state of agents at their work. */
import { z } from 'zod';
import { executionSnapshot } from '../../rules/knowledge/execution-snapshot.js';
import { refusal } from '../../reasons.js';
import { progressOf } from '../../record/views/progress.js';
import type { Records } from '../../record/views/records.js';
import { operation } from '../kernel/define.js';
import { READS } from '../kernel/hints.js';
import { AgentId } from './decision-shape.js';
import { WorkUnitId } from '../goals/work-unit-shape.js';

const unit = WorkUnitId.optional().describe('The work unit. Default: the one that the agent was given last.');

const ExecutionSnapshot = z
  .object({
    agentId: z.string().describe('Id of the agent.'),
    workUnitId: z.string().describe('Work unit that it works on.'),
    currentGoal: z.string().describe('What is to be achieved.'),
    currentTask: z.string().optional().describe('Task that it is at.'),
    failureCount: z.number().describe('Failed attempts since the last fresh start.'),
    rollbackCount: z.number().describe('How often a review sent the work back.'),
    nextSuggestedAction: z.string().optional().describe('What should happen next. Absent when nothing is left.'),
  })
  .meta({ id: 'ExecutionSnapshot', description: 'How an agent stands with its work.' });

export const get = operation({
  summary: 'Say how an agent stands with a work unit, and what should happen next.',
  scope: 'read',
  in: z.object({ agentId: AgentId, workUnitId: unit }),
  out: ExecutionSnapshot,
  rest: { route: 'GET /studio/snapshots/{agentId}', query: ['workUnitId'] },
  tool: 'snapshot_get',
  dispatch: true,
  refuses: ['reject.workunit_not_found', 'reject.invalid_input'],
  annotations: READS,
}).run(({ records }, { agentId, workUnitId = unitGivenTo(records, agentId) }) =>
  executionSnapshot(records, progressOf(records), { agentId, workUnitId }),
);

export const compare = operation({
  summary: 'Say in what two agents stand differently with a work unit.',
  scope: 'read',
  in: z.object({
    agentId: AgentId,
    otherAgentId: AgentId.describe('Id of the other agent.'),
    workUnitId: unit,
  }),
  out: z.object({
    workUnitId: z.string().describe('Id of the work unit.'),
    snapshot: ExecutionSnapshot.describe('How the one agent stands.'),
    otherSnapshot: ExecutionSnapshot.describe('How the other stands.'),
    differingFields: z.array(z.string()).describe('In what they differ.'),
  }),
  rest: { route: 'GET /studio/snapshots/{agentId}/compare/{otherAgentId}', query: ['workUnitId'] },
  tool: 'snapshot_compare',
  refuses: ['reject.workunit_not_found', 'reject.invalid_input'],
  annotations: READS,
}).run(({ records }, { agentId, otherAgentId, workUnitId = unitGivenTo(records, agentId) }) => {
  const progress = progressOf(records);
  const snapshot = executionSnapshot(records, progress, { agentId, workUnitId });
  const otherSnapshot = executionSnapshot(records, progress, { agentId: otherAgentId, workUnitId });
  const other = new Map<string, unknown>(Object.entries(otherSnapshot));
  const differing = Object.entries(snapshot).filter(([field, value]) => other.get(field) !== value);
  const differingFields = differing.map(([field]) => field).filter((field) => field !== 'agentId');
  return { workUnitId, snapshot, otherSnapshot, differingFields };
});

function unitGivenTo(records: Records, agentId: string): string {
  const given = records.workUnits.all().findLast(({ assignedAgent }) => assignedAgent === agentId);
  const known = progressOf(records).agents.find((agent) => agent.agentId === agentId);
  const workUnitId = known?.workUnitId ?? given?.workUnitId;
  if (workUnitId !== undefined) return workUnitId;
  throw refusal('reject.invalid_input', `workUnitId: ${agentId} was given no work unit`, [
    { field: 'workUnitId', message: 'is needed' },
  ]);
}
