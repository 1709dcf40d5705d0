/**
 * Reconcile loop of goals: after each event of a goal it does what is due there, one thing after the other, until nothing is.
 * What is due is a function of the record (`due.ts`), so it needs no model, and a restart changes nothing.
 */
import { Rejection } from '@weft/core';
import type { AgentProfile } from '../record/aggregates/agent-profile/state.js';
import { DEFAULT_OPTIONS, OPTIONS_ID } from '../record/aggregates/options/options.js';
import { type ScheduledItem, isHeld, scheduledItem } from '../record/aggregates/scheduled-item/scheduled-item.js';
import type { WorkUnit } from '../record/aggregates/work-unit/state.js';
import { isOver } from '../record/aggregates/work-unit/status.js';
import { conflict } from '../record/aggregates/conflict/conflict.js';
import { orchestrationDecision } from '../record/aggregates/orchestration-decision/orchestration-decision.js';
import { mergeProposal } from '../record/aggregates/merge-proposal/merge-proposal.js';
import { CANDIDATE } from '../record/aggregates/merge-proposal/state.js';
import { contribution } from '../record/aggregates/contribution/contribution.js';
import { workUnit } from '../record/aggregates/work-unit/work-unit.js';
import { apply } from '../rules/proposals/apply.js';
import type { BranchContext } from '../rules/branches/branch-context.js';
import { MAIN, mergeBranchOf } from '../rules/branches/stored-branch.js';
import { isStudioReason, reasonRow } from '../reasons.js';
import { bringUpToDate } from '../rules/proposals/bring-up-to-date.js';
import { namedPaths } from '../rules/branches/outside-scope.js';
import { propose } from '../rules/proposals/propose.js';
import { reconcile } from '../rules/proposals/reconcile.js';
import { type Clock } from '../clock.js';
import { Agenda } from './agenda.js';
import { toDeadLetter } from '../rules/queue/dead-letters.js';
import { modelFor } from '../rules/queue/model-for.js';
import { moveUnit } from '../rules/queue/move.js';
import { approve } from '../rules/proposals/review.js';
import { reviewerFor } from '../rules/proposals/policy.js';
import { enqueue, itemOf, pausedBy } from '../rules/queue/queue.js';
import { COORDINATOR } from '../rules/queue/reinvoke.js';
import { rootOf, treeOf, unitIn } from '../rules/goals/tree.js';
import { openSlices } from '../rules/knowledge/slices.js';
import type { Change } from '../record/ledger/change.js';
import type { StudioLog } from '../log.js';
import type { RecordParts } from '../record/views/record-parts.js';
import { shapeOf } from './shape.js';
import { workerFor } from './worker-for.js';
import { type Due, dueFor } from './due.js';
import { fanOut } from './fan-out.js';
import { rootsOf, unitsTouchedBy } from './touched.js';
import type { Chosen } from './profile-choice.js';

export interface CoordinatorParts extends BranchContext, RecordParts {
  readonly wall: Clock;
  readonly log: StudioLog;
  readonly chooseProfile: ChooseProfile;
}

/** Profile choice by a model; undefined when it was interrupted, and is to be asked again when the unit goes on. */
export type ChooseProfile = (unit: WorkUnit, among: readonly AgentProfile[]) => Promise<Chosen | undefined>;

/** Back-off after a failure of the host's own. */
const PAUSE_MS = 10_000;
/** Back-off after a refusal that may pass by itself. */
const AGAIN_MS = 60_000;

type Action = Parameters<(typeof orchestrationDecision)['decide']['record']>[1]['action'];

export class Coordinator {
  readonly #parts: CoordinatorParts;
  readonly #agenda: Agenda;
  /** Dirty goals, by the id of their root. */
  readonly #open = new Set<string>();
  /** Goals being worked on; a slow one does not hold up the others. */
  readonly #sweeping = new Map<string, Promise<void>>();
  /** Units with an action that was given up in this process, and where they stood then, until that changes or it is tried again. */
  readonly #resting = new Map<string, string>();
  #isClosed = false;
  readonly #unfollow: () => void;

