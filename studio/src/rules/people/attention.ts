/**
 * Attention list of the host: what needs a person, whom it holds up, and since when. A fold over the record that is made anew each
 * time, so it cannot disagree with the record: an item is gone with its cause.
 */
import type { Clarification } from '../../record/aggregates/clarification/clarification.js';
import type { Conflict } from '../../record/aggregates/conflict/conflict.js';
import type { DeadLetter } from '../../record/aggregates/dead-letter/dead-letter.js';
import { type Goal, isEnded } from '../../record/aggregates/goal/goal.js';
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import { isOver } from '../../record/aggregates/work-unit/status.js';
import type { Change } from '../../record/ledger/change.js';
import type { Records } from '../../record/views/records.js';
import { goalCost } from '../goals/goal-limits.js';
import { givenUpOf } from '../queue/given-up.js';
import { heldUpIn } from '../goals/held-up.js';
import { goalOf, treeOf } from '../goals/tree.js';
import { type ClosedGate, closedGate } from '../goals/required-checks.js';
import { isCompared, personsTurn } from '../proposals/policy.js';
import { recoverableActions } from '../queue/dead-letters.js';

export const ATTENTION_KINDS = [
  'answer',
  'review',
  'land',
  'checks',
  'conflict',
  'failed',
  'key',
  'budget',
  'held',
  'paused',
  'memory',
] as const;
export type AttentionKind = (typeof ATTENTION_KINDS)[number];

/** What needs a person. */
export interface Attention {
  readonly kind: AttentionKind;
  /** Id of what it is about: a question, a proposal, a conflict, a failure, the name of a key, a goal, a work unit. */
  readonly id: string;
  readonly goalId?: string | undefined;
  readonly workUnitId?: string | undefined;
  /** What is wanted, in one sentence. */
  readonly sentence: string;
  /** Since when, ISO 8601. */
  readonly since: string;
  /** Units that go on only when this is done. */
  readonly blocks: readonly string[];
  readonly actions: readonly AttentionAction[];
  readonly question?: Clarification;
}

/** Operation that answers an item, with what is known of its input. */
export interface AttentionAction {
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Fields that a person has to give. */
  readonly asks: readonly string[];
}

/** Share of a limit from which it is told. */
const NEARLY_SPENT = 0.8;

type Look = Pick<Change, 'state'>;

/** What needs a person at a time in ISO 8601: first what holds up most for longest. */
export function attentionOf(records: Records, look: Look, at: string): Attention[] {
  const goals = records.goals.all().filter(({ status }) => !isEnded(status));
  const found = [
    ...questions(records, look),
    ...proposals(records, look),
    ...conflicts(records, look),
    ...failures(records, look),
    ...keys(records, look),
    ...memories(records),
    // Parts of a goal are in its tree.
    ...goals.filter(({ parentGoalId }) => parentGoalId === undefined).flatMap((goal) => ofGoal(records, goal, at)),
  ];
  const now = Date.parse(at);
  const weight = ({ blocks, since }: Attention): number => (1 + blocks.length) * Math.max(1, now - Date.parse(since));
  return found.sort((a, b) => weight(b) - weight(a) || (a.id < b.id ? -1 : 1));
}

function questions(records: Records, look: Look): Attention[] {
  return records.clarifications
    .all()
    .filter((asked) => asked.status === 'open' && isOpen(records, asked.workUnitId))
    .map((asked) => ({
      kind: 'answer',
      id: asked.requestId,
      goalId: goalOf(look, asked.workUnitId)?.goalId,
      workUnitId: asked.workUnitId,
      sentence: asked.question,
      since: asked.requestedAt,
      blocks: asked.blocking ? heldUpBy(records, asked.workUnitId) : [],
      actions: [
        action('clarification.respond', { workUnitId: asked.workUnitId, requestId: asked.requestId }, 'response'),
      ],
      question: asked,
    }));
}

