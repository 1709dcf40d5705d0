/** Work of a studio as people see it: goals, and what in them waits for somebody, with the command to paste. */
import { printable } from '../output/show.js';
import { UsageError } from '../syntax/define.js';
import { shortId } from '../studio/event-text.js';
import type { StudioClient } from '../studio/studio-client.js';

export interface GoalSeen {
  readonly goalId: string;
  readonly goal: string;
  readonly status: string;
  readonly createdAt: string;
  readonly repositoryId?: string;
  readonly usage?: Usage;
}

export interface Usage {
  readonly tokens: number;
  readonly costUsd: number;
  readonly turns: number;
  readonly seconds: number;
}

export interface UnitSeen {
  readonly workUnitId: string;
  readonly parentWorkUnitId?: string;
  readonly goal: string;
  readonly status: string;
}

export interface ProposalSeen {
  readonly proposalId: string;
  readonly workUnitId?: string;
  readonly status: string;
  readonly goal: string;
  readonly summary: string;
  readonly changeDescription: string;
  readonly filesTouched: readonly string[];
  readonly sourceBranch: string;
  readonly targetBranch: string;
  readonly verificationResults?: string;
  readonly reviewNotes?: string;
  readonly confidence?: number;
  readonly workspaceChanges?: string;
  readonly troubles?: readonly { readonly kind: string; readonly text: string }[];
  readonly noFileChangesJustification?: string;
  readonly landedOnCandidateBranch: boolean;
  readonly promotedToDisk: boolean;
}

interface GoalStanding {
  readonly status: string;
  readonly pauseReason: string | null;
  readonly pendingClarifications: readonly {
    readonly clarificationId: string;
    readonly question: string;
    readonly options: readonly string[];
  }[];
  readonly deadLetter: { readonly reason: string; readonly recoverableActions: readonly string[] } | null;
  readonly pendingReviews: readonly {
    readonly proposalId: string;
    readonly summary: string;
    readonly action: 'review' | 'apply';
  }[];
  readonly heldUp: readonly { readonly goal: string }[];
  readonly missingKeys: readonly string[];
}

/** What waits for somebody. */
export interface Waiting {
  readonly goalId: string;
  readonly kind: 'question' | 'review' | 'landing' | 'failure' | 'key' | 'pause';
  /** Id that commands take. */
  readonly id: string;
  readonly what: string;
  /** Commands that answer it, the usual one first. */
  readonly commands: readonly string[];
}

/** Why two approvals are asked for, for whoever is asked for one. */
export const TWO_APPROVALS =
  'There are two approvals: a review says that the work is good, landing moves a branch. weft approve gives both.';

/** States of a goal of which nothing follows any more. */
const OVER: ReadonlySet<string> = new Set(['Converged', 'Abandoned']);

export function isOver({ status }: Pick<GoalSeen, 'status'>): boolean {
  return OVER.has(status);
}

export async function goalsOf(client: StudioClient): Promise<readonly GoalSeen[]> {
  return (await client.call<{ goals: GoalSeen[] }>('goal.list')).goals;
}

export async function waitingIn(client: StudioClient, goals: readonly GoalSeen[]): Promise<readonly Waiting[]> {
  const open = goals.filter((goal) => !isOver(goal));
  const each = await Promise.all(
    open.map(async ({ goalId }) =>
      waitingOf(goalId, await client.call<GoalStanding>('external-goal.status', { goalId })),
    ),
  );
  return each.flat().map((one) => ({ ...one, what: printable(one.what) }));
}

/** Attention list of one goal. */
function waitingOf(goalId: string, standing: GoalStanding): Waiting[] {
  const goal = shortId(goalId);
  const { pendingClarifications, deadLetter, pendingReviews, heldUp, missingKeys, status, pauseReason } = standing;
  return [
    ...missingKeys.map((name) => ({
      goalId,
      kind: 'key' as const,
      id: name,
      what: `needs the key ${name}`,
      commands: [`weft key set ${name}`],
    })),
    ...pendingClarifications.map(({ clarificationId, question, options }) => ({
      goalId,
      kind: 'question' as const,
      id: clarificationId,
      what: `asks: ${question}${options.length === 0 ? '' : ` (${options.join(' / ')})`}`,
      commands: [`weft answer ${shortId(clarificationId)} "${options[0] ?? '…'}"`],
    })),
    ...(deadLetter === null ? [] : [failureOf(goalId, deadLetter)]),
    ...(deadLetter === null && heldUp.length > 0
      ? [
          {
            goalId,
            kind: 'failure' as const,
            id: goalId,
            what: `waits for work that was stopped: ${heldUp[0]?.goal}`,
            commands: [`weft retry ${goal} --plan-anew`, `weft stop ${goal}`],
          },
        ]
      : []),
    ...pendingReviews.map(({ proposalId, summary, action }) =>
      action === 'review'
        ? {
            goalId,
            kind: 'review' as const,
            id: proposalId,
            what: `wants your review: ${summary}`,
            commands: [`weft review ${shortId(proposalId)}`, `weft approve ${shortId(proposalId)}`],
          }
        : {
            goalId,
            kind: 'landing' as const,
            id: proposalId,
            what: `is approved, and wants to land: ${summary}`,
            commands: [`weft approve ${shortId(proposalId)}`],
          },
    ),
    ...(status === 'Paused'
      ? [
          {
            goalId,
            kind: 'pause' as const,
            id: goalId,
            what: `is paused${pauseReason === null ? '' : `: ${pauseReason}`}`,
            commands: [`weft studio goal resume --goalId ${goalId}`],
          },
        ]
      : []),
  ];
}

function failureOf(goalId: string, { reason, recoverableActions }: NonNullable<GoalStanding['deadLetter']>): Waiting {
  const goal = shortId(goalId);
  const ways: Readonly<Record<string, string>> = {
    retry: `weft retry ${goal}`,
    retry_with_context: `weft retry ${goal} --with "…"`,
    continue: `weft retry ${goal} --go-on`,
    replan: `weft retry ${goal} --plan-anew`,
  };
  const commands = recoverableActions.flatMap((action) => ways[action] ?? []);
  return {
    goalId,
    kind: 'failure',
    id: goalId,
    what: `failed: ${reason}`,
    commands: [...commands, `weft stop ${goal}`],
  };
}

/** The one thing that an id, or the beginning of one, names. */
export function named<T>(all: readonly T[], idOf: (one: T) => string, given: string, what: string): T {
  const exact = all.find((one) => idOf(one) === given);
  if (exact) return exact;
  const found = all.filter((one) => idOf(one).startsWith(given));
  const [first, ...others] = found;
  if (first && others.length === 0) return first;
  if (!first) throw new UsageError(`there is no ${what} ${given}; weft status lists what there is`);
  throw new UsageError(`${given} is the beginning of ${found.length} ids: ${found.map(idOf).join(', ')}`);
}
