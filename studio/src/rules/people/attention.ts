/**
 * Attention list of the host: what needs a person, whom it holds up, and since when. A fold over the record that is made anew each
 * time, so it cannot disagree with the record: an item is gone with its cause. It looks at what may wait, which the record lists.
 */
import type { Conflict } from '../../record/aggregates/conflict/conflict.js';
import type { DeadLetter } from '../../record/aggregates/dead-letter/dead-letter.js';
import type { Goal } from '../../record/aggregates/goal/goal.js';
import type { Proposal } from '../../record/aggregates/merge-proposal/state.js';
import type { WorkUnit } from '../../record/aggregates/work-unit/state.js';
import { isOver } from '../../record/aggregates/work-unit/status.js';
import type { Change } from '../../record/ledger/change.js';
import type { Records } from '../../record/views/records.js';
import { type ClosedGate, closedGate } from '../goals/required-checks.js';
import { goalOf } from '../goals/tree.js';
import { isCompared, personsTurn } from '../proposals/policy.js';
import { recoverableActions } from '../queue/dead-letters.js';
import { type Attention, type AttentionAction, action, heldUpBy, isOpen, listOf } from './attention-item.js';
import { ofGoals } from './attention-of-goals.js';

type Look = Pick<Change, 'state'>;

/** What needs a person at a time in ISO 8601: first what holds up most for longest. */
export function attentionOf(records: Records, look: Look, at: string): Attention[] {
  const found = [
    ...questions(records, look),
    ...proposals(records, look),
    ...conflicts(records, look),
    ...failures(records, look),
    ...keys(records, look),
    ...memories(records),
    ...ofGoals(records, at),
  ];
  const now = Date.parse(at);
  const weight = ({ blocks, since }: Attention): number => (1 + blocks.length) * Math.max(1, now - Date.parse(since));
  return found.sort((a, b) => weight(b) - weight(a) || (a.id < b.id ? -1 : 1));
}

function questions(records: Records, look: Look): Attention[] {
  return records.clarifications
    .where('waiting', 'yes')
    .filter((asked) => isOpen(records, asked.workUnitId))
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
  return records.proposals.where('waiting', 'yes').flatMap((proposal): Attention[] => {
    const { proposalId, workUnitId, status } = proposal;
    if (workUnitId === undefined)
      return status === 'UnderReview'
        ? []
        : [ofProposal(records, proposal, status === 'Approved' ? 'apply' : 'review', undefined)];
    const unit = records.workUnits.get(workUnitId);
    // Newest proposal of the unit: no other counts.
    const isNewest = records.proposals.where('workUnit', workUnitId).at(-1)?.proposalId === proposalId;
    if (!unit || isOver(unit.status) || !isNewest) return [];
    const turn = personsTurn(unit, proposal);
    const closed =
      status === 'Approved' && turn !== 'review' && !isCompared(records, unit)
        ? closedGate(records, proposal)
        : undefined;
    if (closed) return [ofChecks(records, unit, proposal, closed, goalOf(look, workUnitId))];
    return turn ? [ofProposal(records, proposal, turn, goalOf(look, workUnitId))] : [];
  });
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
function ofChecks(
  records: Records,
  { workUnitId }: WorkUnit,
  { proposalId, summary, updatedAt }: Proposal,
  closed: ClosedGate,
  goal: Goal | undefined,
): Attention {
  const { repositoryId, offered, because } = closed;
  const again = offered === undefined && goal !== undefined;
  return {
    kind: 'checks',
    id: proposalId,
    goalId: goal?.goalId,
    workUnitId,
    sentence: `${summary}: waits for checks of its forge, ${because}`,
    since: updatedAt,
    blocks: heldUpBy(records, workUnitId),
    actions: [
      again ? action('contribution.offer', { goalId: goal.goalId }) : action('forge.look', { repositoryId }),
      action('merge.review', { proposalId, decision: 'Rejected' }, 'notes'),
    ],
  };
}

/** Conflicts that no agent is at work on. */
function conflicts(records: Records, look: Look): Attention[] {
  const ofProposals = records.conflicts.where('waiting', 'yes').map((one): Attention => {
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
  const ofFolders = records.repositoryConflicts.where('waiting', 'yes').map((one): Attention => ({
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
    .where('waiting', 'yes')
    .filter(({ workUnitId }) => isOpen(records, workUnitId))
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
    .where('waiting', 'yes')
    .filter(({ repositoryId }) => repositories.get(repositoryId) !== undefined)
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
