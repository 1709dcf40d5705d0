/**
 * Deletions of rooms: the room's log goes first, in one step that leaves a tombstone, and with that it is decided. What else belongs
 * to the room goes after that. What is to be done is noted before in the host's own room, and finished by the next host on this
 * store where the process ended in between; the notes stay, as the record of who has deleted what. [DE1]
 */
import { z } from 'zod';
import type { Deleted } from '../contract/context.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import type { Released } from '../ports/blob-store.js';
import type { Clock } from '../ports/clock.js';
import type { Speaker } from '../access/word.js';
import type { NodeLog, Store } from '../ports/store.js';
import { Rejection } from '../rejection.js';
import { genesisIn } from '../room/keeping/opening.js';
import { makeTombstone, readTombstone } from '../room/keeping/tombstone.js';
import type { Room } from '../room/room.js';

/** Prefix of keys in the room in which a host keeps what concerns itself. */
const NOTES = 'audit/room.delete/';
/** Bytes of blobs that came so lately may be on their way into another room. */
const FRESH_MS = 60 * 60_000;
const NOTHING: Released = { blobs: 0, bytes: 0 };

const Note = z.object({
  room: z.string(),
  genesis: z.string(),
  by: z.string(),
  /** Unix milliseconds. */
  at: z.number(),
  until: z.number(),
  seq: z.number(),
  state: z.enum(['begun', 'done']),
});
type Note = z.output<typeof Note>;

export interface DeletionParts {
  readonly store: Store;
  readonly clock: Clock;
  /** How long nobody may begin another room of that name; 0: never. */
  readonly tombstoneMs: number;
  /** Sees to it that a room has the blobs that it began with. */
  readonly settle: (id: RoomId) => Promise<void>;
  /** Who speaks for this host in a room that is not open, and may be gone. */
  readonly speakerIn: (id: RoomId) => Promise<Speaker>;
  readonly onFault: (error: unknown, where: { readonly room?: string }) => void;
}

export class Deletions {
  readonly #parts: DeletionParts;
  #reclaiming: Promise<void> | undefined;
  #isReclaimDue = false;

  constructor(parts: DeletionParts) {
    this.#parts = parts;
  }

  /**
   * Rejects for a name under which a room was deleted, as long as its tombstone says. False where the name is free from here on: what
   * was read ahead of it holds no more.
   */
  async check(id: RoomId, log: Pick<NodeLog, 'remains'> = this.#parts.store.log): Promise<boolean> {
    const { store, clock } = this.#parts;
    const remains = await log.remains(id);
    if (!remains?.isBarred) return true;
    const { until } = readTombstone(remains.tombstone);
    if (until === 0 || clock.now() < until) throw roomDeleted(id, remains.tombstone);
    await store.images.remove(id); // it may be there still, and the next room of that name is another one
    await store.log.unbar(id);
    return false;
  }

  /** Whether a room that is open was deleted, by another host on this store. */
  async isDeleted(id: RoomId): Promise<boolean> {
    return (await this.#parts.store.log.remains(id))?.isBarred ?? false;
  }

  /** Deletes a room that nobody is in. `own` is the room of the host itself. */
  async run(own: Room, room: Room, by: string): Promise<Deleted> {
    const { clock, tombstoneMs } = this.#parts;
    const at = clock.now();
    const until = tombstoneMs === 0 ? 0 : at + tombstoneMs;
    const note: Note = { room: room.id, genesis: room.genesis.id, by, at, until, seq: room.seq, state: 'begun' };
    await own.set(keyOf(note), note);
    return this.#carryOut(own, note, room.speaker);
  }

  /** Finishes what a process before this one had begun. */
  async finish(own: Room): Promise<void> {
    for (const [, value] of [...own.entries(NOTES)]) {
      const note = Note.safeParse(value).data;
      if (note?.state === 'begun') await this.#finish(own, note);
    }
  }

  /** One that cannot be finished keeps nobody from other rooms. */
  async #finish(own: Room, note: Note): Promise<void> {
    try {
      await this.#carryOut(own, note, await this.#parts.speakerIn(note.room as RoomId));
    } catch (error) {
      this.#parts.onFault(error, { room: note.room });
    }
  }

  async #carryOut(own: Room, note: Note, speaker: Speaker): Promise<Deleted> {
    const { log } = this.#parts.store;
    const { genesis, by, at, until, seq } = note;
    const id = note.room as RoomId;
    const present = await genesisIn(log, id);
    const isAnother = present !== undefined && present !== genesis; // the name was free again by then
    const made = await makeTombstone({ room: id, genesis, seq, at, until, by }, speaker);
    const isRemoved = !isAnother && (await log.remove(id, made));
    const tombstone = isRemoved ? made : ((await log.remains(id))?.tombstone ?? made);
    const released = await this.#clear(own, note, isAnother);
    this.#reclaim();
    return { genesis, seq, at, until, tombstone, released };
  }

  /** What belongs to a room whose log is gone. The room is deleted whether this can be done or not: the next host tries again. */
  async #clear(own: Room, note: Note, isAnother: boolean): Promise<Released> {
    const id = note.room as RoomId;
    try {
      if (!isAnother) await this.#parts.store.images.remove(id);
      const released = isAnother ? NOTHING : await this.#releaseBlobs(id);
      await own.set(keyOf(note), { ...note, state: 'done' });
      return released;
    } catch (error) {
      this.#parts.onFault(error, { room: id });
      return NOTHING;
    }
  }

  /** In the background, once for all that were deleted meanwhile. */
  #reclaim(): void {
    this.#isReclaimDue = true;
    this.#reclaiming ??= this.#reclaimAll().finally(() => (this.#reclaiming = undefined));
  }

  async #reclaimAll(): Promise<void> {
    while (this.#isReclaimDue) {
      this.#isReclaimDue = false;
      await this.#parts.store.log.reclaim().catch((error: unknown) => this.#parts.onFault(error, {}));
    }
  }

  /** Resolves when nothing is done in the background. */
  async settled(): Promise<void> {
    await this.#reclaiming;
  }

  /** Children first take what they began with. */
  async #releaseBlobs(id: RoomId): Promise<Released> {
    const { store, settle } = this.#parts;
    const children: RoomId[] = [];
    for await (const child of store.log.forks(id)) children.push(child);
    for (const child of children) await settle(child);
    return store.blobs.release(id, FRESH_MS);
  }
}

/** Refusal to whoever comes to a room that was deleted; its tombstone goes with it. */
export function roomDeleted(id: RoomId, tombstone?: Uint8Array): Rejection {
  return new Rejection('room-deleted', `room ${id} was deleted`, { data: tombstone });
}

function keyOf({ room, at }: Note): string {
  return `${NOTES}${room}/${at}`;
}
