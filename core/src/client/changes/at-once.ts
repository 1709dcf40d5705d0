import { checkListener } from './listener.js';

/** Listeners that are told at once, in the order in which they were added. One that throws hurts nobody; its error surfaces. */
export class AtOnce<Event> {
  readonly #listeners = new Set<{ readonly tell: (event: Event) => void }>();

  /** Answers what ends it. */
  add(tell: (event: Event) => void): () => void {
    checkListener(tell);
    const own = { tell };
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  tell(event: Event): void {
    for (const { tell } of this.#listeners) callAlone(() => tell(event));
  }
}

/** Calls somebody else's function; what it throws surfaces later, by itself. */
export function callAlone(call: () => void): void {
  try {
    call();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