  constructor(parts: CoordinatorParts) {
    this.#parts = parts;
    this.#agenda = new Agenda(parts.wall, parts.log);
    this.#unfollow = parts.ledger.feed.onEvent(({ stored }) => {
      for (const workUnitId of unitsTouchedBy(parts.records, stored)) this.#look(workUnitId);
    });
    for (const workUnitId of rootsOf(parts.records.workUnits.all())) this.#look(workUnitId);
  }

  async stop(): Promise<void> {
    this.#isClosed = true;
    this.#unfollow();
    this.#agenda.close();
    await this.settled();
  }

  async settled(): Promise<void> {
    while (this.#sweeping.size > 0) await Promise.all(this.#sweeping.values());
  }

  /** Takes a unit that was leased for orchestration: it is planned, unless it is divided already. */
  async take(leased: ScheduledItem): Promise<void> {
    const { workUnitId } = leased;
    const { ledger, records } = this.#parts;
    await ledger.change(COORDINATOR, (change) => {
      if (!isHeld(itemOf(change, workUnitId), leased)) return;
      const unit = moveUnit(change, records, workUnitId, 'Active');
      const isDivided = records.workUnits.where('parent', workUnitId).length > 0;
      if (isDivided || openSlices(records, workUnitId).length > 0) return;
      const isMerge = unit.reconciliationSourceProposalIds !== undefined;
      const { isSingle, reason } = shapeOf(unit);
      const doer = isMerge ? 'reconciler' : isSingle ? workerFor(records, unit).profileId : 'planner';
      // It would come here again, and again.
      if (records.agentProfiles.get(doer)?.stage === 'Orchestrate') {
        const cannot = `the profile ${doer} orchestrates, and so cannot do the work: give it another stage`;
        toDeadLetter(change, records, { workUnitId, kind: 'Exception', reason: cannot });
        return this.#note(change, unit, 'Escalate', [], cannot);
      }
      enqueue(change, records, workUnitId, { profileId: doer, ...modelFor(change, records, workUnitId, doer) });
      this.#note(change, unit, !isMerge && isSingle ? 'SpawnWorker' : 'SpawnPlanner', [workUnitId], reason);
    });
  }

  #look(workUnitId: string): void {
    const root = rootOf(this.#parts.ledger.look, workUnitId);
    if (this.#isClosed || !root) return;
    const rootId = root.workUnitId;
    this.#open.add(rootId);
    if (!this.#sweeping.has(rootId)) this.#sweeping.set(rootId, this.#sweep(rootId));
  }

  async #sweep(rootId: string): Promise<void> {
    // Deferred, so that it does not run inside the change that announced the event.
    await Promise.resolve();
    while (!this.#isClosed && this.#open.delete(rootId))
      await this.#sweepGoal(rootId).catch((error: unknown) => this.#tryLater(rootId, error));
    this.#sweeping.delete(rootId);
  }

  /** Retries later: nothing announces that a full disk has space again, for example. */
  #tryLater(rootId: string, error: unknown): void {
    const { log, wall } = this.#parts;
    log({ level: 'error', message: 'a goal could not be gone on with', about: { workUnitId: rootId }, error });
    this.#agenda.put(rootId, wall.now() + PAUSE_MS, async () => this.#look(rootId));
  }

  async #sweepGoal(rootId: string): Promise<void> {
    for (const { workUnitId } of treeOf(this.#parts.records, rootId)) {
      if (this.#isClosed) return;
      await this.#doWhatIsDue(workUnitId);
    }
  }

  /** Does one thing that is due. That is an event of the goal, so the goal is looked at again. */
  async #doWhatIsDue(workUnitId: string): Promise<void> {
    const { records, ledger, wall } = this.#parts;
    const unit = records.workUnits.get(workUnitId);
    if (!unit || isOver(unit.status) || pausedBy(ledger.look, records, workUnitId)) return;
    const due = dueFor(records, unit, wall.now());
    if (!due) return;
    if (due.do === 'wait') {
      this.#agenda.put(workUnitId, due.until, async () => this.#look(workUnitId));
      return;
    }
    if (this.#resting.get(workUnitId) === this.#standing(unit, due)) return;
    this.#resting.delete(workUnitId);
    try {
      await this.#do(unit, due);
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      // These refusals are recorded, and what follows from them is due next.
      if (error.reason !== 'reject.merge_conflict' && error.reason !== 'reject.merge_taken_back')
        await this.#giveUp(unit, due, error);
    }
  }

  async #do(unit: WorkUnit, due: Exclude<Due, { do: 'wait' }>): Promise<void> {
    const { records } = this.#parts;
    const { workUnitId } = unit;
    switch (due.do) {
      case 'fan out':
        return this.#record(unit, 'SpawnWorker', (change) =>
          fanOut(change, records, unitIn(change, workUnitId)).map((part) => part.workUnitId),
        );
      case 'enqueue':
        return this.#enqueue(unit, due.profileId);
      case 'choose':
        return this.#choose(unit, due);
      case 'bring together':
        return this.#bringTogether(unit);
      case 'offer':
        return this.#record(unit, 'AwaitReview', (change) => {
          const { proposalId } = due.proposal;
          change.run(mergeProposal, proposalId, 'move', { to: 'ReadyForReview' });
          return [proposalId];
        });
      case 'pass':
        return this.#record(
          unit,
          'AwaitReview',
          (change) => {
            const { proposalId } = due.proposal;
            const said = { by: COORDINATOR, automated: true, verificationResults: due.because };
            approve(change, proposalId, { ...said, consideredArtifactIds: [] });
            return [proposalId];
          },
          due.because,
        );
      case 'review':
        return this.#enqueue(unit, reviewerFor(this.#parts.ledger.look, records, workUnitId), due);
      case 'apply':
        return this.#apply(unit, due.proposal.proposalId);
      case 'bring up to date':
        return this.#bringUpToDate(unit, due);
      case 'reconcile':
        return this.#reconcile(unit, due.conflictId);
      case 'end':
        return this.#record(
          unit,
          'NoOp',
          (change) => {
            moveUnit(change, records, workUnitId, due.to, due.reason);
            return [];
          },
          due.reason,
        );
      case 'block':
        return this.#record(
          unit,
          'NoOp',
          (change) => {
            change.run(workUnit, workUnitId, 'block', { reason: due.reason ?? null });
            return [];
          },
          due.reason ?? 'what it needs was taken up again',
        );
      case 'fail':
        return this.#record(unit, 'Escalate', (change) => {
          toDeadLetter(change, records, { workUnitId, kind: 'ReviewRejected', reason: due.reason });
          return [];
        });
    }
  }

  async #enqueue(unit: WorkUnit, profileId: string, review?: Extract<Due, { do: 'review' }>): Promise<void> {
    const { records } = this.#parts;
    const { workUnitId } = unit;
    const work = (change: Change): string[] => {
      if (review) change.run(mergeProposal, review.proposal.proposalId, 'move', { to: 'UnderReview' });
      // What was taken up again has its task still.
      const taskId = unit.status === 'Created' ? change.state(scheduledItem, workUnitId)?.taskId : undefined;
      const model = modelFor(change, records, workUnitId, profileId);
      enqueue(change, records, workUnitId, { profileId, taskId, ...model });
      return [workUnitId];
    };
    await this.#record(unit, 'Enqueue', work, review?.because);
  }

  /** Notes the choice on the unit, so that it is not asked again. */
  async #choose(unit: WorkUnit, { profileId: usual, among }: Extract<Due, { do: 'choose' }>): Promise<void> {
    const chosen = await this.#parts.chooseProfile(unit, among);
    if (!chosen) return;
    const { profileId = usual, reason } = chosen;
    const note = (change: Change): string[] => {
      change.run(workUnit, unit.workUnitId, 'note', { key: 'profileId', text: profileId });
      return [];
    };
    await this.#record(unit, 'NoOp', note, `${profileId} works on it: ${reason}`);
  }

  async #bringTogether(unit: WorkUnit): Promise<void> {
    const { records } = this.#parts;
    const { workUnitId, goal, bypassPromotionBranch } = unit;
    const { usePromotionBranch } = records.options.get(OPTIONS_ID) ?? DEFAULT_OPTIONS;
    const landed = records.proposals
      .where('landed', mergeBranchOf(workUnitId))
      .filter(({ status }) => status === 'Merged');
    const record = await propose(this.#parts, {
      workUnitId,
      goal,
      sourceBranch: mergeBranchOf(workUnitId),
      targetBranch: usePromotionBranch && !bypassPromotionBranch ? CANDIDATE : MAIN,
      summary: goal.split('\n')[0]!.slice(0, 200),
      changeDescription: landed.map(({ summary }) => `- ${summary}`).join('\n'),
      reconciledFrom: landed.map(({ proposalId }) => proposalId),
    });
    await this.#record(unit, 'AwaitReview', (change) => {
      const { proposalId, status, reviewNotes: reason = '' } = record(change);
      if (status === 'Rejected') {
        // Each part works alone but not together, and no agent has that for a task.
        this.#note(change, unit, 'PolicyBlocked', [proposalId], reason);
        toDeadLetter(change, records, { workUnitId, kind: 'ReviewRejected', reason });
      }
      return [proposalId];
    });
  }

  async #apply(unit: WorkUnit, proposalId: string): Promise<void> {
    // A proposal that has landed stays landed, whatever has become of the unit meanwhile.
    await apply(this.#parts, proposalId, (record) =>
      this.#parts.ledger.change(COORDINATOR, (change) => {
        this.#note(change, unit, 'ApplyMerge', [record(change).proposalId]);
      }),
    );
  }

  async #bringUpToDate(unit: WorkUnit, due: Extract<Due, { do: 'bring up to date' }>): Promise<void> {
    const { records, ledger } = this.#parts;
    const { conflictId, worker } = due;
    const found = records.conflicts.get(conflictId);
    if (!found) return;
    const choice = modelFor(ledger.look, records, unit.workUnitId, worker.profileId);
    const record = await bringUpToDate(this.#parts, found, { worker, choice });
    if (!record) return this.#reconcile(unit, conflictId);
    const queue = (change: Change): string[] | undefined => {
      if (!isUndecided(change, conflictId)) return undefined;
      record(change);
      return [unit.workUnitId];
    };
    const { proposalId, targetBranch, conflictingPaths } = found;
    const paths = namedPaths(conflictingPaths);
    await this.#record(
      unit,
      'Enqueue',
      queue,
      `${proposalId} and ${targetBranch} have both changed ${paths}: whoever proposed it brings it up to date`,
    );
  }

  async #reconcile(unit: WorkUnit, conflictId: string): Promise<void> {
    const { records, ledger } = this.#parts;
    const found = records.conflicts.get(conflictId);
    if (!found) return;
    const choice = modelFor(ledger.look, records, unit.workUnitId, 'reconciler');
    const record = await reconcile(this.#parts, found, { choice });
    await this.#record(unit, 'SpawnWorker', (change) =>
      isUndecided(change, conflictId) ? [record(change).workUnitId] : undefined,
    );
  }

  /** Runs one change together with its line in the orchestration log: what was seen, what was done. Where that was nothing there is no line. */
  async #record(
    unit: WorkUnit,
    action: Action,
    work: (change: Change) => string[] | undefined,
    reason?: string,
  ): Promise<void> {
    await this.#parts.ledger.change(COORDINATOR, (change) => {
      // Stale check: a person may have decided otherwise since; then it is looked at again.
      if (change.state(workUnit, unit.workUnitId)?.status !== unit.status) return;
      const done = work(change);
      if (done) this.#note(change, unit, action, done, reason);
    });
  }

  #note(change: Change, unit: WorkUnit, action: Action, spawnedIds: string[], reason?: string): void {
    const { workUnitId, status, currentStage = 'Orchestrate' } = unit;
    const eventId = change.newId('od-');
    change.run(orchestrationDecision, eventId, 'record', {
      eventId,
      workUnitId,
      orchestratorAgentId: COORDINATOR,
      inputStage: currentStage,
      action,
      spawnedIds,
      inputProjectionSnapshot: JSON.stringify({ status }),
      ...(reason === undefined ? {} : { reason }),
    });
  }

  /**
   * Gives up what cannot be done and would fail again: people see why, and say when to try again. What may pass by itself, such as
   * a git that is killed, is tried again after a while; so is everything after a restart.
   */
  async #giveUp(unit: WorkUnit, due: Due, { reason, message: why }: Rejection): Promise<void> {
    const { log, wall } = this.#parts;
    const { workUnitId } = unit;
    log({ level: 'info', message: 'what is due cannot be done', about: { workUnitId, due: due.do, why } });
    const again = async (): Promise<void> => {
      this.#resting.delete(workUnitId);
      this.#look(workUnitId);
    };
    const said = `${due.do}: ${why}`;
    // It is told once, however often it is tried.
    await this.#parts.ledger.change(COORDINATOR, (change) => {
      if (!this.#isTold(unit, said)) this.#note(change, unit, 'Escalate', [], said);
    });
    this.#resting.set(workUnitId, this.#standing(unit, due));
    if (mayPass(reason)) this.#agenda.put(`again ${workUnitId}`, wall.now() + AGAIN_MS, again);
  }

  /** What is due of a unit, and the last event by which that is decided; compared without times, because clocks jump. */
  #standing({ workUnitId }: WorkUnit, due: Due): string {
    const deciding: readonly string[] = [workUnit.name, orchestrationDecision.name, contribution.name];
    const { feed } = this.#parts.ledger;
    const newest = feed.ofWorkUnit(workUnitId).findLast(({ stored }) => deciding.includes(stored.aggregate));
    return `${due.do} ${newest?.number ?? ''}`;
  }

  /** Whether people were told of this cause, and nothing has happened to the unit since but further causes. */
  #isTold({ workUnitId }: WorkUnit, said: string): boolean {
    const { records, ledger } = this.#parts;
    for (const { stored } of ledger.feed.ofWorkUnit(workUnitId).toReversed()) {
      if (stored.aggregate === workUnit.name) return false;
      if (stored.aggregate !== orchestrationDecision.name) continue;
      const { action, reason = '' } = records.orchestrationDecisions.get(stored.id) ?? {};
      if (action !== 'Escalate') return false;
      if (withoutNumbers(reason) === withoutNumbers(said)) return true;
    }
    return false;
  }
}

/** Cause without what differs from one time to the next, such as the end of a limit or a commit. */
function withoutNumbers(said: string): string {
  return said.replace(/\b[0-9a-f]{40,64}\b|\d+/g, '0');
}

/** Whether nobody has decided of a conflict, or begun anything for it, while both sides were being merged. */
function isUndecided(change: Change, conflictId: string): boolean {
  return change.state(conflict, conflictId)?.status === 'Open';
}

/** Whether it may go another time. What a forge refuses, for want of a review there or of a right, people there can change unheard. */
function mayPass(reason: string): boolean {
  return (
    reason === 'reject.git_failed' ||
    reason.startsWith('reject.forge_') ||
    (isStudioReason(reason) && reasonRow(reason).retryable === true)
  );
}