function proposals(records: Records, look: Look): Attention[] {
  const ofUnits = records.workUnits.all().flatMap((unit): Attention[] => {
    if (isOver(unit.status)) return [];
    const newest = records.proposals.where('workUnit', unit.workUnitId).at(-1);
    const turn = newest && personsTurn(unit, newest);
    const closed =
      newest?.status === 'Approved' && turn !== 'review' && !isCompared(records, unit)
        ? closedGate(records, newest)
        : undefined;
    if (newest && closed) return [ofChecks(records, newest, closed, goalOf(look, unit.workUnitId))];
    return turn ? [ofProposal(records, newest, turn, goalOf(look, unit.workUnitId))] : [];
  });
  const ofPeople = records.proposals
    .all()
    .filter(
      ({ workUnitId, status }) => workUnitId === undefined && (status === 'ReadyForReview' || status === 'Approved'),
    )
    .map((one) => ofProposal(records, one, one.status === 'Approved' ? 'apply' : 'review', undefined));
  return [...ofUnits, ...ofPeople];
}

function ofProposal(records: Records, proposal: Proposal, turn: 'review' | 'apply', goal: Goal | undefined): Attention {
  const { proposalId, workUnitId, summary, updatedAt } = proposal;
  const about = { proposalId };
  return {
    kind: turn === 'review' ? 'review' : 'land',
    id: proposalId,
    goalId: goal?.goalId,
    workUnitId,
    sentence: summary,
    since: updatedAt,
    blocks: workUnitId === undefined ? [] : heldUpBy(records, workUnitId),
    actions:
      turn === 'review'
        ? [
            action('merge.review', { ...about, decision: 'Approved' }),
            action('merge.review', { ...about, decision: 'Rejected' }, 'notes'),
            action('external-result.apply', about),
          ]
        : [action('merge.apply', about), action('merge.review', { ...about, decision: 'Rejected' }, 'notes')],
  };
}

/** What lands by itself, or on a person's word, once its forge finds it good. */
function ofChecks(records: Records, proposal: Proposal, closed: ClosedGate, goal: Goal | undefined): Attention {
  const { proposalId, workUnitId, summary, updatedAt } = proposal;
  const { repositoryId, offered, because } = closed;
  const again = offered === undefined && goal !== undefined;
  return {
    kind: 'checks',
    id: proposalId,
    goalId: goal?.goalId,
    workUnitId,
    sentence: `${summary}: waits for checks of its forge, ${because}`,
    since: updatedAt,
    blocks: workUnitId === undefined ? [] : heldUpBy(records, workUnitId),
    actions: [
      again ? action('contribution.offer', { goalId: goal.goalId }) : action('forge.look', { repositoryId }),
      action('merge.review', { proposalId, decision: 'Rejected' }, 'notes'),
    ],
  };
}

/** Conflicts that no agent is at work on. */
function conflicts(records: Records, look: Look): Attention[] {
  const ofProposals = records.conflicts
    .all()
    .filter(({ status }) => status === 'Open')
    .map((one): Attention => {
      const workUnitId = one.workUnitId ?? one.parentWorkUnitId;
      return {
        kind: 'conflict',
        id: one.conflictId,
        goalId: workUnitId === undefined ? undefined : goalOf(look, workUnitId)?.goalId,
        workUnitId,
        sentence: `${listOf(one.conflictingPaths)} changed on both sides: on ${one.targetBranch} and in ${one.proposalId}`,
        since: one.detectedAt,
        blocks: workUnitId === undefined ? [] : heldUpBy(records, workUnitId),
        actions: waysOut(one),
      };
    });
  const ofFolders = records.repositoryConflicts
    .all()
    .filter(({ status }) => status === 'Open')
    .map((one): Attention => ({
      kind: 'conflict',
      id: one.conflictId,
      sentence: `${one.path} was changed by a person and by the work at once`,
      since: one.detectedAt,
      blocks: [],
      actions: [
        action('repository-conflict.resolve', { conflictId: one.conflictId }, 'strategy'),
        action('repository-conflict.dismiss', { conflictId: one.conflictId }),
      ],
    }));
  return [...ofProposals, ...ofFolders];
}

function waysOut({ conflictId, kind, workUnitId }: Conflict): AttentionAction[] {
  if (kind === 'task')
    return workUnitId === undefined
      ? []
      : [
          action('conflict.reconcileTask', { workUnitId, conflictId }),
          action('conflict.resolveTask', { workUnitId, conflictId }, 'files'),
        ];
  return [
    action('conflict.reconcileCandidate', { conflictId }),
    action('conflict.resolveCandidate', { conflictId }, 'files'),
  ];
}

