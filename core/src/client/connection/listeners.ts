import { checkListener } from '../changes/listener.js';

/** Listeners of an event. A bug of one is its own: it surfaces, and what it is told of has happened all the same. */
export class Listeners<Event> {
  readonly #listeners = new Set<(event: Event) => void>();

  /** Answers what ends it. */
  add(listener: (event: Event) => void): () => void {
    checkListener(listener);
    const own = (event: Event): void => listener(event); // the same function may be added twice
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  tell(event: Event): void {
    for (const listener of this.#listeners) queueMicrotask(() => listener(event));
  }
}
