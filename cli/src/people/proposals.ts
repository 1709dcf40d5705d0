/** The proposal that somebody means, and what is to be decided about it. */
import { shortId } from '../studio/event-text.js';
import { UsageError } from '../syntax/define.js';
import type { StudioClient } from '../studio/studio-client.js';
import { type ProposalSeen, type Waiting, goalsOf, named, someOf, waitingIn } from './work.js';

export interface ProposalMeant extends ProposalSeen {
  readonly goalId: string | undefined;
  /** What a person has to do; undefined where it is nobody's turn. */
  readonly action: 'review' | 'landing' | undefined;
}

/** By its id or the beginning of one. Without one, the oldest that waits, or the only one (`alone`). */
export async function proposalMeant(
  client: StudioClient,
  wanted: string | undefined,
  which: 'oldest' | 'alone' = 'oldest',
): Promise<ProposalMeant> {
  const waiting = (await waitingIn(client, await goalsOf(client))).filter(isDecision);
  const proposalId = wanted === undefined ? chosen(waiting, which) : await idOf(client, wanted);
  const proposal = await client.call<ProposalSeen>('merge.get', { proposalId });
  const due = waiting.find(({ id }) => id === proposalId);
  return { ...proposal, goalId: due?.goalId, action: due?.kind };
}

type Decision = Waiting & { readonly kind: 'review' | 'landing' };

function isDecision(one: Waiting): one is Decision {
  return one.kind === 'review' || one.kind === 'landing';
}

function chosen(waiting: readonly Decision[], which: 'oldest' | 'alone'): string {
  const [first, ...others] = waiting;
  if (!first) throw new UsageError('no proposal waits for you; weft status shows how the goals stand');
  if (which === 'alone' && others.length > 0)
    throw new UsageError(
      `${waiting.length} proposals wait: name one of ${someOf(waiting.map(({ id }) => shortId(id)))}`,
    );
  return first.id;
}

async function idOf(client: StudioClient, wanted: string): Promise<string> {
  const all = await client.call<ProposalSeen[]>('merge.list');
  return named(all, ({ proposalId }) => proposalId, wanted, 'proposal').proposalId;
}
