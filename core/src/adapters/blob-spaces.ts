/**
 * Space of blobs: what is on its way counts beside what a room, a person or key, and the store have already, so that uploads side by
 * side do not pass a bound that each alone would keep. [BL16]
 *
 * Reservations are of this process and last as long as it does: what had not come by then is not there either.
 */
import type { BlobHash } from '../codec/bytes/blob-hash.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import { Mutex } from '../concurrency/mutex.js';
import type { BlobBound, BlobBounds, BlobClaim, BlobSpace } from '../ports/blob-store.js';

/** What is there, in bytes. */
export interface BlobSums {
  isStaged(room: RoomId, hash: BlobHash): Promise<boolean>;
  ofRoom(room: RoomId): Promise<number>;
  of(by: string): Promise<number>;
  stored(): Promise<number>;
}

export class BlobSpaces {
  readonly #sums: BlobSums;
  readonly #mutex = new Mutex();
  readonly #onTheWay = new Map<string, number>();

  constructor(sums: BlobSums) {
    this.#sums = sums;
  }

  /** Judged one by one: of two that fit alone and not together, the first has the space. */
  reserve(claim: BlobClaim, bounds: BlobBounds): Promise<BlobSpace> {
    return this.#mutex.run(() => this.#reserve(claim, bounds));
  }

  async #reserve({ room, hash, size, by }: BlobClaim, bounds: BlobBounds): Promise<BlobSpace> {
    if (await this.#sums.isStaged(room, hash)) return { leave: () => undefined };
    const held: [BlobBound, string, () => Promise<number>][] = [
      ['room', `room ${room}`, () => this.#sums.ofRoom(room)],
      ['server', 'server', () => this.#sums.stored()],
    ];
    if (by !== undefined) held.splice(1, 0, ['key', `key ${by}`, () => this.#sums.of(by)]);
    for (const [bound, name, there] of held) {
      const most = bounds[bound] - size - (this.#onTheWay.get(name) ?? 0);
      if (most < 0 || (await there()) > most) return { lacks: bound };
    }
    for (const [, name] of held) this.#add(name, size);
    let isLeft = false;
    const leave = (): void => {
      if (!isLeft) for (const [, name] of held) this.#add(name, -size);
      isLeft = true;
    };
    return { leave };
  }

  #add(name: string, size: number): void {
    const bytes = (this.#onTheWay.get(name) ?? 0) + size;
    if (bytes > 0) this.#onTheWay.set(name, bytes);
    else this.#onTheWay.delete(name);
  }
}
