/**
 * Feed: every event of the workgroup except bookkeeping, in the order of this host's log. Numbers outlive restarts.
 *
 * Only the position of each event's node in the log is in memory. The newest events are cached; any other is read from the room
 * when it is asked for, so memory does not grow with what events say.
 */
import type { KeptFeed } from './image.js';
import type { StoredEvent } from './stream.js';

export interface FeedEntry {
  /** Number, from 1 without gaps. */
  readonly number: number;
  readonly stored: StoredEvent;
  /** Number of the causing event. */
  readonly causedBy?: number | undefined;
}

/** Reads the events of a node by its position in the log. */
export type ReadNode = (seq: number) => readonly StoredEvent[];

/** Cache size, for readers that are up to date or a little behind. */
export const MOST_AT_HAND = 4096;

export class Feed {
  readonly #read: ReadNode;
  /** Position in the log of each event's node. */
  readonly #seqs: number[] = [];
  /** Cached events by position, oldest first. */
  readonly #atHand = new Map<number, readonly FeedEntry[]>();
  #countAtHand = 0;
  /** Last node read: its events are asked for one after the other. */
  #asked: readonly FeedEntry[] = [];
  readonly #bySession = new Map<string, number[]>();
  readonly #byWorkUnit = new Map<string, number[]>();
  readonly #listeners = new Set<(entry: FeedEntry) => void>();

  constructor(read: ReadNode) {
    this.#read = read;
  }

  /** Number of the newest event. */
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

  /** Numbers of a session's events, oldest first. */
  numbersOfSession(sessionId: string): readonly number[] {
    return this.#bySession.get(sessionId) ?? [];
  }

  /** Numbers of some units' events, oldest first, which is the fastest order to read them. */
  numbersOfWorkUnits(workUnitIds: readonly string[]): readonly number[] {
    const [only, ...others] = workUnitIds.map((id) => this.#byWorkUnit.get(id) ?? []);
    return others.length === 0 ? (only ?? []) : [...(only ?? []), ...others.flat()].sort((a, b) => a - b);
  }

  countOfWorkUnit(workUnitId: string): number {
    return this.#byWorkUnit.get(workUnitId)?.length ?? 0;
  }

  /** Events after a number, oldest first. */
  after(number: number, most = Number.POSITIVE_INFINITY): FeedEntry[] {
    const count = Math.max(Math.min(most, this.last - number), 0);
    return this.#all(Array.from({ length: count }, (_, n) => number + n + 1));
  }

  /** Subscribes to new events, in order. What it answers unsubscribes. */
  onEvent(listener: (entry: FeedEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Appends the events of a node that was added to the log. */
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

  /** What is held now, for an image. */
  kept(): KeptFeed {
    return { seqs: [...this.#seqs], bySession: copied(this.#bySession), byWorkUnit: copied(this.#byWorkUnit) };
  }

  /** Takes what an image kept. */
  restore({ seqs, bySession, byWorkUnit }: KeptFeed): void {
    // One by one: more arguments than a call takes.
    for (const seq of seqs) this.#seqs.push(seq);
    for (const [id, numbers] of bySession) this.#bySession.set(id, numbers);
    for (const [id, numbers] of byWorkUnit) this.#byWorkUnit.set(id, numbers);
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

  /** Events with these numbers, which exist. */
  #all(numbers: readonly number[]): FeedEntry[] {
    return numbers.map((number) => this.get(number)!);
  }

  /** All events of the node of an existing event. */
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

/** Numbers the events of one node; causes are in the same node. */
function numbered(first: number, told: readonly StoredEvent[]): FeedEntry[] {
  const numbers = new Map(told.map(({ key }, n) => [key, first + n]));
  return told.map((stored, n) => ({
    number: first + n,
    stored,
    causedBy: stored.meta.cause === undefined ? undefined : numbers.get(stored.meta.cause),
  }));
}

function copied(lists: ReadonlyMap<string, readonly number[]>): KeptFeed['bySession'] {
  return [...lists].map(([id, numbers]) => [id, [...numbers]]);
}

function listIn(lists: Map<string, number[]>, key: string, number: number): void {
  const list = lists.get(key);
  if (list) list.push(number);
  else lists.set(key, [number]);
}
