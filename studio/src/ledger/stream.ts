/**
 * Where events live in a room: one key per event, `studio/<aggregate>/<id>/<n>` with n from 0 without gaps.
 *
 * Because a key is written once and never again, the log order of a stream is its number order, whoever reads it.
 */
import type { z } from 'zod';
import { refusal } from '../reasons.js';

const ROOT = 'studio';

export interface StoredEvent {
  readonly aggregate: string;
  readonly id: string;
  readonly position: number;
  readonly event: unknown;
}

/** What a prefix of a stream adds up to; `next` is the number of events in it. */
export interface Fold<State> {
  readonly state: State;
  readonly next: number;
}

export function streamPrefix(aggregate: string, id: string): string {
  return `${ROOT}/${aggregate}/${escapeSlashes(id)}`;
}

export function eventKey(prefix: string, position: number): string {
  return `${prefix}/${position}`;
}

/** Reads a write of a room's history as an event, or answers undefined when the key is not one of ours. */
export function storedEvent(key: string, value: unknown): StoredEvent | undefined {
  const [root, aggregate, id, number, ...rest] = key.split('/');
  if (root !== ROOT || aggregate === undefined || id === undefined || number === undefined) return undefined;
  if (rest.length > 0 || !/^(0|[1-9]\d{0,14})$/.test(number)) return undefined;
  return { aggregate, id: unescapeSlashes(id), position: Number(number), event: value };
}

/** Folds what follows a known prefix of a stream. */
export function foldStream<State, Event>(
  source: { readonly event: z.ZodType<Event>; readonly evolve: (state: State, event: Event) => State },
  prefix: string,
  from: Fold<State>,
  get: (key: string) => unknown,
): Fold<State> {
  let { state, next } = from;
  for (;;) {
    const key = eventKey(prefix, next);
    const value = get(key);
    if (value === undefined) return { state, next };
    const event = source.event.safeParse(value);
    // Deciding without knowing what happened would be a guess, so the stream is closed to commands until we understand it.
    if (!event.success) throw refusal('reject.event_not_understood', `cannot read the event at ${key}`, { key });
    state = source.evolve(state, event.data);
    next += 1;
  }
}

function escapeSlashes(id: string): string {
  return id.replaceAll('%', '%25').replaceAll('/', '%2F');
}

function unescapeSlashes(segment: string): string {
  return segment.replaceAll('%2F', '/').replaceAll('%25', '%');
}
