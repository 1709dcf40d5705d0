/**
 * Bounded cache of one-event streams, of which there are ever more and old ones are rarely read: the newest are in memory, any
 * other is read from its room.
 */
import { Collection } from './collection.js';
import { eventKey, storedEvent } from './stream.js';

export class Newest<State, Event = unknown> extends Collection<State, Event> {
  /** Cached ids, oldest first. */
  readonly #ids = new Set<string>();
  readonly #most: number;
  #read: (key: string) => unknown = () => undefined;

  constructor(aggregate: Collection<State, Event>['aggregate'], most: number) {
    super(aggregate);
    this.#most = most;
  }

  /** Lookup by key in their room. */
  override readsFrom(read: (key: string) => unknown): void {
    this.#read = read;
  }

  override get(id: string): State | undefined {
    return super.get(id) ?? this.#stored(id);
  }

  override version(id: string): number {
    return super.version(id) || (this.#stored(id) === undefined ? 0 : 1);
  }

  protected override keptBeside(): readonly string[] {
    return [...this.#ids];
  }

  protected override restoreBeside(more: readonly string[]): void {
    for (const id of more) this.#ids.add(id);
  }

  protected override folded(id: string, _before: State | undefined, after: State | undefined): void {
    if (this.isAhead) return;
    this.#ids.delete(id);
    if (after === undefined) return;
    this.#ids.add(id);
    for (const oldest of this.#ids) {
      if (this.#ids.size <= this.#most) return;
      this.#ids.delete(oldest);
      this.forget(oldest);
    }
  }

  #stored(id: string): State | undefined {
    const key = eventKey(this.aggregate.name, id, 0);
    const value = this.#read(key);
    const stored = value === undefined ? undefined : storedEvent(key, value);
    const event = this.aggregate.event.safeParse(stored?.event);
    return stored && event.success ? this.aggregate.evolve(undefined, event.data, stored.meta) : undefined;
  }
}
