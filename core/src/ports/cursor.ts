/** Cursor of a follower: where it keeps up to where it was told of a room's log. */
import type { NodeId } from '../graph/node.js';

/** Position in one log. The id says of which: another room of that name has another node there. */
export interface LogPosition {
  /** Nodes before it. */
  readonly seq: number;
  /** The last of these. */
  readonly node?: NodeId | undefined;
}

export interface Cursor {
  /** Undefined where nothing was noted: then all of the log is told. */
  read(): Promise<LogPosition | undefined>;
  /**
   * Called when everything before the position was taken. Who dies between the two is told the same once more; who has to hear
   * everything once keeps the position of a page with what he makes of it, and notes nothing here.
   */
  note(position: LogPosition): Promise<void>;
}
