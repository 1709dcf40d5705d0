/** What this host writes to a room, and what it is decided by. */
import type { BlobRef } from '../../crdt/registers.js';
import type { NodeId } from '../../graph/node.js';

/** One change of one register; `value: undefined` deletes the key. */
export interface Write {
  readonly key: string;
  readonly value: unknown;
}

/** The same with what another register holds, as it is. */
export interface HeldWrite {
  readonly key: string;
  readonly held: Uint8Array | BlobRef | undefined;
}

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
