/** Remotes: repositories elsewhere that registered ones are connected to. */
import { z } from 'zod';
import { requireGitBranchName } from '../../record/aggregates/branch-name.js';
import type { PublishingSettings } from '../../record/aggregates/publishing/publishing.js';
import { refusal } from '../../reasons.js';
import { DEFAULT_MESSAGE, compose, filledIn, publishingOf } from '../../rules/branches/outgoing.js';
import { fetchRemote, forwardMain, pushCommit, remotesOf, seenAt } from '../../rules/branches/remotes.js';
import { MAIN, folderOf, headOf, storedBranch } from '../../rules/branches/stored-branch.js';
import { present } from '../../rules/knowledge/artifacts.js';
import { protocolOf, shownAddress } from '../../workspace/git/remotes/addresses.js';
import { type Context } from '../kernel/context.js';
import { operation } from '../kernel/define.js';
import { ADDS, READS, SETS } from '../kernel/hints.js';
import { BranchId, USER_REFUSALS } from './branch-shape.js';
import { REMOTE_REFUSALS, Remote, RemoteName, Transfer, publishingFields } from './remote-shape.js';
import { RepositoryId } from './repository-shape.js';

const ORIGIN = 'origin';
const COMMIT = z.string().regex(/^[0-9a-f]{40,64}$/);

export const list = operation({
  summary: 'List the repositories elsewhere that a repository is connected to, as its own git knows them.',
  scope: 'read',
  in: z.object({ repositoryId: RepositoryId }),
  out: z.array(Remote),
  rest: { route: 'GET /studio/repositories/{repositoryId}/remotes' },
  tool: 'remote_list',
  dispatch: true,
  list: 'name',
  refuses: ['reject.repository_not_found', 'reject.repository_folder_missing', 'reject.git_failed'],
  annotations: READS,
}).run(async (context, { repositoryId }) =>
  (await remotesOf(context, repositoryId)).map(({ name, url, pushUrl }) => {
    const protocol = protocolOf(url) ?? null;
    const allowed = protocol === 'file' || context.cloneProtocols.includes(protocol ?? '');
    return { name, url: shownAddress(url), pushUrl: shownAddress(pushUrl), protocol, allowed };
  }),
);

export const fetch = operation({
  summary: 'Bring what has come to a remote. No branch of the user moves, unless that is asked for.',
  scope: 'operate',
  in: z.object({
    repositoryId: RepositoryId,
    remote: RemoteName.default(ORIGIN),
    forward: z
      .boolean()
      .default(false)
      .describe("Whether the user's own branch is brought forward to what came of it, where nothing else is on it."),
  }),
  out: z.object({
    remote: z.string().describe('Name of the remote.'),
    branches: z.record(z.string(), z.string()).describe('Commits of the branches there, by their names.'),
    changed: z.array(z.string()).describe('Branches that came or moved since they were last fetched.'),
    gone: z.array(z.string()).describe('Branches that are not there any more.'),
    forwarded: z
      .object({
        branch: z.string().describe('Branch of the user that was brought forward.'),
        from: z.string().describe('Commit that it was at.'),
        to: z.string().describe('Commit that it is at.'),
      })
      .nullable()
      .describe('What was brought forward, or null.'),
  }),
  rest: { route: 'POST /studio/repositories/{repositoryId}/fetch' },
  tool: 'remote_fetch',
  dispatch: true,
  granted: true,
  refuses: [...REMOTE_REFUSALS, ...USER_REFUSALS, 'reject.branch_moved', 'reject.review_required'],
  annotations: { ...SETS, openWorld: true },
}).run(async (context, { repositoryId, remote, forward }) => {
  const { branches, changed, gone } = await fetchRemote(context, repositoryId, remote);
  const warrant = { by: 'caller', kind: context.caller.kind } as const;
  const forwarded = forward ? await forwardMain(context, repositoryId, remote, warrant) : undefined;
  return {
    remote,
    branches: Object.fromEntries(branches),
    changed: [...changed],
    gone: [...gone],
    forwarded: forwarded ?? null,
  };
});

