/**
 * Follower of a room's log: what was written behind a position, page by page, and then as it comes. [RP5] to [RP7]
 *
 * It is a position and nothing else: no commit is kept for it, and each page is read from the room when somebody takes it.
 */
import type { Globs } from '../access/glob.js';
import type { LogPosition } from '../ports/cursor.js';
import { Rejection } from '../rejection.js';
import type { Room } from '../room/room.js';
import { type ReplayItem, writtenFrom } from './replay.js';

/** What was written between two positions, as far as it is told. */
export interface WrittenPage {
  readonly after: number;
  readonly position: LogPosition;
  readonly items: readonly ReplayItem[];
}

/** Nodes of a page. */
const MOST = 200;

export class FollowedLog {
  readonly #keyPrefix: string;
  /** What lies before has been told. */
  #after: number;
  /** What lies between was looked at, and nothing of it is for the reader. */
  #seen: number;

  constructor(after: number, keyPrefix = '') {
    this.#after = this.#seen = after;
    this.#keyPrefix = keyPrefix;
  }

  /** What comes next, for whoever may read such keys; undefined at the end of the log. */
  async next(room: Room, readable?: Globs): Promise<WrittenPage | undefined> {
    const request = { keyPrefix: this.#keyPrefix, limit: MOST };
    while (this.#seen < room.seq) {
      const { items, to } = await writtenFrom(room, this.#seen, request, readable);
      this.#seen = to;
      if (items.length === 0) continue;
      const after = this.#after;
      this.#after = to;
      return { after, position: positionAt(room, to), items };
    }
    return undefined;
  }
}

/** Throws where a position is not of the room's log: it is another room, or an older state of it. */
export function expectPosition(room: Room, { seq, node }: LogPosition): void {
  const cause = 'what was heard is of another room of that name, or came after the state that was restored';
  if (seq > room.seq)
    throw new Rejection('reject.checkpoint_not_found', `the log has ${room.seq} nodes, not ${seq}: ${cause}`);
  if (node !== undefined && seq > 0 && room.nodes.describe(seq - 1).nodeId !== node)
    throw new Rejection('reject.checkpoint_not_found', `the log has another node before position ${seq}: ${cause}`);
}

function positionAt(room: Room, seq: number): LogPosition {
  return seq === 0 ? { seq } : { seq, node: room.nodes.describe(seq - 1).nodeId };
}
