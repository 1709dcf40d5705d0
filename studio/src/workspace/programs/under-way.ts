/** Builds and tests under way, so that they can be stopped when nobody needs to know any more what they show. */
import { refusal } from '../../reasons.js';
import type { SpaceKey } from '../git/spaces.js';

export class UnderWay {
  readonly #all = new Map<AbortController, SpaceKey>();
  #isClosed = false;

  /** `work` throws what the signal says when it is stopped. `hasEnded` is whether that had come before it could begin. */
  async run<T>(key: SpaceKey, work: (signal: AbortSignal) => Promise<T>, hasEnded = () => false): Promise<T> {
    const one = new AbortController();
    if (this.#isClosed) one.abort(stopping());
    else if (hasEnded()) one.abort(over(key));
    this.#all.set(one, key);
    try {
      return await work(one.signal);
    } finally {
      this.#all.delete(one);
    }
  }

  stop({ repositoryId, branchId }: SpaceKey): void {
    for (const [one, key] of this.#all)
      if (key.repositoryId === repositoryId && key.branchId === branchId) one.abort(over(key));
  }

  close(): void {
    this.#isClosed = true;
    for (const one of this.#all.keys()) one.abort(stopping());
  }
}

function over({ branchId }: SpaceKey): Error {
  return refusal('reject.execution_stopped', `the work on ${branchId} is over`, { branchId });
}

function stopping(): Error {
  return refusal('reject.stopping', 'the host is shutting down');
}
