/** A room of a host that dies at a durable boundary: right before or right after something became durable. */
import type { EventRoom } from '../ledger/ledger.js';

export interface Life {
  /** After so many transactions it is over. */
  left: number;
  /** Whether the last one becomes durable. */
  readonly isLastKept: boolean;
  /** Called when it is over; nothing that was begun ever ends. */
  readonly onDeath: () => void;
}

export function mortal(room: EventRoom, life: Life): EventRoom {
  const never = <T>(): Promise<T> => new Promise(() => undefined);
  return {
    get: (key) => room.get(key),
    history: (from) => room.history(from),
    onCommit: (listener) => room.onCommit(listener),
    async transact(work, first) {
      if (life.left <= 0) return never();
      life.left -= 1;
      if (life.left > 0) return room.transact(work, first);
      if (life.isLastKept) await room.transact(work, first);
      life.onDeath();
      return never();
    },
  };
}
