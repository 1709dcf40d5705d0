/** Forges: connections of repositories to the places where people keep them. */
import { z } from 'zod';
import { FORGE_KINDS, type ForgeConnection, MERGES, forge } from '../../record/aggregates/forge/forge.js';
import { refusal } from '../../reasons.js';
import { connectionOf } from '../../rules/forges/forge-context.js';
import { takeIssue as take } from '../../rules/forges/issues.js';
import { requireGitBranchName } from '../../record/aggregates/branch-name.js';
import { remotesOf } from '../../rules/branches/remotes.js';
import { folderOf, repositoryOr } from '../../rules/branches/stored-branch.js';
import { requireForgeAddress } from '../../workspace/forges/make-forge.js';
import type { Context } from '../kernel/context.js';
import { operation } from '../kernel/define.js';
import { ADDS, ENDS, READS, SETS } from '../kernel/hints.js';
import { RepositoryId } from '../branches/repository-shape.js';
import { Connection, FORGE_REFUSALS } from './forge-shape.js';

const APIS = { github: 'https://api.github.com', gitlab: 'https://gitlab.com/api/v4' } as const;
const Name = z.string().min(1).max(200);

export const connect = operation({
  summary: 'Connect a repository to the forge that it is kept at. Nothing is asked of it before the next look.',
  scope: 'operate',
  in: z.object({
    repositoryId: RepositoryId,
    kind: z.enum(FORGE_KINDS).describe('Whose interface it has.'),
    api: z.string().max(2000).optional().describe('Base of its API. Default: that of github.com or gitlab.com.'),
    project: z
      .string()
      .min(3)
      .max(400)
      .regex(/^[\w.-]+(\/[\w.-]+)+$/)
      .optional()
      .describe('Path of the repository there. Default: by the address of the remote.'),
    tokenRef: Name.optional().describe(
      'Name of the token, which the host is given by weft key set. Default: the kind.',
    ),
    hookRef: Name.optional().describe(
      'Name of the secret that its notices are signed with. Default: no notices are taken.',
    ),
    label: Name.nullable().default('weft').describe('Label of issues that become goals by themselves, or null.'),
    mention: z
      .string()
      .regex(/^[@/]?[\w-]{2,50}$/)
      .default('@weft')
      .describe('Word that calls the studio in what people write.'),
    remote: Name.default('origin').describe('Remote that the repository is there.'),
    base: Name.optional().describe(
      "Branch there that the user's own follows, and that work is offered for unless it has a base of its own. Default: the one of that name.",
    ),
    requiredChecks: z
      .array(Name)
      .max(100)
      .default([])
      .describe('Checks that have to be green there before work lands here; * for whatever there are. Default: none.'),
    publishes: z.boolean().default(true).describe('Whether results are offered there by themselves.'),
    merges: z
      .enum(MERGES)
      .default('here')
      .describe('Where approved work is merged: on the branch here, or there, as the request that shows it.'),
  }),
  out: Connection,
  rest: { route: 'PUT /studio/repositories/{repositoryId}/forge' },
  tool: 'forge_connect',
  human: true,
  refuses: [
    'reject.invalid_input',
    'reject.repository_not_found',
    'reject.repository_folder_missing',
    'reject.remote_not_found',
    'reject.forge_address',
    'reject.git_failed',
  ],
  annotations: { ...SETS, openWorld: true },
}).run(async (context, { repositoryId, kind, label, tokenRef = kind, hookRef, ...given }) => {
  repositoryOr(context.records, repositoryId);
  const folder = await folderOf(context, repositoryId);
  if (given.base !== undefined) requireGitBranchName(given.base, 'base');
  const { requiredChecks, merges } = given;
  const { api = kind === 'gitea' ? '' : APIS[kind], mention, remote, publishes } = given;
  requireForgeAddress(api);
  const found = (await remotesOf(context, repositoryId)).find(({ name }) => name === remote);
  if (!found) throw refusal('reject.remote_not_found', `the repository has no remote ${remote}`, { remote });
  const { project = projectIn(found.url), base = (await context.disk.user.defaultBranch(folder)).name } = given;
  const optional = {
    ...(hookRef === undefined ? {} : { hookRef }),
    ...(label === null ? {} : { label }),
    ...(requiredChecks.length === 0 ? {} : { requiredChecks }),
    ...(merges === 'here' ? {} : { merges }),
  };
  return context.answer((change) => {
    const { hostId } = change;
    const settings = { kind, api, project, tokenRef, mention, remote, base, publishes, hostId, ...optional };
    return shown(context, change.run(forge, repositoryId, 'connect', { repositoryId, settings }));
  });
});

