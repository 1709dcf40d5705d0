/**
 * Followers in this process: each is told what is written to one room, in the order of its log, from where its cursor is. [RP8]
 *
 * A follower is a position and whoever takes: nothing is queued for it, and it keeps no room in memory. What is told next is read from
 * the room when what was told before has been taken and noted.
 */
import type { RoomId } from '../codec/bytes/room-id.js';
import type { Cursor } from '../ports/cursor.js';
import { FollowedLog, type WrittenPage, expectPosition } from '../query/followed-log.js';
import type { Room } from '../room/room.js';

export interface Follower {
  readonly cursor: Cursor;
  /** Takes a page; the next one comes when this is done. Where it throws, the follower ends. */
  take(page: WrittenPage): Promise<void> | void;
  /** Only ops under keys that begin so. */
  readonly keyPrefix?: string;
}

export interface Following {
  /**
   * Resolves when it was stopped, or the host is closed. Rejects where it cannot go on: the room was deleted or is shut, the cursor is of
   * another log, or the follower has thrown.
   */
  readonly ended: Promise<void>;
  /** Resolves when what was told last is taken and noted. */
  stop(): Promise<void>;
}

/** Opens a room for as long as something is done with it. */
interface Opening {
  withRoom<T>(id: RoomId, act: (room: Room) => Promise<T>): Promise<T>;
}

export class Followers {
  readonly #loops = new Map<RoomId, Set<Loop>>();

  has(id: RoomId): boolean {
    return this.#loops.has(id);
  }

  /** Something was written to a room, or it is another one now. */
  wake(id: RoomId): void {
    for (const loop of this.#loops.get(id) ?? []) loop.wake();
  }

  follow(rooms: Opening, id: RoomId, follower: Follower): Following {
    const loop = new Loop(follower);
    const loops = this.#loops.get(id) ?? new Set();
    this.#loops.set(id, loops.add(loop));
    const ended = loop
      .run((act) => rooms.withRoom(id, act))
      .finally(() => {
        loops.delete(loop);
        if (loops.size === 0 && this.#loops.get(id) === loops) this.#loops.delete(id);
      });
    const over = ended.catch(() => undefined); // told by `ended`
    return {
      ended,
      async stop() {
        void loop.stop(); // over when `ended` is
        await over;
      },
    };
  }

  async stop(): Promise<void> {
    const loops = [...this.#loops.values()].flatMap((some) => [...some]);
    await Promise.all(loops.map((loop) => loop.stop()));
  }
}

class Loop {
  readonly #follower: Follower;
  #isStopped = false;
  #isDue = true;
  #wake: (() => void) | undefined;
  #running: Promise<void> | undefined;

  constructor(follower: Follower) {
    this.#follower = follower;
  }

  wake(): void {
    this.#isDue = true;
    this.#wake?.();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.wake();
    await this.#running?.catch(() => undefined);
  }

  run(inRoom: <T>(act: (room: Room) => Promise<T>) => Promise<T>): Promise<void> {
    return (this.#running = this.#run(inRoom));
  }

  async #run(inRoom: <T>(act: (room: Room) => Promise<T>) => Promise<T>): Promise<void> {
    const { cursor, keyPrefix, take } = this.#follower;
    let position = (await cursor.read()) ?? { seq: 0 };
    const log = new FollowedLog(position.seq, keyPrefix);
    while (!this.#isStopped) {
      this.#isDue = false;
      const page = await inRoom(async (room) => {
        expectPosition(room, position); // it may have become another one
        return log.next(room);
      });
      if (page) {
        await take.call(this.#follower, page);
        await cursor.note((position = page.position));
      } else if (!this.#isDue) await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