function failures(records: Records, look: Look): Attention[] {
  return records.deadLetters
    .all()
    .filter(({ resolution, workUnitId }) => resolution === undefined && isOpen(records, workUnitId))
    .map((failed) => ({
      kind: 'failed',
      id: failed.entryId,
      goalId: goalOf(look, failed.workUnitId)?.goalId,
      workUnitId: failed.workUnitId,
      sentence: failed.reason,
      since: failed.occurredAt,
      blocks: heldUpBy(records, failed.workUnitId),
      actions: waysBack(failed),
    }));
}

function waysBack(failed: DeadLetter): AttentionAction[] {
  const about = { entryId: failed.entryId };
  const ways: Readonly<Record<string, AttentionAction>> = {
    retry: action('dead-letter.retry', about),
    retry_with_context: action('dead-letter.retryWithContext', about, 'steeringContext'),
    continue: action('dead-letter.goOn', about),
    replan: action('dead-letter.replan', about),
  };
  return recoverableActions(failed).flatMap((name) => ways[name] ?? []);
}

/** Keys that parked work waits for, each once. */
function keys(records: Records, look: Look): Attention[] {
  const waiting = records.scheduledItems
    .where('place', 'parked')
    .filter(({ parkedFor, workUnitId }) => parkedFor === 'Credentials' && isOpen(records, workUnitId));
  const byName = new Map<string, typeof waiting>();
  for (const item of waiting) {
    const name = item.credentialRef ?? '';
    byName.set(name, [...(byName.get(name) ?? []), item]);
  }
  return [...byName].map(([name, items]) => {
    const units = items.map(({ workUnitId }) => workUnitId);
    const since = units.map((id) => records.workUnits.get(id)?.updatedAt ?? '').sort()[0] ?? '';
    const [first = ''] = units;
    return {
      kind: 'key',
      id: name,
      goalId: goalOf(look, first)?.goalId,
      workUnitId: first,
      sentence: `The key ${name} is missing`,
      since,
      blocks: [...new Set(units.flatMap((id) => [id, ...heldUpBy(records, id)]))],
      actions: [action('credential.keep', { credentialRef: name }, 'apiKey')],
    };
  });
}

/** What agents propose to remember. It holds up nothing, and stays when its goal is over. */
function memories({ memories: all, repositories }: Records): Attention[] {
  return all
    .all()
    .filter(({ status, repositoryId }) => status === 'Proposed' && repositories.get(repositoryId) !== undefined)
    .map(({ memoryId, workUnitId, text, proposedAt }) => ({
      kind: 'memory',
      id: memoryId,
      workUnitId,
      sentence: `Remember: ${text}`,
      since: proposedAt,
      blocks: [],
      actions: [action('memory.confirm', { memoryId }), action('memory.refuse', { memoryId }, 'notes')],
    }));
}

function ofGoal(records: Records, goal: Goal, at: string): Attention[] {
  const { goalId, workUnitId } = goal;
  const open = (): string[] =>
    treeOf(records, workUnitId)
      .filter(({ status }) => !isOver(status))
      .map((unit) => unit.workUnitId);
  const about = { goalId, workUnitId };
  const paused: Attention[] =
    goal.status === 'Paused'
      ? [
          {
            ...about,
            kind: 'paused',
            id: goalId,
            sentence: goal.pauseReason ?? 'The goal is paused',
            since: goal.updatedAt,
            blocks: open(),
            actions: [action('goal.resume', { goalId }), action('external-goal.cancel', { goalId })],
          },
        ]
      : [];
  const held = heldUpIn(records, goal).map(({ unit, by }): Attention => ({
    goalId,
    workUnitId: unit.workUnitId,
    kind: 'held',
    id: unit.workUnitId,
    sentence: `${unit.goal}: waits for work that was cancelled, ${listOf(by.map((one) => one.goal))}`,
    since: unit.updatedAt,
    blocks: [unit.workUnitId, ...heldUpBy(records, unit.workUnitId)],
    actions: [
      action('external-goal.recover', { goalId, action: 'replan' }),
      action('external-goal.cancel', { goalId }),
    ],
  }));
  const stuck = treeOf(records, workUnitId).flatMap((unit) => givenUp(records, goal, unit));
  return [...paused, ...held, ...stuck, ...budget(records, goal, at, open)];
}

