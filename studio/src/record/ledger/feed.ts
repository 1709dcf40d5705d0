/**
 * Every event of the workgroup in the order of this host's log, without bookkeeping. Its number outlives restarts.
 *
 * Of each event only the place of its node in the log is kept. The newest are at hand; any other is read from the room again
 * when it is asked for, so what the feed takes does not grow with what events say.
 */
import type { StoredEvent } from './stream.js';

export interface FeedEntry {
  /** From 1, without gaps. */
  readonly number: number;
  readonly stored: StoredEvent;
  /** Number of the event that it follows from. */
  readonly causedBy?: number | undefined;
}

/** The events that a node of the log has told. */
export type ReadNode = (seq: number) => readonly StoredEvent[];

/** Those who are up to date, and those who are a little behind, find here what they ask for. */
export const MOST_AT_HAND = 4096;

export class Feed {
  readonly #read: ReadNode;
  /** Of each event, the place of its node. */
  readonly #seqs: number[] = [];
  /** By place, oldest first. */
  readonly #atHand = new Map<number, readonly FeedEntry[]>();
  #countAtHand = 0;
  /** The node that was read last: its events are asked for one after the other. */
  #asked: readonly FeedEntry[] = [];
  readonly #bySession = new Map<string, number[]>();
  readonly #byWorkUnit = new Map<string, number[]>();
  readonly #listeners = new Set<(entry: FeedEntry) => void>();

  constructor(read: ReadNode) {
    this.#read = read;
  }

  /** The number of the newest event. */
  get last(): number {
    return this.#seqs.length;
  }

  get(number: number): FeedEntry | undefined {
    if (this.#seqs[number - 1] === undefined) return undefined;
    const node = this.#nodeOf(number);
    return node[number - node[0]!.number];
  }

  ofSession(sessionId: string): FeedEntry[] {
    return this.#all(this.numbersOfSession(sessionId));
  }

  ofWorkUnit(workUnitId: string): FeedEntry[] {
    return this.#all(this.numbersOfWorkUnits([workUnitId]));
  }

  /** Of those of a session, oldest first. */
  numbersOfSession(sessionId: string): readonly number[] {
    return this.#bySession.get(sessionId) ?? [];
  }

  /** Of those of some units, oldest first: in this order they are read soonest. */
  numbersOfWorkUnits(workUnitIds: readonly string[]): readonly number[] {
    const [only, ...others] = workUnitIds.map((id) => this.#byWorkUnit.get(id) ?? []);
    return others.length === 0 ? (only ?? []) : [...(only ?? []), ...others.flat()].sort((a, b) => a - b);
  }

  countOfWorkUnit(workUnitId: string): number {
    return this.#byWorkUnit.get(workUnitId)?.length ?? 0;
  }

  /** Those behind a number, oldest first. */
  after(number: number, most = Number.POSITIVE_INFINITY): FeedEntry[] {
    const count = Math.max(Math.min(most, this.last - number), 0);
    return this.#all(Array.from({ length: count }, (_, n) => number + n + 1));
  }

  /** Called once for each event that comes, in order. */
  onEvent(listener: (entry: FeedEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What a node tells that has become part of the log. */
  append(seq: number, told: readonly StoredEvent[]): void {
    const entries = numbered(this.last + 1, told);
    for (const { number, stored } of entries) {
      this.#seqs.push(seq);
      const { sessionId, workUnitId } = stored.meta;
      if (sessionId !== undefined) listIn(this.#bySession, sessionId, number);
      if (workUnitId !== undefined) listIn(this.#byWorkUnit, workUnitId, number);
    }
    if (entries.length > 0) this.#keep(seq, entries);
    for (const entry of entries) for (const listener of this.#listeners) listener(entry);
  }

  #keep(seq: number, entries: readonly FeedEntry[]): void {
    this.#atHand.set(seq, entries);
    this.#countAtHand += entries.length;
    for (const [oldest, { length }] of this.#atHand) {
      if (this.#countAtHand <= MOST_AT_HAND) return;
      this.#atHand.delete(oldest);
      this.#countAtHand -= length;
    }
  }

  /** Those with these numbers, which are there. */
  #all(numbers: readonly number[]): FeedEntry[] {
    return numbers.map((number) => this.get(number)!);
  }

  /** All that was told with an event that is there. */
  #nodeOf(number: number): readonly FeedEntry[] {
    const seq = this.#seqs[number - 1]!;
    const known = this.#atHand.get(seq);
    if (known) return known;
    let first = number;
    while (this.#seqs[first - 2] === seq) first--;
    if (this.#asked[0]?.number !== first) this.#asked = numbered(first, this.#read(seq));
    return this.#asked;
  }
}

/** What an event follows from was told with it. */
function numbered(first: number, told: readonly StoredEvent[]): FeedEntry[] {
  const numbers = new Map(told.map(({ key }, n) => [key, first + n]));
  return told.map((stored, n) => ({
    number: first + n,
    stored,
    causedBy: stored.meta.cause === undefined ? undefined : numbers.get(stored.meta.cause),
  }));
}

function listIn(lists: Map<string, number[]>, key: string, number: number): void {
  const list = lists.get(key);
  if (list) list.push(number);
  else lists.set(key, [number]);
}
