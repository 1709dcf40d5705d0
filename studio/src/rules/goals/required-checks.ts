/**
 * Gate of a landing: checks that the connection of a repository requires are green at its forge, for the very commit that was pushed
 * there of this proposal. It is judged by what is recorded of them, for which the forge is asked anew before a landing, so nothing that a
 * forge fails to say opens it.
 */
import type { Contribution, SeenCheck } from '../../record/aggregates/contribution/contribution.js';
import { CANDIDATE, type Proposal } from '../../record/aggregates/merge-proposal/state.js';
import { refusal } from '../../reasons.js';
import type { Records } from '../../record/views/records.js';

/** Name of the user's own branch, wherever work is offered for it. */
const OF_USER = 'main';
/** In place of names: whatever checks there are, of which there must be one. */
const ALL_CHECKS = '*';

/** Check that is not green. */
export interface OpenCheck {
  readonly name: string;
  readonly state: SeenCheck['state'] | 'missing';
}

export interface ClosedGate {
  readonly repositoryId: string;
  /** Work that was offered, and waits for its checks; undefined for a proposal that no request shows. */
  readonly offered: Contribution | undefined;
  readonly checks: readonly OpenCheck[];
  /** Sentence for people. */
  readonly because: string;
}

type Asked = Pick<Proposal, 'proposalId' | 'repositoryId' | 'sourceBranch' | 'targetBranch'>;

/** What keeps a proposal from the branch of the user, if the checks of its forge do. */
export function closedGate(records: Records, proposal: Asked): ClosedGate | undefined {
  const { repositoryId, sourceBranch, targetBranch } = proposal;
  const required = records.forges.get(repositoryId)?.requiredChecks ?? [];
  const reachesUser = targetBranch === OF_USER || targetBranch === CANDIDATE;
  // What is on the candidate branch has come through here.
  if (required.length === 0 || !reachesUser || sourceBranch === CANDIDATE) return undefined;
  const offered = offeredOf(records, proposal);
  if (!offered) {
    const checks = required.map((name) => ({ name, state: 'missing' as const }));
    return { repositoryId, offered, checks, because: 'it has no request there yet' };
  }
  const { checked, pushed, outcome } = offered;
  const seen = checked && checked.commit === pushed.at(-1) ? checked.checks : [];
  const checks = required.flatMap((name): OpenCheck[] => {
    const found = seen.filter((one) => name === ALL_CHECKS || one.name === name);
    return found.length === 0 ? [{ name, state: 'missing' }] : found.filter(({ state }) => state !== 'passed');
  });
  if (checks.length === 0) return undefined;
  const named = checks
    .slice(0, MOST_NAMED)
    .map(({ name, state }) => (name === ALL_CHECKS ? NONE : `${name} ${WORDS[state]}`));
  const more = checks.length > MOST_NAMED ? ` and ${checks.length - MOST_NAMED} more` : '';
  return {
    repositoryId,
    offered,
    checks,
    because: `${named.join(', ')}${more}${outcome === 'closed' ? '; its request was closed' : ''}`,
  };
}

/** Work of a proposal that was pushed to a forge. */
export function offeredOf(
  { contributions }: Records,
  { proposalId, repositoryId }: Pick<Asked, 'proposalId' | 'repositoryId'>,
): Contribution | undefined {
  return contributions
    .where('repository', repositoryId)
    .find((one) => one.proposalId === proposalId && one.pushed.length > 0);
}

const MOST_NAMED = 5;
const NONE = 'no check has begun';
const WORDS = { pending: 'is under way', failed: 'fails', missing: 'has not begun', passed: 'passes' } as const;

/** Guard: what a forge has to find good is not landed before it does. */
export function requireChecked(records: Records, proposal: Asked): void {
  const closed = closedGate(records, proposal);
  if (!closed) return;
  const { offered, checks, because } = closed;
  throw refusal('reject.checks_required', `${proposal.proposalId} waits for the checks of its forge: ${because}`, {
    proposalId: proposal.proposalId,
    checks: checks.slice(0, 50),
    url: offered?.url ?? null,
  });
}
