/** Undo of one's own edits in a room: loaded by pages that take something back. */
import type { Undo, UndoOptions } from '@weft/core/client';
import { createUndo as ofReplica } from '@weft/core/bindings';
import type { Room } from './room.js';

/**
 * Takes back what is edited here from now on, over several texts, lists and values together, and nothing of others. Throws
 * before the room is ready.
 */
export function createUndo<Shape>(room: Room<Shape>, options: UndoOptions): Undo {
  return ofReplica(room.replica, options);
}
