/**
 * Speech: what agents say while they say it, as far as this browser has heard it. A text stands here until the record has it, and a
 * text whose beginning is not known begins with three dots. Bounded, since all of it is in the record later.
 */
import { signal, useComputed } from '@preact/signals';
import type { NumberedEvent, Spoken } from '@weft/studio-client';

const MOST_UNITS = 50;
const MOST_CHARACTERS = 32 * 1024;

/** By work unit, whoever spoke last at the end. */
const said = signal<ReadonlyMap<string, Spoken>>(new Map());

/** What the agent of a work unit says at this moment, or has just said. */
export function useSaid(workUnitId: string): Spoken | undefined {
  return useComputed(() => said.value.get(workUnitId)).value;
}

/** All that was heard, for a tab that has just been opened. */
export function allSaid(): readonly Spoken[] {
  return [...said.value.values()];
}

export function hear(pieces: readonly Spoken[]): void {
  const all = new Map(said.value);
  for (const piece of pieces) {
    const { workUnitId, logId, startsOver } = piece;
    const before = all.get(workUnitId);
    const begun = startsOver ? '' : before?.logId === logId ? before.text : '…';
    const text = begun + piece.text;
    const isLong = text.length > MOST_CHARACTERS;
    all.delete(workUnitId);
    all.set(workUnitId, { ...piece, text: isLong ? `…${text.slice(-MOST_CHARACTERS)}` : text, startsOver: true });
  }
  for (const oldest of all.keys()) {
    if (all.size <= MOST_UNITS) break;
    all.delete(oldest);
  }
  said.value = all;
}

/** Drops what was said in answers that have failed: the record will never have it. */
export function dropFailed(events: readonly NumberedEvent[]): void {
  const failed = events.flatMap(({ event: { kind, workUnitId } }) => (kind === 'ModelFailed' ? [workUnitId] : []));
  if (failed.length === 0) return;
  said.value = new Map([...said.value].filter(([workUnitId]) => !failed.includes(workUnitId)));
}

/** Drops everything: pieces may have been missed. */
export function dropAll(): void {
  said.value = new Map();
}
