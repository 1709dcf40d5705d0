/**
 * Collection: in-memory fold of all streams of one aggregate, by id and by its indexes. Disposable; at every start it is folded
 * from the log, or comes from an image and is folded from there on.
 */
import type { Aggregate } from '../aggregates/aggregate.js';
import { type Held, HeldInImage, type Kept, chunksOf } from './kept.js';
import type { StoredEvent } from './stream.js';

type Keys = string | readonly string[] | undefined;

/** Index changes of speculative folds: what left the list of a key, and what was appended to it. */
interface Moves {
  readonly gone: Set<string>;
  readonly come: Set<string>;
}

/** Speculative state, folded ahead of what is durable. */
interface Ahead {
  /** Index changes by index and key. The lists themselves stay, so a rollback restores every position. */
  readonly moves: Map<string, Moves>;
  /** Undo log of all other steps. */
  readonly back: (() => void)[];
}

/** Subscriber of the ledger, called for each event in log order. Answers whether it could read the event. */
export interface Follower {
  readonly aggregate: { readonly name: string; readonly quiet?: true };
  fold(stored: StoredEvent): 'folded' | 'unreadable';
}

/** Untyped collection, as the ledger uses it. */
export interface Streams extends Follower {
  readonly aggregate: Follower['aggregate'] & { readonly room: 'workgroup' | 'local' };
  /** Folds speculatively, for the decisions that follow; `takeBack` must follow in the same turn of the event loop. */
  foldAhead(stored: StoredEvent): void;
  takeBack(): void;
  /** Forgets a stream, as if none of it had been folded. */
  forget(id: string): void;
  get(id: string): unknown;
  version(id: string): number;
  /** Events of a stream that are folded and held in memory; what is only in the room does not count. */
  held(id: string): number;
  closedBy(id: string): string | undefined;
  /** Receives, before anything is folded, the lookup by key in the room of these streams. */
  readsFrom(read: (key: string) => unknown): void;
  /** What is held now, for an image. */
  kept(): Kept;
  /** Takes what an image kept, in place of folding it. */
  restore(kept: Kept): void;
}

export class Collection<State, Event = unknown, Index extends string = never> implements Streams {
  readonly aggregate: Aggregate<State, Event>;
  readonly #held = new Map<string, Held<State>>();
  /** Streams with an event of a newer version, which take no decisions. */
  readonly #closed = new Map<string, string>();
  readonly #keysOf: Readonly<Record<Index, (state: State) => Keys>>;
  readonly #indexes = new Map<string, Map<string, Set<string>>>();
  /** Replaced, not cleared: a map that is cleared again and again drags all that it ever held through the garbage collector. */
  #ahead: Ahead | undefined;

