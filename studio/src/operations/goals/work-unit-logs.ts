/** History of a work unit: its events, and what it came from. */
import { z } from 'zod';
import { ORCHESTRATION_ACTIONS } from '../../record/aggregates/orchestration-decision/orchestration-decision.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import { sessionOf } from '../../rules/goals/session-of.js';
import { unitOf } from '../../record/views/by-id.js';
import { goalOf } from '../../rules/goals/tree.js';
import type { Records } from '../../record/views/records.js';
import { operation } from '../kernel/define.js';
import { READS } from '../kernel/hints.js';
import { ConversationLogEntry, turnsOf } from './conversation-shape.js';
import { WorkUnitId } from './work-unit-shape.js';

export const orchestrationEvents = operation({
  summary: 'List what orchestrators saw and decided for a work unit, oldest first.',
  scope: 'read',
  in: z.object({ workUnitId: WorkUnitId }),
  out: z.array(
    z
      .object({
        eventId: z.string().describe('Id of the decision.'),
        workUnitId: z.string().describe('Work unit that it is about.'),
        orchestratorAgentId: z.string().describe('Who decided.'),
        inputStage: z.string().describe('Stage that it found.'),
        inputProjectionSnapshot: z.string().optional().describe('What it saw, as JSON.'),
        action: z.enum(ORCHESTRATION_ACTIONS).describe('What it chose to do.'),
        spawnedIds: z.array(z.string()).describe('What came of it.'),
        reason: z.string().optional().describe('Why.'),
        sessionId: z.string().optional().describe('Session that it happened in.'),
        occurredAt: z.string().describe('When, ISO 8601.'),
      })
      .meta({ id: 'OrchestrationEvent', description: 'A decision of an orchestrator.' }),
  ),
  rest: { route: 'GET /studio/workunits/{workUnitId}/orchestration-events' },
  list: 'eventId',
  refuses: ['reject.workunit_not_found'],
  annotations: READS,
}).run(({ records, look }, { workUnitId }) => {
  unitOf(records, workUnitId);
  const sessionId = sessionOf(look, records, workUnitId);
  return records.orchestrationDecisions.where('workUnit', workUnitId).map((decision) => ({ ...decision, sessionId }));
});

export const conversationLog = operation({
  summary: 'List the cycles that agents went through with their models for a work unit, oldest first.',
  scope: 'read',
  in: z.object({ workUnitId: WorkUnitId }),
  out: z.array(ConversationLogEntry),
  rest: { route: 'GET /studio/workunits/{workUnitId}/conversation-log' },
  list: 'logId',
  refuses: ['reject.workunit_not_found'],
  annotations: READS,
}).run(({ records, look }, { workUnitId }) => {
  unitOf(records, workUnitId);
  const sessionId = sessionOf(look, records, workUnitId);
  return turnsOf(records, workUnitId).map((turn) => ({ ...turn, sessionId }));
});

const snapshot = (what: string) => z.string().nullable().describe(`Snapshot ${what}, or null.`);

export const materialization = operation({
  summary: 'Read which snapshots a work unit and its goal began with and brought about.',
  scope: 'read',
  in: z.object({ workUnitId: WorkUnitId }),
  out: z.object({
    workUnitId: z.string().describe('Id of the work unit.'),
    baseSnapshotId: snapshot('that it began with'),
    producedSnapshotId: snapshot('that it brought about'),
    goalId: z.string().nullable().describe('Goal that it is a part of, or null.'),
    goalBaseSnapshotId: snapshot('that the goal began with'),
    goalFinalSnapshotId: snapshot('that the goal ended with'),
  }),
  rest: { route: 'GET /studio/workunits/{workUnitId}/materialization' },
  refuses: ['reject.workunit_not_found'],
  annotations: READS,
}).run(({ records, look }, { workUnitId }) => {
  const { baseSnapshotId, producedSnapshotId } = snapshotsOf(records, unitOf(records, workUnitId));
  const goal = goalOf(look, workUnitId);
  const ofGoal = goal && snapshotsOf(records, unitOf(records, goal.workUnitId));
  return {
    workUnitId,
    baseSnapshotId,
    producedSnapshotId,
    goalId: goal?.goalId ?? null,
    goalBaseSnapshotId: ofGoal?.baseSnapshotId ?? null,
    goalFinalSnapshotId: ofGoal?.producedSnapshotId ?? null,
  };
});

/** Snapshots of a unit: the commit that its branch began with, and the one with which its newest proposal landed. */
function snapshotsOf(records: Records, { workUnitId, branchId, seedSnapshotId }: WorkUnit) {
  const landed = records.proposals.where('workUnit', workUnitId).findLast((one) => one.resultCommit !== undefined);
  return {
    baseSnapshotId: seedSnapshotId ?? records.branches.get(branchId)?.seedSnapshotId ?? null,
    producedSnapshotId: landed?.resultCommit ?? null,
  };
}
