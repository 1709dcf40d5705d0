/**
 * Rows of a room, as it is or as it was. Folding pauses often, so that one heavy build does not stop a room. [PJ6]
 *
 * The room as it is moves on meanwhile: what was written since a key was looked at is looked at again, until so little is
 * left that it is done in one piece. Rows and checkpoint are of one moment then.
 */
import { Pauses } from '../concurrency/pauses.js';
import type { NodeId } from '../graph/node.js';
import type { DocumentView } from '../room/reading/document-view.js';
import type { PastView } from '../room/reading/past.js';
import type { Room } from '../room/room.js';

/** What is kept by key of what a room holds. Looking at a key anew answers about how many bytes were looked at. */
export interface KeptByKey {
  look(key: string, view: DocumentView): number;
}

/** What rows were folded from. */
export interface Checkpoint {
  /** The log's length; absent where the past of some nodes is no beginning of the log. */
  readonly seq?: number | undefined;
  readonly hash: string;
  readonly frontier: readonly NodeId[];
}

/** Ops that are looked at in one piece. */
const LAST_OPS = 1024;
/** A room that is written to faster than it is read is waited for at last. */
const ROUNDS = 16;
/** Looking at a key costs about so many units of work, and one more for so many bytes of its value. */
const LOOK = 4;
const BYTES = 32;

/** Brings rows that stand at a log position up to the room as it is. */
export async function foldPresent(room: Room, rows: KeptByKey, from: number): Promise<Checkpoint> {
  const { present } = room.past;
  await present.prepareHash();
  const seq = await lookUpTo(room, rows, from, () => present.prepareHash());
  return { seq, hash: present.stateHash, frontier: room.heads.frontier };
}

/** Brings rows up to the room as it is when this resolves; answers the length of its log. `behind` runs after each round. */
export async function lookUpTo(
  room: Room,
  rows: KeptByKey,
  from: number,
  behind: () => Promise<void> = () => Promise.resolve(),
): Promise<number> {
  const { present } = room.past;
  let at = from;
  for (let round = 0; round < ROUNDS && room.written.opsIn(at, room.seq) > LAST_OPS; round++) {
    const end = room.seq;
    await lookAt(room, rows, present, at, end);
    at = end;
    await behind();
  }
  return lookAtRest(room, rows, at);
}

/** Brings rows up to the room as it is in one piece, for who has come almost as far. */
export function lookAtRest(room: Room, rows: KeptByKey, from: number): number {
  const keys = new Set<string>();
  room.written.collectKeys(from, room.seq, keys, Number.POSITIVE_INFINITY);
  for (const key of keys) rows.look(key, room.past.present);
  return room.seq;
}

export async function foldPast(room: Room, rows: KeptByKey, view: PastView): Promise<Checkpoint> {
  await lookAt(room, rows, view, 0, view.seq ?? room.seq);
  await view.prepareHash();
  return { seq: view.seq, hash: view.stateHash, frontier: view.frontier };
}

/** Keys that were written between two positions; those that the view does not know have no rows there. */
export async function lookAt(room: Room, rows: KeptByKey, view: DocumentView, from: number, to: number): Promise<void> {
  const pauses = new Pauses();
  const keys = new Set<string>();
  for (let at = from; at < to;) {
    at = room.written.collectKeys(at, to, keys, LAST_OPS);
    if (pauses.due(LAST_OPS)) await pauses.take();
  }
  for (const key of keys) {
    const bytes = rows.look(key, view);
    if (pauses.due(LOOK + bytes / BYTES)) await pauses.take();
  }
}