  constructor(
    aggregate: Aggregate<State, Event>,
    ...indexes: [Index] extends [never] ? [] : [Readonly<Record<Index, (state: State) => Keys>>]
  ) {
    this.aggregate = aggregate;
    // Without index names there are no indexes.
    this.#keysOf = (indexes[0] ?? {}) as Readonly<Record<Index, (state: State) => Keys>>;
    for (const name of Object.keys(this.#keysOf)) this.#indexes.set(name, new Map());
  }

  get(id: string): State | undefined {
    return this.#held.get(id)?.state;
  }

  /** Version of a stream: its number of events; 0 where it is unknown. */
  version(id: string): number {
    return this.held(id);
  }

  held(id: string): number {
    return this.#held.get(id)?.version ?? 0;
  }

  /** Key of the event that this version of the studio cannot read, if there is one. */
  closedBy(id: string): string | undefined {
    return this.#closed.get(id);
  }

  /** All states, oldest first. */
  all(): State[] {
    const found: State[] = [];
    for (const { state } of this.#held.values()) if (state !== undefined) found.push(state);
    return found;
  }

  /** States that an index lists under a key, in the order of insertion. */
  where(index: Index, key: string): State[] {
    const ids = [...(this.#indexes.get(index)?.get(key) ?? [])];
    const moves = this.#ahead?.moves.get(movesKey(index, key));
    const listed = moves ? [...ids.filter((id) => !moves.gone.has(id)), ...moves.come] : ids;
    return listed.flatMap((id) => this.get(id) ?? []);
  }

  fold({ key, id, position, event: raw, meta }: StoredEvent): 'folded' | 'unreadable' {
    const held = this.#held.get(id);
    const event = this.aggregate.event.safeParse(raw);
    if (!event.success || this.#closed.has(id)) {
      if (!this.#closed.has(id)) this.#close(id, key);
      return 'unreadable';
    }
    // The ledger delivers events in the order of their numbers.
    const state = this.aggregate.evolve(held?.state, event.data, meta);
    this.#held.set(id, { state, version: position + 1 });
    this.changed(() => (held ? this.#held.set(id, held) : this.#held.delete(id)));
    this.#index(id, held?.state, state);
    this.folded(id, held?.state, state);
    return 'folded';
  }

  foldAhead(stored: StoredEvent): void {
    this.#ahead ??= { moves: new Map(), back: [] };
    this.fold(stored);
  }

  takeBack(): void {
    for (const step of this.#ahead?.back.reverse() ?? []) step();
    this.#ahead = undefined;
  }

  /** Whether the present fold is speculative. */
  protected get isAhead(): boolean {
    return this.#ahead !== undefined;
  }

  /** Adds to the undo log, for what a subclass keeps beyond the indexes. */
  protected changed(back: () => void): void {
    this.#ahead?.back.push(back);
  }

  readsFrom(_read: (key: string) => unknown): void {}

  forget(id: string): void {
    const before = this.#held.get(id)?.state;
    this.#closed.delete(id);
    this.#held.delete(id);
    this.#index(id, before, undefined);
    this.folded(id, before, undefined);
  }

  kept(): Kept {
    const ids = [...this.#held.keys()];
    const held = [...this.#held.values()];
    const at = new Map(ids.map((id, n) => [id, n]));
    const indexes = [...this.#indexes].map(([index, lists]) => {
      const listed = [...lists].filter(([, listedIds]) => listedIds.size > 0);
      return [
        index,
        listed.map(([key, listedIds]) => [key, [...listedIds].map((id) => at.get(id)!)] as const),
      ] as const;
    });
    const more = this.keptBeside();
    return {
      ids,
      versions: held.map(({ version }) => version),
      closed: [...this.#closed],
      indexes,
      ...(more === undefined ? {} : { more }),
      chunks: chunksOf(held),
    };
  }

  restore(kept: Kept): void {
    const { ids, closed, indexes, more } = kept;
    for (const [at, id] of ids.entries()) this.#held.set(id, new HeldInImage(kept, at));
    for (const [id, key] of closed) this.#closed.set(id, key);
    for (const [name, lists] of indexes)
      for (const [key, listed] of lists) this.#indexes.get(name)?.set(key, new Set(listed.map((at) => ids[at]!)));
    if (more !== undefined) this.restoreBeside(more);
  }

  /** What a subclass keeps beyond the indexes, as JSON. */
  protected keptBeside(): unknown {
    return undefined;
  }

  protected restoreBeside(_more: unknown): void {}

  /** Hook after each fold, for what a subclass keeps beyond the indexes. */
  protected folded(_id: string, _before: State | undefined, _after: State | undefined): void {}

  #index(id: string, before: State | undefined, after: State | undefined): void {
    for (const [name, index] of this.#indexes) {
      const keysOf = this.#keysOf[name as Index];
      const old = before === undefined ? [] : listed(keysOf(before));
      const now = after === undefined ? [] : listed(keysOf(after));
      for (const key of old) if (!now.includes(key)) this.#unlist(name, index, key, id);
      for (const key of now) this.#list(name, index, key, id);
    }
  }

  #list(name: string, index: Map<string, Set<string>>, key: string, id: string): void {
    const ids = index.get(key) ?? new Set();
    if (!this.#ahead) index.set(key, ids.add(id));
    else {
      const { gone, come } = movesOf(this.#ahead, name, key);
      if (!ids.has(id) || gone.has(id)) come.add(id);
    }
  }

  #unlist(name: string, index: Map<string, Set<string>>, key: string, id: string): void {
    const ids = index.get(key);
    if (!this.#ahead) ids?.delete(id);
    else {
      const { gone, come } = movesOf(this.#ahead, name, key);
      if (!come.delete(id) && ids?.has(id)) gone.add(id);
    }
  }

  #close(id: string, key: string): void {
    this.#closed.set(id, key);
    this.changed(() => this.#closed.delete(id));
  }
}

function movesOf({ moves }: Ahead, index: string, key: string): Moves {
  const known = moves.get(movesKey(index, key)) ?? { gone: new Set(), come: new Set() };
  moves.set(movesKey(index, key), known);
  return known;
}

function movesKey(index: string, key: string): string {
  return `${index}\n${key}`;
}

function listed(keys: Keys): readonly string[] {
  if (keys === undefined) return [];
  return typeof keys === 'string' ? [keys] : keys;
}
