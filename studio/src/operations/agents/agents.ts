/** Agents: what works on the units. */
import { z } from 'zod';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';
import { agentOf, pauseAgent, resumeAgent, stopAgent } from '../../rules/people/pause.js';
import { supply } from '../../rules/queue/queue.js';
import { sessionOf } from '../../rules/goals/session-of.js';
import { activityOf } from '../../rules/goals/activity.js';
import { cyclesOfAgent } from '../../rules/goals/spending.js';
import { spawn as spawnAgent } from '../../rules/queue/spawn.js';
import { requireObservers } from '../../rules/queue/staff.js';
import { unitOf } from '../../record/views/by-id.js';
import { operation } from '../kernel/define.js';
import { ADDS, ENDS, READS, SETS } from '../kernel/hints.js';
import { AgentId, AgentInfo, AgentStatus } from './agent-shape.js';
import { MODEL_FIELDS, ProfileId, choiceOf, lenientToolParsing, modelFields } from './model-choice-shape.js';
import { SessionId } from '../goals/session-shape.js';
import { TaskId } from '../goals/task-shape.js';
import { usageOfAgent } from './usage-shape.js';
import { WorkUnitId } from '../goals/work-unit-shape.js';

const version = ({ agents }: Records, { agentId }: { readonly agentId: string }): number | undefined =>
  agents.version(agentId) || undefined;

/** Characters of a goal that an agent is shown with: lists of hundreds are read several times a second. */
const GOAL_SHOWN = 200;

export const list = operation({
  summary: 'List the agents that are at work or wait, oldest first; with all=true also those that have stopped.',
  scope: 'read',
  in: z.object({
    all: z.boolean().default(false).describe('True to list those that have stopped as well.'),
    sessionId: SessionId.optional().describe('Only those of this session.'),
  }),
  out: z.array(AgentInfo),
  rest: { route: 'GET /studio/agents', query: ['all', 'sessionId'] },
  list: 'agentId',
  refuses: ['reject.session_not_found'],
  annotations: READS,
}).run(({ records, look }, { all, sessionId }) => {
  if (sessionId !== undefined && !records.sessions.get(sessionId))
    throw refusal('reject.session_not_found', `no session is called ${sessionId}`, { sessionId });
  return records.agents
    .all()
    .filter(({ status }) => all || ['active', 'paused', 'Interrupted'].includes(status))
    .filter(({ workUnitId }) => sessionId === undefined || sessionOf(look, records, workUnitId) === sessionId)
    .map((one) => ({
      ...one,
      goal: records.workUnits.get(one.workUnitId)?.goal.slice(0, GOAL_SHOWN),
      currentActivity: activityOf(records, one),
      usage: usageOfAgent(cyclesOfAgent(records, one), one.agentId),
    }));
});

const Credential = z.object({ ...modelFields, lenientToolParsing }).strict();

export const spawn = operation({
  summary: 'Take on an agent for a work unit. The unit has its turn in the queue.',
  scope: 'operate',
  in: z.object({
    agentType: z.string().min(1).max(100).describe('What it is: orchestrator, planner, worker, reviewer, reconciler.'),
    workUnitId: WorkUnitId,
    taskId: TaskId.optional().describe('Task that it is for.'),
    ...modelFields,
    profileId: ProfileId.optional().describe('Its profile. Default: the one named as its type.'),
    autoReviewProfileId: ProfileId.optional().describe('Profile of the agent that reviews what it does.'),
    stageCredentials: z
      .record(z.string().min(1).max(50), Credential)
      .optional()
      .describe('Model and key for each stage: Plan, Execute, Review. Keys are held in memory only.'),
    enabledDomainAgents: z.array(z.string().min(1).max(200)).max(100).optional().describe('Observers that look on.'),
    lenientToolParsing,
  }),
  out: z.object({
    agentId: z.string().describe('Id of the agent.'),
    agentType: z.string().describe('What it is.'),
    workUnitId: z.string().describe('Work unit that it is for.'),
    branchId: z.string().describe('Branch that it works on.'),
  }),
  rest: { route: 'POST /studio/agents/spawn' },
  tool: 'agent_spawn',
  dispatch: true,
  granted: true,
  ofPeople: [
    ...MODEL_FIELDS,
    ...(['lenientToolParsing', 'autoReviewProfileId', 'stageCredentials', 'enabledDomainAgents'] as const),
  ],
  refuses: ['reject.workunit_not_found', 'reject.profile_not_found', 'reject.wrong_state'],
  annotations: ADDS,
}).run((context, { agentType, workUnitId, taskId, stageCredentials = {}, ...given }) => {
  const { profileId = agentType, autoReviewProfileId, enabledDomainAgents } = given;
  requireObservers(enabledDomainAgents);
  const choice = choiceOf(context, given);
  const models = Object.entries(stageCredentials).map(([stage, one]) => [stage, choiceOf(context, one)] as const);
  return context.answer((change) => {
    const { branchId } = unitOf(context.records, workUnitId);
    const { agentId } = spawnAgent(change, context.records, {
      agentType,
      workUnitId,
      taskId,
      profileId,
      autoReviewProfileId,
      enabledDomainAgents,
      ...choice,
      ...(models.length === 0 ? {} : { stageModels: Object.fromEntries(models) }),
    });
    for (const { credentialRef } of [choice, ...models.map(([, one]) => one)])
      supply(change, context.records, credentialRef);
    return { agentId, agentType, workUnitId, branchId };
  });
});

export const status = operation({
  summary: 'Read how an agent stands.',
  scope: 'read',
  in: z.object({ agentId: AgentId }),
  out: AgentStatus,
  rest: { route: 'GET /studio/agents/{agentId}/status' },
  tool: 'agent_status',
  dispatch: true,
  version,
  refuses: ['reject.agent_not_found'],
  annotations: READS,
}).run(({ look }, { agentId }) => agentOf(look, agentId));

export const pause = operation({
  summary: 'Pause an agent: it stops at its next step, and its work waits.',
  scope: 'operate',
  in: z.object({ agentId: AgentId }),
  out: AgentStatus,
  rest: { route: 'POST /studio/agents/{agentId}/pause' },
  tool: 'agent_pause',
  human: true,
  version,
  refuses: ['reject.agent_not_found', 'reject.wrong_state'],
  annotations: SETS,
}).run((context, { agentId }) => context.answer((change) => pauseAgent(change, context.records, agentId)));

export const resume = operation({
  summary: 'Resume an agent that was paused or interrupted.',
  scope: 'operate',
  in: z.object({ agentId: AgentId }),
  out: AgentStatus,
  rest: { route: 'POST /studio/agents/{agentId}/resume' },
  tool: 'agent_resume',
  human: true,
  version,
  refuses: ['reject.agent_not_found', 'reject.wrong_state'],
  annotations: SETS,
}).run((context, { agentId }) => context.answer((change) => resumeAgent(change, context.records, agentId)));

export const stop = operation({
  summary: 'Stop an agent for good. Its work waits until it is resumed with another.',
  scope: 'operate',
  in: z.object({ agentId: AgentId }),
  out: AgentStatus,
  rest: { route: 'POST /studio/agents/{agentId}/stop' },
  tool: 'agent_stop',
  dispatch: true,
  version,
  refuses: ['reject.agent_not_found'],
  annotations: ENDS,
}).run((context, { agentId }) => context.answer((change) => stopAgent(change, context.records, agentId)));
