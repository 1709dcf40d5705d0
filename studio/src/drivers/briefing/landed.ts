/** Landed section: what the parts that this one builds on have changed, in short. Their summaries are among the facts of the record. */
import { type Fact, named } from './fact.js';

/** Changes of one part that are shown. */
export interface Landed {
  readonly proposalId: string;
  readonly summary: string;
  /** Their patch, cut where it is long. */
  readonly patch: string;
}

/** Bytes of all patches together. */
export const MOST_LANDED = 9000;

export function landedSection(landed: readonly Landed[]): Fact[] {
  return landed
    .filter(({ patch }) => patch !== '')
    .map(({ proposalId, summary, patch }) =>
      named('landed', `What landed before yours, in short (${proposalId}: ${summary}):\n${patch}`),
    );
}
