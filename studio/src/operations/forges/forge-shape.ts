/** Shapes of forges and of work as they see it. */
import { z } from 'zod';
import { FORGE_KINDS, MERGES } from '../../record/aggregates/forge/forge.js';

export const FORGE_REFUSALS = [
  'reject.repository_not_found',
  'reject.forge_not_connected',
  'reject.forge_denied',
  'reject.forge_absent',
  'reject.forge_refused',
  'reject.forge_answer',
  'reject.forge_unreachable',
  'reject.forge_limited',
] as const;

export const Connection = z
  .object({
    repositoryId: z.string().describe('Id of the repository.'),
    kind: z.enum(FORGE_KINDS).describe('Whose interface it has.'),
    api: z.string().describe('Base of its API.'),
    project: z.string().describe('Path of the repository there.'),
    tokenRef: z.string().describe('Name of the token.'),
    hasToken: z.boolean().describe('Whether this host has that token.'),
    hookRef: z.string().optional().describe('Name of the secret that its notices are signed with.'),
    label: z.string().optional().describe('Label of issues that become goals by themselves.'),
    mention: z.string().describe('Word that calls the studio.'),
    remote: z.string().describe('Remote that the repository is there.'),
    base: z.string().describe('Branch there that work is offered for.'),
    requiredChecks: z.array(z.string()).describe('Checks that have to be green there before work lands here.'),
    publishes: z.boolean().describe('Whether results are offered there by themselves.'),
    merges: z.enum(MERGES).describe('Where approved work is merged: on the branch here, or there as a request.'),
    lookedAt: z.string().nullable().describe('When this host last looked there, ISO 8601; null before the first time.'),
    waitsUntil: z.string().nullable().describe('Until when the forge takes nothing, ISO 8601, or null.'),
    troubles: z.array(z.string()).describe('What went wrong at the last look, for people.'),
  })
  .meta({ id: 'ForgeConnection', description: 'Where a repository is kept for people, and how it stands with that.' });

export const Contribution = z
  .object({
    goalId: z.string().describe('Id of the goal.'),
    repositoryId: z.string().describe('Repository that it is for.'),
    issue: z
      .object({
        number: z.number().describe('Number of the issue.'),
        url: z.string().describe('Its page.'),
        title: z.string().describe('Its title.'),
      })
      .optional()
      .describe('Issue that it began with.'),
    branch: z.string().optional().describe('Branch there that has the work.'),
    commit: z.string().optional().describe('Commit that was pushed last.'),
    number: z.number().optional().describe('Number of the request.'),
    url: z.string().optional().describe('Its page.'),
    checks: z
      .array(
        z.object({
          name: z.string().describe('Name of the check.'),
          state: z.enum(['pending', 'passed', 'failed']).describe('How it stood when it was looked at.'),
        }),
      )
      .describe('Checks of that commit.'),
    outcome: z.enum(['merged', 'closed']).optional().describe('How it ended there; absent while it goes on.'),
    mergedAs: z.string().optional().describe('Commit that it came into its base as.'),
    begunAt: z.string().describe('When it began, ISO 8601.'),
  })
  .meta({ id: 'Contribution', description: 'Work on a goal as a forge sees it.' });
