/** Landings in which a forge has a word: its checks are asked for anew, and work is merged there where its connection says so. */
import { contribution } from '../../record/aggregates/contribution/contribution.js';
import type { ForgeConnection } from '../../record/aggregates/forge/forge.js';
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import { isReason, refusal } from '../../reasons.js';
import type { MergeWish } from '../../workspace/forges/forge.js';
import { publishingOf } from '../branches/outgoing.js';
import { offeredOf } from '../goals/required-checks.js';
import type { ForgeContext } from './forge-context.js';
import { heed } from './listen.js';

type Offered = Pick<Proposal, 'proposalId' | 'repositoryId' | 'workUnitId'>;

/** Asks for the checks of what was pushed of a proposal, and records them. */
export async function askForChecks(
  context: ForgeContext,
  connection: ForgeConnection,
  proposal: Offered,
): Promise<void> {
  const entry = offeredOf(context.records, proposal);
  const commit = entry?.pushed.at(-1);
  if (entry && commit !== undefined) await heed(context, entry, await context.forgeOf(connection).checks(commit));
}

/** Sees to it that the work of a proposal is offered there at the next look, whether or not results are by themselves. */
export async function beginOffer(context: ForgeContext, { repositoryId, workUnitId = '' }: Offered): Promise<void> {
  const goalId = context.records.workUnits.get(workUnitId)?.workUnitId;
  if (goalId === undefined || !context.records.goals.get(goalId) || context.records.contributions.get(goalId)) return;
  await context.change((change) =>
    change.run(contribution, goalId, 'begin', { goalId, repositoryId, issue: undefined }),
  );
}

/** Merges the request of a proposal there, at the very commit that this host has pushed. One that is merged already stays so. */
export async function mergeThere(context: ForgeContext, connection: ForgeConnection, proposal: Offered): Promise<void> {
  const { records } = context;
  const { proposalId, repositoryId } = proposal;
  const { goalId, number, pushed = [] } = offeredOf(records, proposal) ?? {};
  const head = pushed.at(-1);
  if (goalId === undefined || number === undefined || head === undefined)
    throw refusal('reject.forge_refused', `${proposalId} is merged at its forge, and no request shows it there yet`, {
      proposalId,
    });
  const forge = context.forgeOf(connection);
  const { shape = 'squash' } = publishingOf(records, repositoryId, goalId);
  const form: MergeWish['form'] = shape === 'as_is' ? 'merge' : shape;
  if ((await forge.request(number)).state !== 'open') return;
  await forge.merge(number, { head, form }).catch(async (error: unknown) => {
    // What was heard there, and whose answer was lost on the way, has happened.
    const isAnswered = isReason(error, 'reject.forge_refused') || isReason(error, 'reject.forge_unreachable');
    if (!isAnswered || (await forge.request(number)).state !== 'merged') throw error;
  });
}
