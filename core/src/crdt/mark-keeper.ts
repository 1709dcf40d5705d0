/** What a text asks whoever knows of its marks, where somebody has asked for them: most texts have none. */
import type { TextDelta } from './delta.js';
import type { ElementNumber } from './elements.js';
import type { Marking } from './mark-runs.js';
import type { Mark, WrittenMark } from './marks.js';
import type { Moved, Run } from './runs.js';

/** A mark that was written, what it said, and what was said of its characters before. */
export interface MarkStep {
  readonly mark: Mark;
  readonly after: Uint8Array | undefined;
  readonly before: { runs: readonly Run[]; readonly value: Uint8Array | undefined }[];
}

/** What is said of elements that were deleted. */
export interface HeldMarks extends Run {
  readonly marks: Marking;
}

export interface MarkKeeper {
  /** Deleted element at a position behind which something belongs that is typed there. */
  behind(position: number): ElementNumber | undefined;
  /** A delta with what became of marks since the last. Texts whose marks were written are known where it says what became of elements. */
  marked(delta: TextDelta, written?: { has(key: number): boolean }): TextDelta;
  /** From here on deltas tell what becomes of the marks as they are now. */
  refresh(): void;
  /** What marks of one batch have changed. */
  stepsOf(written: readonly WrittenMark[]): readonly MarkStep[];
  /** Writes what was there before, where a mark still says what the characters are. */
  invert(steps: readonly MarkStep[]): void;
  /** Marks of deleted elements, as they were before those of a batch were written. */
  heldBy(runs: readonly Run[], written?: readonly WrittenMark[]): readonly HeldMarks[];
  /** Gives elements the marks that those held for which they stand, and what others have said of these since. */
  give(held: readonly HeldMarks[], present: readonly HeldMarks[], moved: readonly Moved[]): void;
}
