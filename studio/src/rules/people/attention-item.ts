/** Item of the attention list: what one thing that needs a person looks like, and what it holds up. */
import type { Clarification } from '../../record/aggregates/clarification/clarification.js';
import { isOver } from '../../record/aggregates/work-unit/status.js';
import type { Records } from '../../record/views/records.js';

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

/** Units that are not over and go on only after this one: those that need it, and those that it is a part of; in turn, theirs. */
export function heldUpBy(records: Records, workUnitId: string): string[] {
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

export function isOpen(records: Records, workUnitId: string): boolean {
  const unit = records.workUnits.get(workUnitId);
  return unit !== undefined && !isOver(unit.status);
}

export function action(
  operation: string,
  input: Readonly<Record<string, unknown>>,
  ...asks: string[]
): AttentionAction {
  return { operation, input, asks };
}

/** The first of some names, and how many more there are. */
export function listOf(names: readonly string[]): string {
  const [first = 'nothing', ...rest] = names;
  return rest.length === 0 ? first : `${first} and ${rest.length} more`;
}
