/** Cancellation registry: builds and tests under way, to be aborted when nobody needs their result any more. */
import { refusal } from '../../reasons.js';
import type { SpaceKey } from '../git/spaces/spaces.js';

export class UnderWay {
  readonly #all = new Map<AbortController, SpaceKey>();
  #isClosed = false;

  /**
   * Runs work that can be aborted; `work` throws the signal's reason then. `hasEnded` says whether it was no longer wanted
   * before it began.
   */
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
