/**
 * Laws of a simulated studio, each with a name by which a breach is told. They look at answers, at the feed and at the record as
 * its views show it.
 */
import type { Budgets } from '../../../studio/src/models/budgets.js';
import type { WorkUnitEvent } from '../../../studio/src/record/aggregates/work-unit/events.js';
import { type WorkUnit, evolve } from '../../../studio/src/record/aggregates/work-unit/state.js';
import { TRANSITIONS, isOver } from '../../../studio/src/record/aggregates/work-unit/status.js';
import type { FeedEntry } from '../../../studio/src/record/ledger/feed.js';
import type { Records } from '../../../studio/src/record/views/records.js';
import { isInScope } from '../../../studio/src/rules/branches/in-scope.js';
import { MAIN } from '../../../studio/src/rules/branches/stored-branch.js';
import type { MemoryDisk } from '../../../studio/src/testing/memory-git/memory-disk.js';

export const STUDIO_LAWS = {
  'answered-once': 'Every request is answered, once faults have stopped, or its process has died.',
  'twins-agree': 'Requests with one idempotency key are carried out once, and all are told the same.',
  'acknowledged-stays': 'What the feed has shown is there after a kill, in its order.',
  'same-after-restart': 'A record that is read from its log again is the record that was shown.',
  'table-of-states': 'Work units change their states by the table, and not otherwise.',
  'one-place': 'A work unit that is not over is in just one place.',
  'one-holder': 'An agent works on one unit, and a unit is worked on by one agent.',
  budgets: 'No goal, unit or agent costs more than it may.',
  rights: 'Who may only read changes nothing, and nobody does what his token is not for.',
  'secrets-stay': 'Keys of models are in no answer and in no room.',
  'nothing-waits': 'Nothing waits for ever: what is not over has something due, or waits for a person who is named.',
  'looked-at': 'What becomes due of a unit does so by an event after which its goal is looked at.',
  'landed-stays':
    'What has landed, and what people have committed, is in the history of their branch; nothing has landed outside of its scope.',
  attention: 'What the attention list names is so, and what waits for a person is in it.',
  'no-bugs': 'Nothing fails but what was made to fail.',
} as const;

export type StudioLaw = keyof typeof STUDIO_LAWS;

export class StudioBreach extends Error {
  override readonly name = 'StudioBreach';
  readonly law: StudioLaw;

  constructor(law: StudioLaw, why: string) {
    super(`${law}: ${why}`);
    this.law = law;
  }
}

/** Runs a check that throws when something is wrong. */
export function checked(law: StudioLaw, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (error instanceof StudioBreach) throw error;
    throw new StudioBreach(law, error instanceof Error ? error.message : String(error));
  }
}

/** Work units as their events say, one after the other. */
export class States {
  readonly #units = new Map<string, WorkUnit>();

  take({ stored }: FeedEntry): void {
    if (stored.aggregate !== 'work-unit') return;
    const before = this.#units.get(stored.id);
    const after = evolve(before, stored.event as WorkUnitEvent, stored.meta);
    if (!after) return;
    this.#units.set(stored.id, after);
    if (!before || before.status === after.status || TRANSITIONS[before.status].includes(after.status)) return;
    throw new StudioBreach('table-of-states', `${stored.id} went from ${before.status} to ${after.status}`);
  }

  get size(): number {
    return this.#units.size;
  }
}

export function checkHolders(records: Records): void {
  const holders = records.scheduledItems.where('place', 'leased').map(({ leasedBy }) => leasedBy);
  if (new Set(holders).size < holders.length)
    throw new StudioBreach('one-holder', `one agent has two of ${holders.join(', ')}`);
}

interface Item {
  readonly kind: string;
  readonly id: string;
}

/** What the list says against what a person would find by looking at every question and every failure. */
export function checkAttention(records: Records, items: readonly Item[]): void {
  const isWanted = (workUnitId: string): boolean => {
    const unit = records.workUnits.get(workUnitId);
    return unit !== undefined && !isOver(unit.status);
  };
  const idsOf = (kind: string): string[] => items.filter((item) => item.kind === kind).map(({ id }) => id);
  const open = records.clarifications.all().filter(({ status }) => status === 'open');
  const asked = open.filter(({ workUnitId }) => isWanted(workUnitId)).map(({ requestId }) => requestId);
  const failures = records.deadLetters.all().filter(({ resolution }) => resolution === undefined);
  const failed = failures.filter(({ workUnitId }) => isWanted(workUnitId)).map(({ entryId }) => entryId);
  for (const [kind, ids] of [
    ['answer', asked],
    ['failed', failed],
  ] as const) {
    const listed = idsOf(kind);
    const missing = ids.find((id) => !listed.includes(id));
    if (missing !== undefined) throw new StudioBreach('attention', `${kind} of ${missing} is not in the list`);
    const surplus = listed.find((id) => !ids.includes(id));
    if (surplus !== undefined) throw new StudioBreach('attention', `${kind} of ${surplus} is in the list`);
  }
}

/** Every landing against the user's repository as it is. */
export function checkLanded(
  { proposals, workUnits }: Records,
  { history, tip }: Pick<MemoryDisk, 'history' | 'tip'>,
  folder: string,
  byPeople: readonly string[],
): void {
  const there = new Set(history(folder));
  const lost = byPeople.find((commit) => !there.has(commit));
  if (lost !== undefined) throw new StudioBreach('landed-stays', `a person's ${lost} is not in ${tip(folder)}`);
  for (const {
    proposalId,
    status,
    appliedTo,
    resultCommit,
    workUnitId = '',
    filesTouched,
    ...rest
  } of proposals.all()) {
    if (status !== 'Merged') continue;
    if (appliedTo === MAIN && (resultCommit === undefined || !there.has(resultCommit)))
      throw new StudioBreach('landed-stays', `${resultCommit} of ${proposalId} is not in ${tip(folder)}`);
    const { fileScope = [] } = workUnits.get(workUnitId) ?? {};
    const outside =
      rest.reconciledFrom.length > 0 ? undefined : filesTouched.find((path) => !isInScope(fileScope, path));
    if (outside !== undefined)
      throw new StudioBreach('landed-stays', `${proposalId} has landed ${outside}, which is outside of its scope`);
  }
}

/** What they may cost. */
export const BUDGETS: Budgets = { goal: { tokens: 150_000 }, unit: { turns: 15 }, agent: { tokens: 90_000 } };
