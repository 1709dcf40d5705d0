/** Orchestration log entry: what an orchestrator saw and chose to do. */
import { z } from 'zod';
import { aggregate } from '../aggregate.js';

export const ORCHESTRATION_ACTIONS = [
  'SpawnPlanner',
  'SpawnWorker',
  'Enqueue',
  'AwaitReview',
  'ApplyMerge',
  'Escalate',
  'PolicyBlocked',
  'NoOp',
] as const;

const event = z.object({
  type: z.literal('OrchestrationDecision'),
  v: z.literal(1),
  eventId: z.string(),
  workUnitId: z.string(),
  orchestratorAgentId: z.string(),
  inputStage: z.string(),
  inputProjectionSnapshot: z.string().optional(),
  action: z.enum(ORCHESTRATION_ACTIONS),
  spawnedIds: z.array(z.string()),
  reason: z.string().optional(),
});
type Given = Omit<z.infer<typeof event>, 'type' | 'v'>;

export interface OrchestrationDecision extends Given {
  readonly occurredAt: string;
}

export const orchestrationDecision = aggregate<OrchestrationDecision>()({
  name: 'orchestration-decision',
  room: 'workgroup',
  event,
  workUnitOf: ({ workUnitId }) => workUnitId,
  evolve: (state, { type: _type, v: _v, ...given }, { at }) => state ?? { ...given, occurredAt: at },
  decide: {
    record: (_state, given: Given) => [{ type: 'OrchestrationDecision', v: 1, ...given }] as const,
  },
});

/** Whether what is due was given up. */
export function givesUp({ action, reason }: OrchestrationDecision): boolean {
  return action === 'Escalate' && reason !== undefined;
}