export const push = operation({
  summary: 'Write a branch to a remote: forward, or in place of a commit that the caller names.',
  scope: 'operate',
  in: z.object({
    repositoryId: RepositoryId,
    branchId: BranchId.default(MAIN),
    goalId: z.string().min(1).max(200).optional().describe('Goal whose settings count.'),
    ...publishingFields,
    branch: publishingFields.branch.describe(
      'Name of the branch there. Default: what the settings say, and else the name that it has here.',
    ),
    title: z.string().max(1000).optional().describe('First line of the message of a merge or a squash.'),
    body: z.string().max(60_000).optional().describe('Rest of that message.'),
    expected: z
      .union([COMMIT, z.literal('none')])
      .optional()
      .describe('Lease: the commit that the branch is at there, which may be replaced; none where there must be none.'),
  }),
  out: z.object({
    remote: z.string().describe('Name of the remote.'),
    branch: z.string().describe('Branch there.'),
    commit: z.string().describe('Commit that it is at now.'),
    moved: z.boolean().describe('Whether this call has moved it; false where it was there already.'),
  }),
  rest: { route: 'POST /studio/repositories/{repositoryId}/push' },
  tool: 'remote_push',
  human: true,
  refuses: [
    ...REMOTE_REFUSALS,
    ...['reject.remote_moved', 'reject.remote_refused', 'reject.merge_conflict', 'reject.signing_failed'],
    ...['reject.invalid_input', 'reject.commit_not_found'],
  ] as const,
  annotations: { ...ADDS, idempotent: true, openWorld: true },
}).run(async (context, { repositoryId, branchId, goalId, expected, title, body, ...given }) => {
  const settings = { ...publishingOf(context.records, repositoryId, goalId), ...present(given) };
  const { remote = ORIGIN } = settings;
  const here = await storedBranch(context, branchId, repositoryId);
  const head = await headOf(context, here);
  const user = await context.disk.user.defaultBranch(await folderOf(context, repositoryId));
  const values = { goal: goalId ?? '', branch: branchId, title: title ?? `Work of ${branchId}`, body: body ?? '' };
  // The user's own branch goes to the one of its name, in the form that the user gave it.
  const isOwn = branchId === MAIN;
  const branch = isOwn ? (given.branch ?? user.name) : filledIn(settings.branch ?? branchId, values);
  requireGitBranchName(branch, 'branch');
  if (settings.base !== undefined) requireGitBranchName(settings.base, 'base');
  const shape = isOwn ? (given.shape ?? 'as_is') : (settings.shape ?? 'as_is');
  const commit =
    shape === 'as_is'
      ? head
      : await compose(here.store, {
          ...looksOf(settings),
          head,
          onto: await baseOf(context, repositoryId, settings.base ?? user.name, remote),
          shape,
          message: filledIn(settings.message ?? DEFAULT_MESSAGE, values),
        });
  const moved = await pushCommit(context, repositoryId, { remote, branch, commit, expected });
  return { remote, branch, commit, moved };
});

export const transfers = operation({
  summary: 'List what is under way between this host and repositories elsewhere, with how far it is.',
  scope: 'read',
  in: z.object({}),
  out: z.array(Transfer),
  rest: { route: 'GET /studio/transfers' },
  refuses: [],
  annotations: READS,
}).run(({ transfers: running }) => running.all());

/** Commit of a branch of a remote, as it was last fetched. */
async function baseOf(context: Context, repositoryId: string, base: string, remote: string): Promise<string> {
  const known = await seenAt(await storedBranch(context, MAIN, repositoryId), remote, base);
  if (known !== undefined) return known;
  throw refusal('reject.commit_not_found', `${remote} was not fetched yet, or has no branch ${base}`, { remote, base });
}

function looksOf({ author, coAuthors, sign, signingKey }: PublishingSettings) {
  return present({ author, coAuthors, sign, signingKey });
}
