/**
 * Moments of a simulated host: one goes by with everything that becomes durable, or when nothing is on its way to be. So what
 * happens between two of them is the same in every run, however fast the machine is.
 */
import type { EventRoom } from '../record/ledger/ledger.js';

export class Moments {
  #underWay = 0;
  #waiting: (() => void)[] = [];

  through(room: EventRoom): EventRoom {
    return {
      get seq() {
        return room.seq;
      },
      nodes: room.nodes,
      get: (key) => room.get(key),
      history: (from) => room.history(from),
      onCommit: (listener) => room.onCommit(listener),
      transactMany: async (work) => {
        this.#underWay += 1;
        try {
          return await room.transactMany(work);
        } finally {
          this.#underWay -= 1;
          const waiting = this.#waiting;
          this.#waiting = [];
          for (const resolve of waiting) resolve();
        }
      },
    };
  }

  async next(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