/** What is due of a unit and could not be done. */
function givenUp(records: Records, { goalId }: Goal, { workUnitId, goal, updatedAt }: WorkUnit): Attention[] {
  const decision = givenUpOf(records, workUnitId);
  if (!decision) return [];
  const newest = records.proposals.where('workUnit', workUnitId).at(-1);
  return [
    {
      goalId,
      workUnitId,
      kind: 'held',
      id: workUnitId,
      sentence: `${goal}: what is due cannot be done, ${decision.reason}`,
      since: updatedAt,
      blocks: [workUnitId, ...heldUpBy(records, workUnitId)],
      actions: [
        ...(newest?.status === 'Approved' ? [action('merge.apply', { proposalId: newest.proposalId })] : []),
        action('requeue.requeue', { workUnitId }, 'notes'),
        action('workunit.cancel', { workUnitId }),
      ],
    },
  ];
}

type BudgetField = 'maxGoalTokens' | 'maxGoalDollars' | 'maxGoalDurationMinutes';

function budget(records: Records, goal: Goal, at: string, open: () => string[]): Attention[] {
  const cost = goalCost(records, goal, at);
  const { totalTokens, maxGoalTokens, elapsedMinutes, maxGoalDurationMinutes } = cost;
  const isOver = cost.tokensExceeded || cost.dollarsExceeded || cost.durationExceeded;
  const ofTokens = maxGoalTokens !== undefined && totalTokens >= NEARLY_SPENT * maxGoalTokens;
  const ofTime = maxGoalDurationMinutes !== undefined && elapsedMinutes >= NEARLY_SPENT * maxGoalDurationMinutes;
  if (!ofTokens && !cost.dollarsExceeded && !ofTime) return [];
  const limit: BudgetField = ofTokens
    ? 'maxGoalTokens'
    : cost.dollarsExceeded
      ? 'maxGoalDollars'
      : 'maxGoalDurationMinutes';
  const sentence = ofTokens
    ? `${totalTokens} of ${maxGoalTokens} tokens are used`
    : cost.dollarsExceeded
      ? `the ${cost.maxGoalDollars} dollars that it may cost are spent`
      : `${Math.round(elapsedMinutes)} of ${maxGoalDurationMinutes} minutes have passed`;
  return [
    {
      kind: 'budget',
      id: goal.goalId,
      goalId: goal.goalId,
      workUnitId: goal.workUnitId,
      sentence,
      since: goal.updatedAt,
      blocks: isOver ? open() : [],
      actions: [...raise(goal, limit), action('external-goal.cancel', { goalId: goal.goalId })],
    },
  ];
}

/** Way to allow a goal more: for itself when it is resumed; before that, where it has no limit of its own, for all. */
function raise({ goalId, status, limits }: Goal, limit: BudgetField): AttentionAction[] {
  if (status === 'Paused') return [action('goal.resume', { goalId }, limit)];
  const isOwn = limit === 'maxGoalDollars' || typeof limits?.[limit] === 'number';
  return isOwn ? [] : [action('option.change', {}, limit)];
}

/** Units that are not over and go on only after this one: those that need it, and those that it is a part of; in turn, theirs. */
function heldUpBy(records: Records, workUnitId: string): string[] {
  const found = new Set<string>();
  const wave = [workUnitId];
  for (const id of wave) {
    const above = records.workUnits.get(id)?.parentWorkUnitId;
    const next = records.workUnits.where('needs', id).map((unit) => unit.workUnitId);
    for (const other of above === undefined ? next : [above, ...next]) {
      if (found.has(other) || other === workUnitId || !isOpen(records, other)) continue;
      found.add(other);
      wave.push(other);
    }
  }
  return [...found];
}

function isOpen(records: Records, workUnitId: string): boolean {
  const unit: WorkUnit | undefined = records.workUnits.get(workUnitId);
  return unit !== undefined && !isOver(unit.status);
}

function action(operation: string, input: Readonly<Record<string, unknown>>, ...asks: string[]): AttentionAction {
  return { operation, input, asks };
}

/** The first of some names, and how many more there are. */
function listOf(names: readonly string[]): string {
  const [first = 'nothing', ...rest] = names;
  return rest.length === 0 ? first : `${first} and ${rest.length} more`;
}