export const get = operation({
  summary: 'Read which forge a repository is connected to, and how it stands with it.',
  scope: 'read',
  in: z.object({ repositoryId: RepositoryId }),
  out: Connection,
  rest: { route: 'GET /studio/repositories/{repositoryId}/forge' },
  tool: 'forge_get',
  refuses: ['reject.forge_not_connected'],
  annotations: READS,
}).run((context, { repositoryId }) => shown(context, connectionOf(context.records, repositoryId)));

export const disconnect = operation({
  summary: 'End the connection of a repository to its forge. What is there stays.',
  scope: 'operate',
  in: z.object({ repositoryId: RepositoryId }),
  out: z.object({ disconnected: z.literal(true).describe('Always true.') }),
  rest: { route: 'DELETE /studio/repositories/{repositoryId}/forge' },
  human: true,
  refuses: ['reject.forge_not_connected'],
  annotations: ENDS,
}).run((context, { repositoryId }) =>
  context.answer((change) => {
    change.end(forge, repositoryId, 'disconnect', { repositoryId });
    return { disconnected: true as const };
  }),
);

export const look = operation({
  summary: 'Look at the forge of a repository now, in place of waiting for a notice.',
  scope: 'operate',
  in: z.object({ repositoryId: RepositoryId }),
  out: Connection,
  rest: { route: 'POST /studio/repositories/{repositoryId}/forge/look' },
  tool: 'forge_look',
  human: true,
  refuses: ['reject.forge_not_connected'],
  annotations: { ...SETS, openWorld: true },
}).run(async (context, { repositoryId }) => {
  const connection = connectionOf(context.records, repositoryId);
  await context.forges().look(repositoryId);
  return shown(context, connection);
});

export const takeIssue = operation({
  summary: 'Begin a goal for an issue of the forge. Of one issue there is one goal.',
  scope: 'operate',
  in: z.object({
    repositoryId: RepositoryId,
    number: z.int().min(1).describe('Number of the issue.'),
  }),
  out: z.object({
    goalId: z.string().describe('Id of the goal.'),
    isNew: z.boolean().describe('Whether this call has begun it.'),
    title: z.string().describe('Title of the issue.'),
    url: z.string().describe('Its page.'),
  }),
  rest: { route: 'POST /studio/repositories/{repositoryId}/forge/issues/{number}' },
  tool: 'forge_issue_take',
  human: true,
  refuses: FORGE_REFUSALS,
  annotations: { ...ADDS, idempotent: true, openWorld: true },
}).run(async (context, { repositoryId, number }) => {
  const connection = connectionOf(context.records, repositoryId);
  const { goalId, isNew, issue } = await take(context.forges().context, connection, number);
  return context.answer(() => ({ goalId, isNew, title: issue.title, url: issue.url }));
});

function shown({ forges, credentials }: Pick<Context, 'forges' | 'credentials'>, connection: ForgeConnection) {
  const { connectedAt: _at, hostId: _host, ...said } = connection;
  const { lookedAt = null, waitsUntil = null, troubles } = forges().state(connection.repositoryId);
  const { requiredChecks = [], merges = 'here' } = said;
  return {
    ...said,
    requiredChecks: [...requiredChecks],
    merges,
    hasToken: credentials.has(connection.tokenRef),
    lookedAt,
    waitsUntil,
    troubles: [...troubles],
  };
}

/** Path of a repository in its address: what follows the host. */
function projectIn(url: string): string {
  const path = URL.canParse(url) ? new URL(url).pathname : url.slice(url.indexOf(':') + 1);
  return path.replace(/^\/+/, '').replace(/\.git\/?$/, '');
}
