/**
 * Keeps the work of a repository in step with its forge. What is to be done follows from the record and from what the forge says now, so
 * a notice that is lost, comes twice or lies changes nothing, and after a crash the next look goes on.
 */
import { type Contribution, contribution } from '../../record/aggregates/contribution/contribution.js';
import type { ForgeConnection } from '../../record/aggregates/forge/forge.js';
import { isReason, refusal } from '../../reasons.js';
import type { Request } from '../../workspace/forges/forge.js';
import type { ObjectStore } from '../../workspace/git/objects/object-store.js';
import { fetchRemote, seenAt } from '../branches/remotes.js';
import { MAIN, storedBranch } from '../branches/stored-branch.js';
import { landBeside, landThere } from '../proposals/landed-there.js';
import { type ForgeContext, connectionOf, goalOfContribution, resultToOffer } from './forge-context.js';
import { goalOfIssue, isWanted, takeIssue } from './issues.js';
import { heed, listen } from './listen.js';
import { publish } from './publish.js';
import { statusMark, statusOf } from './words.js';

export interface Trouble {
  /** Goal, or what else it is about. */
  readonly about: string;
  readonly error: unknown;
}

/** What is looked at. */
export interface Look {
  /** Issues that notices have named. */
  readonly issues: Iterable<number>;
  /** Time, ISO 8601, since when issues have changed that may call the studio: a notice of it may be lost. */
  readonly since: string;
}

/** Looks at everything once. What goes wrong with one goal keeps none of the others. */
export async function syncForge(context: ForgeContext, repositoryId: string, look: Look): Promise<Trouble[]> {
  const { records } = context;
  const connection = connectionOf(records, repositoryId);
  const troubles: Trouble[] = [];
  const attempt = async (about: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      // What stops all of it is no matter of this goal.
      if (
        isReason(error, 'reject.stopping') ||
        isReason(error, 'reject.forge_limited') ||
        isReason(error, 'reject.forge_unreachable')
      )
        throw error;
      troubles.push({ about, error });
    }
  };
  await attempt('issues', () => takeWanted(context, connection, look));
  if (connection.publishes) await beginOffered(context, connection);
  const open = records.contributions.where('repository', repositoryId).filter(({ outcome }) => outcome === undefined);
  for (const { goalId } of open) {
    await attempt(goalId, () => followUp(context, connection, goalId));
    // What checks say may be hidden from a token that may do all else.
    await attempt(goalId, () => followChecks(context, connection, goalId));
  }
  return troubles;
}

async function takeWanted(context: ForgeContext, connection: ForgeConnection, { issues, since }: Look): Promise<void> {
  const { label, repositoryId } = connection;
  const forge = context.forgeOf(connection);
  const labelled = label === undefined ? [] : await forge.labelled(label);
  const numbers = new Set([...issues, ...labelled, ...(await forge.changed(since))]);
  for (const number of numbers) {
    if (goalOfIssue(context.records, repositoryId, number) !== undefined) continue;
    const issue = await forge.issue(number).catch((error: unknown) => {
      // A notice may name what is no issue.
      if (isReason(error, 'reject.forge_absent')) return undefined;
      throw error;
    });
    if (issue && isWanted(connection, issue)) await takeIssue(context, connection, number);
  }
}

/** Results of goals that began here are offered there too. */
async function beginOffered({ records, change }: ForgeContext, { repositoryId }: ForgeConnection): Promise<void> {
  const waiting = records.goals.all().filter((goal) => {
    if (records.contributions.get(goal.goalId)) return false;
    return resultToOffer(records, goal)?.repositoryId === repositoryId;
  });
  for (const { goalId } of waiting)
    await change((open) => open.run(contribution, goalId, 'begin', { goalId, repositoryId, issue: undefined }));
}

async function followUp(context: ForgeContext, connection: ForgeConnection, goalId: string): Promise<void> {
  const { records } = context;
  const forge = context.forgeOf(connection);
  const entry = (): Contribution => records.contributions.get(goalId)!;
  const { number } = entry();
  const request = number === undefined ? undefined : await forge.request(number);
  if (request && request.state !== 'open') {
    if (request.state === 'merged') await landed(context, connection, entry(), request);
    else await context.change((change) => change.run(contribution, goalId, 'end', { outcome: 'closed' }));
    return tellIssue(context, connection, entry());
  }
  const proposal = resultToOffer(records, goalOfContribution(records, entry()));
  if (proposal) {
    await fetchRemote(context, connection.repositoryId, connection.remote, await context.secretOf(connection));
    await publish(context, connection, goalId, proposal, request);
  }
  const now = entry();
  const { issue } = now;
  const said = [
    ...(issue === undefined ? [] : (await forge.issue(issue.number)).comments),
    ...(now.number === undefined ? [] : await forge.said(now.number)),
  ];
  await listen(context, connection, now, said);
  await tellIssue(context, connection, entry());
}

async function followChecks(context: ForgeContext, connection: ForgeConnection, goalId: string): Promise<void> {
  const entry = context.records.contributions.get(goalId)!;
  const head = entry.pushed.at(-1);
  if (head === undefined || entry.number === undefined || entry.outcome !== undefined) return;
  await heed(context, entry, await context.forgeOf(connection).checks(head));
}

async function landed(
  context: ForgeContext,
  connection: ForgeConnection,
  { goalId, proposalId }: Contribution,
  { base, mergedAs, mergedBy }: Pick<Request, 'base' | 'mergedAs' | 'mergedBy'>,
): Promise<void> {
  const { repositoryId, remote, kind } = connection;
  await fetchRemote(context, repositoryId, remote, await context.secretOf(connection));
  const main = await storedBranch(context, MAIN, repositoryId);
  const tip = await seenAt(main, remote, base);
  const by = `${kind}:${mergedBy ?? 'somebody'}`;
  if (tip !== undefined && mergedAs !== undefined && !(await isIn(main.store, mergedAs, tip)))
    throw refusal('reject.forge_answer', `its request was merged as ${mergedAs}, which is not on ${base} there`, {
      mergedAs,
    });
  const commit = mergedAs ?? tip;
  if (proposalId !== undefined && commit !== undefined && base !== connection.base)
    await landBeside(context, proposalId, { commit, branch: `${remote}/${base}`, by });
  else if (proposalId !== undefined && commit !== undefined && tip !== undefined)
    await landThere(context, proposalId, { commit, tip, by });
  await context.change((change) => change.run(contribution, goalId, 'end', { outcome: 'merged', commit, by }));
}

async function isIn(store: ObjectStore, commit: string, tip: string): Promise<boolean> {
  return (await store.has(commit)) && store.isAncestor(commit, tip);
}

/** The one comment at the issue, edited in place. */
async function tellIssue(context: ForgeContext, connection: ForgeConnection, entry: Contribution): Promise<void> {
  if (entry.issue === undefined) return;
  const text = statusOf(context.records, connection, entry);
  await context.forgeOf(connection).say(entry.issue.number, 'issue', statusMark(entry.goalId), text);
}
