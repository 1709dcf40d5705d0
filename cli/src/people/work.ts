/** Work of a studio as people see it: goals, and what in them waits for somebody, with the command to paste. */
import { printable } from '../output/show.js';
import { UsageError } from '../syntax/define.js';
import { shortId } from '../studio/event-text.js';
import type { StudioClient } from '../studio/studio-client.js';

export interface GoalSeen {
  readonly goalId: string;
  /** Root of its units. */
  readonly workUnitId: string;
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

/** Item of the studio's list of what needs a person. */
interface Attention {
  readonly kind: string;
  readonly id: string;
  readonly goalId?: string;
  readonly sentence: string;
  readonly options?: readonly string[];
  readonly actions: readonly { readonly operation: string; readonly input?: Readonly<Record<string, unknown>> }[];
}

/** What waits for somebody. */
export interface Waiting {
  readonly goalId: string;
  readonly kind: 'question' | 'review' | 'landing' | 'checks' | 'failure' | 'key' | 'pause' | 'other';
  /** Id that commands take. */
  readonly id: string;
  readonly what: string;
  /** Commands that answer it, the usual one first. */
  readonly commands: readonly string[];
  /** Whether a failure is none: what the work needs was cancelled. */
  readonly isHeld?: true;
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

/** What a goal may cost, and how long it may take. Absent: any. */
export interface Limits {
  readonly maxGoalTokens?: number | undefined;
  readonly maxGoalDollars?: number | undefined;
  readonly maxGoalDurationMinutes?: number | undefined;
}

/** Limits that hold for goals that are under way, their own or those of the options, by the goal. */
export async function limitsIn(client: StudioClient, goals: readonly GoalSeen[]): Promise<ReadonlyMap<string, Limits>> {
  const all = await client.call<readonly (Limits & { readonly workUnitId: string })[]>('goal.guardrails');
  const byRoot = new Map(all.map((one) => [one.workUnitId, one]));
  return new Map(
    goals.flatMap(({ goalId, workUnitId }) => {
      const { maxGoalTokens, maxGoalDollars, maxGoalDurationMinutes } = byRoot.get(workUnitId) ?? {};
      const isLimited = [maxGoalTokens, maxGoalDollars, maxGoalDurationMinutes].some((one) => one !== undefined);
      return isLimited ? [[goalId, { maxGoalTokens, maxGoalDollars, maxGoalDurationMinutes }]] : [];
    }),
  );
}

/** What waits for somebody in these goals: the studio's own list, first what holds up most. */
export async function waitingIn(client: StudioClient, goals: readonly GoalSeen[]): Promise<readonly Waiting[]> {
  const open = new Set(goals.filter((goal) => !isOver(goal)).map(({ goalId }) => goalId));
  const { items } = await client.call<{ items: readonly Attention[] }>('attention.list');
  const ofGoals = items.filter(({ goalId }) => goalId !== undefined && open.has(goalId));
  return withoutRepeated(ofGoals.map(waitingOf)).map((one) => ({ ...one, what: printable(one.what) }));
}

/** Folder that could not be set up. Its agent was told, and works there all the same. */
export interface SetUpFailure {
  readonly goalId: string;
  readonly workUnitId: string;
  /** The script, and how it ended. */
  readonly text: string;
}

/** Folders that could not be set up, of work of these goals that is not over. */
export async function setUpFailuresIn(client: StudioClient, goals: readonly GoalSeen[]): Promise<SetUpFailure[]> {
  const found: SetUpFailure[] = [];
  for (const goal of goals) {
    if (isOver(goal)) continue;
    const { goalId } = goal;
    const { setUpFailures } = await client.call<{ setUpFailures: readonly Omit<SetUpFailure, 'goalId'>[] }>(
      'external-goal.status',
      { goalId },
    );
    for (const { workUnitId, text } of setUpFailures) found.push({ goalId, workUnitId, text: printable(text) });
  }
  return found;
}

/** One failure of each goal, since one word deals with the newest; and none that is held up beside it. */
function withoutRepeated(all: readonly Waiting[]): Waiting[] {
  const first = (goalId: string): Waiting | undefined =>
    all.find((one) => one.goalId === goalId && one.kind === 'failure' && !one.isHeld) ??
    all.find((one) => one.goalId === goalId && one.kind === 'failure');
  return all.filter((one) => one.kind !== 'failure' || one === first(one.goalId));
}

/** An item of the list as a line, with the words that answer it. */
function waitingOf({ kind, id, goalId = '', sentence, options = [], actions }: Attention): Waiting {
  const goal = shortId(goalId);
  switch (kind) {
    case 'key':
      return { goalId, kind: 'key', id, what: `needs the key ${id}`, commands: [`weft key set ${id}`] };
    case 'answer':
      return {
        goalId,
        kind: 'question',
        id,
        what: `asks: ${sentence}${options.length === 0 ? '' : ` (${options.join(' / ')})`}`,
        commands: [`weft answer ${shortId(id)} "${options[0] ?? '…'}"`],
      };
    case 'failed':
      return { goalId, kind: 'failure', id: goalId, what: `failed: ${sentence}`, commands: waysBack(goal, actions) };
    case 'held':
      return {
        goalId,
        kind: 'failure',
        id: goalId,
        what: `waits for work that was stopped: ${sentence}`,
        commands: [`weft retry ${goal} --plan-anew`, `weft stop ${goal}`],
        isHeld: true,
      };
    case 'review':
      return {
        goalId,
        kind: 'review',
        id,
        what: `wants your review: ${sentence}`,
        commands: [`weft review ${shortId(id)}`, `weft approve ${shortId(id)}`],
      };
    case 'land':
      return {
        goalId,
        kind: 'landing',
        id,
        what: `is approved, and wants to land: ${sentence}`,
        commands: [`weft approve ${shortId(id)}`],
      };
    case 'checks': {
      const [way] = actions;
      const input = Object.entries(way?.input ?? {}).map(([name, value]) => ` --${name} ${String(value)}`);
      const words = (way?.operation ?? 'forge.look').replace('.', ' ');
      return { goalId, kind: 'checks', id, what: sentence, commands: [`weft studio ${words}${input.join('')}`] };
    }
    case 'paused':
      return {
        goalId,
        kind: 'pause',
        id,
        what: `is paused: ${sentence}`,
        commands: [`weft studio goal resume --goalId ${goalId}`],
      };
    // Conflicts and budgets, and what a newer studio knows of: the page deals with all of it.
    default:
      return { goalId, kind: 'other', id, what: sentence, commands: ['weft open'] };
  }
}

function waysBack(goal: string, actions: Attention['actions']): string[] {
  const ways: Readonly<Record<string, string>> = {
    'dead-letter.retry': `weft retry ${goal}`,
    'dead-letter.retryWithContext': `weft retry ${goal} --with "…"`,
    'dead-letter.goOn': `weft retry ${goal} --go-on`,
    'dead-letter.replan': `weft retry ${goal} --plan-anew`,
  };
  return [...actions.flatMap(({ operation }) => ways[operation] ?? []), `weft stop ${goal}`];
}

/** The one thing that an id, or the beginning of one, names. */
export function named<T>(
  all: readonly T[],
  idOf: (one: T) => string,
  given: string,
  what: string,
  list = 'weft status',
): T {
  const exact = all.find((one) => idOf(one) === given);
  if (exact) return exact;
  const found = all.filter((one) => idOf(one).startsWith(given));
  const [first, ...others] = found;
  if (first && others.length === 0) return first;
  if (!first) throw new UsageError(`there is no ${what} ${given}; ${list} lists what there is`);
  throw new UsageError(
    `${given} is the beginning of ${found.length} ids: ${someOf(found.map(idOf))}; give more of one`,
  );
}

const MOST_NAMED = 5;

/** The first of many, and how many more there are. */
export function someOf(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return `${names.slice(0, MOST_NAMED).join(', ')}${more}`;
}
