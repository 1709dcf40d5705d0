/** Shapes of agents and their profiles, as callers see them. */
import { z } from 'zod';
import { PIPELINE_STAGES } from '../../record/aggregates/agent-profile/state.js';
import { Usage } from './usage-shape.js';

export const AgentId = z.string().min(1).max(200).describe('Id of an agent.');

const agentId = z.string().describe('Id of the agent.');
const status = z
  .string()
  .describe('active, paused, stopped, Interrupted (the host ended under it), or failed: and why.');

const CurrentActivity = z
  .string()
  .optional()
  .describe('What it does: the step that it has named, else its last turn. Absent while its work waits.');

export const AgentInfo = z
  .object({
    agentId,
    workUnitId: z.string().describe('Work unit that it works on.'),
    goal: z.string().optional().describe('Goal of that work unit, cut to 200 characters.'),
    status,
    currentActivity: CurrentActivity,
    usage: Usage.optional().describe('What models have cost for it. Absent before it asks the first.'),
  })
  .meta({ id: 'AgentInfo', description: 'An agent and how it stands.' });

export const AgentStatus = z
  .object({ agentId, status })
  .meta({ id: 'AgentStatus', description: 'How an agent stands.' });

export const Participant = z
  .object({
    id: z.string().describe('Id of the participant.'),
    kind: z.enum(['agent', 'peer']).describe('An agent of this host, or a peer of its rooms.'),
    status,
    workUnitId: z.string().optional().describe('Work unit that it works on.'),
    currentActivity: CurrentActivity,
    peerType: z.string().optional().describe('What kind of peer it is.'),
  })
  .meta({ id: 'Participant', description: 'Whoever takes part in the work.' });

export const AgentProfile = z
  .object({
    agentProfileId: z.string().describe('Id of the profile.'),
    name: z.string().describe('Name for people.'),
    stage: z.enum(PIPELINE_STAGES).describe('Stage of the pipeline that it is for.'),
    systemPrompt: z.string().describe('What its agents are told.'),
    roles: z
      .array(
        z.object({
          repositoryId: z.string().describe('Repository.'),
          systemPrompt: z.string().describe('What its agents are told where they work on that.'),
        }),
      )
      .optional()
      .describe('What they are told in place of it, by repository. Absent: nothing else in any.'),
    allowedTools: z.array(z.string()).describe('Tools that they may use. Empty: all that agents may.'),
    maxIterations: z.number().describe('How many cycles they have.'),
    fileScopePatterns: z.array(z.string()).describe('Globs of the files that it is chosen for. Empty: any.'),
    executor: z.string().optional().describe('What runs its agents. Default: this host itself.'),
    injectApiKeyEnv: z.boolean().describe('Whether a program that it runs is given the key in its environment.'),
  })
  .meta({ id: 'AgentProfile', description: 'What agents of one kind are told, may use, and how long they go on.' });
