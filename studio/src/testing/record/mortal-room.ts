/** Rooms that fail: of a host that dies at a durable boundary, right before or right after something became durable; and of a full disk. */
import { StoreError } from '@weft/core';
import type { EventRoom } from '../../record/ledger/ledger.js';

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
    get seq() {
      return room.seq;
    },
    nodes: room.nodes,
    get: (key) => room.get(key),
    history: (from) => room.history(from),
    onCommit: (listener) => room.onCommit(listener),
    async transactMany(work) {
      if (life.left <= 0) return never();
      life.left -= 1;
      if (life.left > 0) return room.transactMany(work);
      // It dies all the same when there is no space for the last one.
      if (life.isLastKept) await room.transactMany(work).catch(() => undefined);
      life.onDeath();
      return never();
    },
  };
}

/** A room whose disk has no space left now and then: what was to be written then is not. */
export function nowAndThenFull(room: EventRoom, isFull: () => boolean): EventRoom {
  return {
    get seq() {
      return room.seq;
    },
    nodes: room.nodes,
    get: (key) => room.get(key),
    history: (from) => room.history(from),
    onCommit: (listener) => room.onCommit(listener),
    transactMany: (work) =>
      room.transactMany((write) =>
        work((writes) => {
          if (isFull()) throw new StoreError('full', 'no space is left');
          return write(writes);
        }),
      ),
  };
}
