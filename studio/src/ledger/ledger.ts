/**
 * The event store: it runs commands against streams of one core room and keeps the views up to date.
 *
 * A command is folded, decided and stored inside the room's write lane, so no other write can come between
 * what it saw and what it wrote; one command is one node. If the process dies before the node is durable,
 * nothing has happened; after it, the views are rebuilt from the log. `execute` resolves only when the views
 * have folded its events, so a read that follows a write sees it.
 */
import type { Entry, Room } from '@weft/core';
import type { Aggregate } from '../aggregates/aggregate.js';
import type { StudioLog } from '../log.js';
import { eventKey, foldStream, storedEvent, streamPrefix } from './stream.js';
import type { Fold, StoredEvent } from './stream.js';

/** A read model. `fold` is total and answers whether it could read the event. */
export interface View {
  readonly aggregate: string;
  fold(stored: StoredEvent): 'folded' | 'unreadable';
}

/** What the ledger needs of a room. */
export type EventRoom = Pick<Room, 'transact' | 'history' | 'onCommit'>;

const CACHED_STREAMS = 4096;

export class Ledger {
  readonly #room: EventRoom;
  readonly #views: readonly View[];
  readonly #log: StudioLog;
  readonly #folds = new Map<string, Fold<unknown>>();
  #unsubscribe: () => void = () => undefined;

  private constructor(room: EventRoom, views: readonly View[], log: StudioLog) {
    this.#room = room;
    this.#views = views;
    this.#log = log;
  }

  /** Folds the whole history into the views before it resolves, and every commit from then on. */
  static async open(room: EventRoom, views: readonly View[], log: StudioLog): Promise<Ledger> {
    const ledger = new Ledger(room, views, log);
    await ledger.#catchUp();
    return ledger;
  }

  async execute<State, Event, Commands, Facts, Name extends keyof Commands & string>(
    aggregate: Aggregate<State, Event, Commands, Facts>,
    id: string,
    command: Commands[Name] & { readonly type: Name },
    facts: Facts,
  ): Promise<{ readonly state: State; readonly events: readonly Event[] }> {
    const prefix = streamPrefix(aggregate.name, id);
    const known = this.#recall<State>(prefix) ?? { state: aggregate.initial, next: 0 };
    const { result } = await this.#room.transact((view) => {
      const before = foldStream(aggregate, prefix, known, (key) => view.get(key));
      const events = aggregate.decide[command.type](before.state, command, facts);
      return {
        writes: events.map((event, index) => ({ key: eventKey(prefix, before.next + index), value: event })),
        result: { before, events },
      };
    });
    const state = result.events.reduce(aggregate.evolve, result.before.state);
    this.#remember(prefix, { state, next: result.before.next + result.events.length });
    return { state, events: result.events };
  }

  close(): void {
    this.#unsubscribe();
    this.#folds.clear();
  }

  /**
   * Reads the log until nothing was committed while reading it, and only then goes live. Commits that arrive
   * meanwhile are not kept, they are read again, so a busy room costs time and never memory. Nothing is folded
   * twice: a commit is applied and told in one turn, so whatever is told later was not in the history.
   */
  async #catchUp(): Promise<void> {
    let live = false;
    let missed = true;
    this.#unsubscribe = this.#room.onCommit((commit) => {
      missed = true;
      if (live) for (const entry of commit.entries) this.#fold(entry);
    });
    let next = 0;
    while (missed) {
      missed = false;
      for await (const entry of this.#room.history(next)) {
        this.#fold(entry);
        next = entry.seq + 1;
      }
    }
    live = true;
  }

  #fold(entry: Entry): void {
    for (const write of entry.writes) {
      const stored = storedEvent(write.key, write.value);
      if (stored !== undefined) this.#foldInto(stored);
    }
  }

  #foldInto(stored: StoredEvent): void {
    for (const view of this.#views) {
      if (view.aggregate !== stored.aggregate) continue;
      if (view.fold(stored) === 'folded') continue;
      const { aggregate, id, position } = stored;
      this.#log({
        level: 'error',
        message: 'an event of a newer version was left out of a view',
        aggregate,
        id,
        position,
      });
    }
  }

  #recall<State>(prefix: string): Fold<State> | undefined {
    // The prefix names the aggregate, and an aggregate has one state type, so what was kept under it has that type.
    return this.#folds.get(prefix) as Fold<State> | undefined;
  }

  #remember(prefix: string, fold: Fold<unknown>): void {
    // Deleted first, so that the order of the map is the order of use. An older prefix would only cost reading more.
    this.#folds.delete(prefix);
    this.#folds.set(prefix, fold);
    if (this.#folds.size <= CACHED_STREAMS) return;
    const [oldest] = this.#folds.keys();
    if (oldest !== undefined) this.#folds.delete(oldest);
  }
}
