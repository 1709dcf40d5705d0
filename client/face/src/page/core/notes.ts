/** Notes: what actions have said lately. */
import { signal } from '@preact/signals';

export interface Note {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
  readonly more: readonly string[];
}

export const notes = signal<readonly Note[]>([]);
const SHOWN_MS = 6_000;
const MOST_NOTES = 4;
let last = 0;

export function note(text: string, isError = false, more: readonly string[] = []): void {
  const id = ++last;
  notes.value = [...notes.value, { id, text, isError, more }].slice(-MOST_NOTES);
  // An error stays until it is read.
  if (!isError) setTimeout(() => dismiss(id), SHOWN_MS);
}

export function dismiss(id: number): void {
  notes.value = notes.value.filter((one) => one.id !== id);
}
