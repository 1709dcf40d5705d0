/** Offers a result at a forge: a branch of its own, and a request for it. Whatever was done before a crash is found there, and is not done again. */
import { type Contribution, contribution } from '../../record/aggregates/contribution/contribution.js';
import type { ForgeConnection } from '../../record/aggregates/forge/forge.js';
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import { refusal } from '../../reasons.js';
import type { Request } from '../../workspace/forges/forge.js';
import { DEFAULT_MESSAGE, compose, filledIn, publishingOf } from '../branches/outgoing.js';
import { pushCommit, seenAt } from '../branches/remotes.js';
import { MAIN, storedBranch } from '../branches/stored-branch.js';
import type { ForgeContext } from './forge-context.js';
import { bodyOf, replaced, replyMark, titleOf } from './words.js';

const BRANCH = 'weft/{goal}';

/** Brings the request up to date with a proposal, or opens one. The remote was fetched just before. */
export async function publish(
  context: ForgeContext,
  connection: ForgeConnection,
  goalId: string,
  proposal: Proposal,
  request: Pick<Request, 'base'> | undefined,
): Promise<void> {
  const { records } = context;
  const forge = context.forgeOf(connection);
  // Where a request is open people may have chosen another base for it since.
  const base = request?.base ?? publishingOf(records, connection.repositoryId, goalId).base ?? connection.base;
  const { branch, commit } = await pushed(context, connection, entryOf(context, goalId), proposal, base);
  const entry = entryOf(context, goalId);
  const [title, body] = [titleOf(proposal), bodyOf(records, entry, proposal)];
  if (entry.number === undefined) {
    const { number, url } = await forge.open({ branch, base, title, body });
    await context.change((change) => change.run(contribution, goalId, 'request', { number, url }));
  } else {
    const now = await forge.request(entry.number);
    const wanted = replaced(now.body, body);
    if (now.body !== wanted) await forge.update(entry.number, { body: wanted });
  }
  const { number, threads } = entryOf(context, goalId);
  if (number === undefined) return;
  for (const threadId of threads) {
    await forge.reply(number, threadId, replyMark(proposal.proposalId, threadId), `Done in ${commit}.`);
    await context.change((change) => change.run(contribution, goalId, 'answer', { threads: [threadId] }));
  }
}

/** Pushes the proposal's work to a branch of its own: over what this host has pushed itself, and over nothing else. */
async function pushed(
  context: ForgeContext,
  connection: ForgeConnection,
  entry: Contribution,
  proposal: Proposal,
  base: string,
): Promise<{ readonly branch: string; readonly commit: string }> {
  const { goalId } = entry;
  const { repositoryId, remote } = connection;
  const { records } = context;
  const main = await storedBranch(context, MAIN, repositoryId);
  const settings = publishingOf(records, repositoryId, goalId);
  const body = proposal.changeDescription;
  const values = { goal: goalId, branch: proposal.sourceBranch, title: titleOf(proposal), body };
  const branch = entry.branch ?? filledIn(settings.branch ?? BRANCH, values);
  if ([base, connection.base, MAIN].includes(branch))
    throw refusal('reject.invalid_input', `branch: work is offered on a branch of its own, not on ${branch}`);
  const onto = await seenAt(main, remote, base);
  if (onto === undefined) throw refusal('reject.remote_absent', `${remote} has no branch ${base}`, { remote, base });
  const shape = settings.shape ?? 'squash';
  const { author, coAuthors, sign, signingKey } = settings;
  const looks = { author, coAuthors, sign, signingKey };
  // What the user's branch has, and another base there has not, is none of the work.
  const since = base === connection.base ? {} : { since: proposal.baseCommit };
  const message = filledIn(settings.message ?? DEFAULT_MESSAGE, values);
  const commit =
    shape === 'as_is'
      ? proposal.headCommit
      : await compose(main.store, { ...looks, ...since, head: proposal.headCommit, onto, shape, message });
  const there = await seenAt(main, remote, branch);
  if (there !== undefined && there !== commit && !entry.pushed.includes(there))
    throw refusal('reject.remote_moved', `others have pushed to ${branch}, and their work stays`, {
      branch,
      at: there,
    });
  const said = { proposalId: proposal.proposalId, branch, commit };
  await context.change((change) => change.run(contribution, goalId, 'push', said));
  if (there !== commit) {
    const secret = await context.secretOf(connection);
    await pushCommit(context, repositoryId, { remote, branch, commit, expected: there ?? 'none', secret });
  }
  return { branch, commit };
}

function entryOf({ records }: ForgeContext, goalId: string): Contribution {
  const found = records.contributions.get(goalId);
  if (found) return found;
  throw new Error(`goal ${goalId} has no contribution`);
}
