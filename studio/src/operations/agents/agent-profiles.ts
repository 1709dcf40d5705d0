/** Agent profiles: what agents of one kind are told, may use, and how long they go on. */
import { z } from 'zod';
import { type AgentProfile as Held, PIPELINE_STAGES } from '../../record/aggregates/agent-profile/state.js';
import { agentProfile } from '../../record/aggregates/agent-profile/agent-profile.js';
import { refusal } from '../../reasons.js';
import { profileOf } from '../../record/views/by-id.js';
import type { Records } from '../../record/views/records.js';
import { operation } from '../kernel/define.js';
import { READS, SETS } from '../kernel/hints.js';
import { AgentProfile } from './agent-shape.js';
import { ProfileId } from './model-choice-shape.js';

type AgentProfileRoles = NonNullable<Held['roles']>;

/** Default number of iterations. */
const ITERATIONS = 20;

const Tools = z.array(z.string().min(1).max(100)).max(500);
const Globs = z.array(z.string().min(1).max(1000)).max(1000);

const fields = {
  name: z.string().min(1).max(200).describe('Name for people.'),
  stage: z.enum(PIPELINE_STAGES).describe('Stage of the pipeline that it is for.'),
  systemPrompt: z.string().max(200_000).describe('What its agents are told.'),
  roles: z
    .array(
      z.object({
        repositoryId: z.string().min(1).max(200).describe('Repository.'),
        systemPrompt: z.string().max(200_000).describe('What its agents are told where they work on that.'),
      }),
    )
    .max(1000)
    .optional()
    .describe('What they are told in place of it, by repository. All of them: one that is left out is so no more.'),
  allowedTools: Tools.describe('Tools that they may use. Empty: all that agents may.'),
  maxIterations: z.number().int().max(100_000).describe(`How many cycles they have. 0 or less: ${ITERATIONS}.`),
  fileScopePatterns: Globs.optional().describe('Globs of the files that it is chosen for. Default: any.'),
  executor: z.string().min(1).max(200).optional().describe('What runs its agents. Default: this host itself.'),
  injectApiKeyEnv: z
    .boolean()
    .optional()
    .describe('Whether a program that it runs is given the key in its environment.'),
};

const version = ({ agentProfiles }: Records, { profileId }: { readonly profileId: string }): number | undefined =>
  agentProfiles.get(profileId) && agentProfiles.version(profileId);

export const list = operation({
  summary: 'List the agent profiles, those that are there from the start first.',
  scope: 'read',
  in: z.object({}),
  out: z.array(AgentProfile),
  rest: { route: 'GET /studio/agent-profiles' },
  list: 'agentProfileId',
  refuses: [],
  annotations: READS,
}).run(({ records }) => records.agentProfiles.all());

export const get = operation({
  summary: 'Read one agent profile.',
  scope: 'read',
  in: z.object({ profileId: ProfileId }),
  out: AgentProfile,
  rest: { route: 'GET /studio/agent-profiles/{profileId}' },
  version,
  refuses: ['reject.profile_not_found'],
  annotations: READS,
}).run(({ records }, { profileId }) => profileOf(records, profileId));

export const create = operation({
  summary: 'Make an agent profile, or change the one with this id into this.',
  scope: 'operate',
  in: z.object({ agentProfileId: ProfileId, ...fields }),
  out: AgentProfile,
  rest: { route: 'POST /studio/agent-profiles' },
  human: true,
  refuses: ['reject.repository_not_found', 'reject.invalid_input'],
  annotations: SETS,
}).run((context, { fileScopePatterns = [], injectApiKeyEnv = false, ...given }) => {
  requireRoles(context.records, given.roles);
  return context.answer((change) =>
    change.run(agentProfile, given.agentProfileId, 'write', {
      ...given,
      fileScopePatterns,
      injectApiKeyEnv,
      maxIterations: iterations(given.maxIterations),
    }),
  );
});

export const write = operation({
  summary: 'Make an agent profile with the id of the path, or change that one into this.',
  scope: 'operate',
  in: z.object({
    profileId: ProfileId,
    agentProfileId: ProfileId.optional().describe('Id as it stands in the path, if it is given.'),
    ...fields,
  }),
  out: AgentProfile,
  rest: { route: 'POST /studio/agent-profiles/{profileId}' },
  human: true,
  version,
  refuses: ['reject.invalid_input', 'reject.repository_not_found'],
  annotations: SETS,
}).run(
  (context, { profileId, agentProfileId = profileId, fileScopePatterns = [], injectApiKeyEnv = false, ...given }) => {
    if (agentProfileId !== profileId)
      throw refusal('reject.invalid_input', 'agentProfileId: is not the id of the path', [
        { field: 'agentProfileId', message: 'is not the id of the path' },
      ]);
    requireRoles(context.records, given.roles);
    return context.answer((change) =>
      change.run(agentProfile, profileId, 'write', {
        ...given,
        agentProfileId,
        fileScopePatterns,
        injectApiKeyEnv,
        maxIterations: iterations(given.maxIterations),
      }),
    );
  },
);

export const update = operation({
  summary: 'Change an agent profile. What is left out stays.',
  scope: 'operate',
  in: z.object({ profileId: ProfileId, ...z.object(fields).partial().shape }),
  out: AgentProfile,
  rest: { route: 'PUT /studio/agent-profiles/{profileId}' },
  human: true,
  version,
  refuses: ['reject.profile_not_found', 'reject.repository_not_found', 'reject.invalid_input'],
  annotations: SETS,
}).run((context, { profileId, ...changed }) =>
  context.answer((change) => {
    profileOf(context.records, profileId);
    requireRoles(context.records, changed.roles);
    const { maxIterations } = changed;
    return change.run(agentProfile, profileId, 'change', {
      agentProfileId: profileId,
      ...changed,
      ...(maxIterations === undefined ? {} : { maxIterations: iterations(maxIterations) }),
    });
  }),
);

/** Guard: each role is for a repository that is there, and no repository has two. */
function requireRoles({ repositories }: Records, roles: AgentProfileRoles = []): void {
  const named = new Set<string>();
  for (const { repositoryId } of roles) {
    if (!repositories.get(repositoryId))
      throw refusal('reject.repository_not_found', `roles: no repository ${repositoryId} is registered`, {
        repositoryId,
      });
    const message = `has two for ${repositoryId}`;
    if (named.has(repositoryId))
      throw refusal('reject.invalid_input', `roles: ${message}`, [{ field: 'roles', message }]);
    named.add(repositoryId);
  }
}

function iterations(given: number): number {
  return given > 0 ? given : ITERATIONS;
}
