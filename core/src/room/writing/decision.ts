/** A decision of this host: what it is made by, what it writes, and what became of it. */
import type { NodeId } from '../../graph/node.js';
import type { HeldWrite, Write } from '../state/write.js';

/** The room as a decision sees it: with all that is about to be written before. */
export interface RoomView {
  readonly seq: number;
  get(key: string): unknown;
}

export interface Decision<T> {
  readonly writes: readonly (Write | HeldWrite)[];
  readonly result: T;
}

export interface Transacted<T> {
  /** Nodes in the room's log, this one included. */
  readonly seq: number;
  /** Absent when nothing was written. */
  readonly nodeId?: NodeId;
  readonly result: T;
}

/** What this host writes around nodes that it takes. */
export interface Framing {
  /** One node, if there is anything. */
  readonly before: readonly Write[];
  /** A node each. */
  readonly behind: readonly (readonly (Write | HeldWrite)[])[];
  /** One more, if there is anything, by where the nodes have come to stand. */
  readonly last?: (placeOf: (id: NodeId) => number) => readonly Write[];
}
