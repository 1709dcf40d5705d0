/** Commit feed of a room: its followers, each told of every commit once, in log order. */
import type { Commit } from './commit.js';

export class Commits {
  readonly #followers = new Set<(commit: Commit) => void>();
  readonly #onFault: (error: unknown) => void;

  constructor(onFault: (error: unknown) => void) {
    this.#onFault = onFault;
  }

  /** Answers what ends it. */
  follow(follower: (commit: Commit) => void): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  /** A follower that throws is a bug of that follower; the others and the room go on. */
  tell(commit: Commit): void {
    for (const follower of [...this.#followers]) {
      try {
        follower(commit);
      } catch (error) {
        this.#onFault(error);
      }
    }
  }
}
