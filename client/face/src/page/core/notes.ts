/** Notes: what actions have said lately. */
import { signal } from '@preact/signals';

export interface Note {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
  readonly more: readonly string[];
  /** Takes back what was done, where that can be. */
  readonly undo: (() => void) | undefined;
}

export const notes = signal<readonly Note[]>([]);
const SHOWN_MS = 6_000;
/** Time to think better of it. */
const UNDO_MS = 15_000;
const MOST_NOTES = 4;
let last = 0;

export function note(
  text: string,
  { isError = false, more = [], undo }: Partial<Pick<Note, 'isError' | 'more' | 'undo'>> = {},
): void {
  const id = ++last;
  notes.value = [...notes.value, { id, text, isError, more, undo }].slice(-MOST_NOTES);
  // An error stays until it is read.
  if (!isError) setTimeout(() => dismiss(id), undo ? UNDO_MS : SHOWN_MS);
}

/** Takes back what the newest note tells of that can be taken back, once. */
export function undoLast(): void {
  const found = notes.value.findLast(({ undo }) => undo !== undefined);
  if (found) takeBack(found);
}

export function takeBack({ id, undo }: Note): void {
  dismiss(id);
  undo?.();
}

export function dismiss(id: number): void {
  notes.value = notes.value.filter((one) => one.id !== id);
}
