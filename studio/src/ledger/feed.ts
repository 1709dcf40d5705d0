/** Every event of the workgroup in the order of this host's log, without bookkeeping. Its number outlives restarts. */
import type { StoredEvent } from './stream.js';

export interface FeedEntry {
  /** From 1, without gaps. */
  readonly number: number;
  readonly stored: StoredEvent;
}

export class Feed {
  readonly #entries: FeedEntry[] = [];
  readonly #byKey = new Map<string, FeedEntry>();
  readonly #bySession = new Map<string, FeedEntry[]>();
  readonly #byWorkUnit = new Map<string, FeedEntry[]>();
  readonly #listeners = new Set<(entry: FeedEntry) => void>();

  /** The number of the newest event. */
  get last(): number {
    return this.#entries.length;
  }

  get(number: number): FeedEntry | undefined {
    return this.#entries[number - 1];
  }

  withKey(key: string): FeedEntry | undefined {
    return this.#byKey.get(key);
  }

  ofSession(sessionId: string): readonly FeedEntry[] {
    return this.#bySession.get(sessionId) ?? [];
  }

  ofWorkUnit(workUnitId: string): readonly FeedEntry[] {
    return this.#byWorkUnit.get(workUnitId) ?? [];
  }

  /** Those behind a number, oldest first. */
  after(number: number, most = Number.POSITIVE_INFINITY): readonly FeedEntry[] {
    return this.#entries.slice(number, number + most);
  }

  /** Called once for each event that comes, in order. */
  onEvent(listener: (entry: FeedEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  append(stored: StoredEvent): void {
    const entry = { number: this.#entries.length + 1, stored };
    this.#entries.push(entry);
    this.#byKey.set(stored.key, entry);
    const { sessionId, workUnitId } = stored.meta;
    if (sessionId !== undefined) listIn(this.#bySession, sessionId, entry);
    if (workUnitId !== undefined) listIn(this.#byWorkUnit, workUnitId, entry);
    for (const listener of this.#listeners) listener(entry);
  }
}

function listIn(lists: Map<string, FeedEntry[]>, key: string, entry: FeedEntry): void {
  const list = lists.get(key);
  if (list) list.push(entry);
  else lists.set(key, [entry]);
}
