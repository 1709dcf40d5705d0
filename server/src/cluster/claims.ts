/** Claims: whose a room is, asked of the store once for as long as this process needs the room, and given up when it does not. */
import type { Membership, RoomId } from '@weft/core';

export class Claims {
  readonly #membership: () => Membership;
  readonly #mine = new Set<RoomId>();
  readonly #asking = new Map<RoomId, Promise<string>>();
  #releasing: Promise<void> | undefined;

  /** The membership is there once the store is open. */
  constructor(membership: () => Membership) {
    this.#membership = membership;
  }

  get count(): number {
    return this.#mine.size;
  }

  isMine(room: RoomId): boolean {
    return this.#mine.has(room);
  }

  /** Process that has a room; this one has it from then on if nobody had. */
  ownerOf(room: RoomId): Promise<string> {
    const asking = this.#asking.get(room) ?? this.#ask(room).finally(() => this.#asking.delete(room));
    this.#asking.set(room, asking);
    return asking;
  }

  async #ask(room: RoomId): Promise<string> {
    await this.#releasing;
    const { self, claim } = this.#bound();
    if (this.#mine.has(room)) return self.id;
    const owner = await claim(room);
    if (owner === self.id) this.#mine.add(room);
    return owner;
  }

  /** Gives up the rooms that are not in use here. Whoever needs one meanwhile waits, and asks anew. */
  async releaseUnused(isUsed: (room: RoomId) => boolean): Promise<void> {
    if (this.#releasing) return;
    const unused = [...this.#mine].filter((room) => !this.#asking.has(room) && !isUsed(room));
    if (unused.length === 0) return;
    for (const room of unused) this.#mine.delete(room);
    // What could not be given up stays this process's in the store: whoever asks for it here finds that out.
    this.#releasing = this.#membership()
      .release(unused)
      .catch(() => undefined)
      .finally(() => (this.#releasing = undefined));
    await this.#releasing;
  }

  #bound(): Pick<Membership, 'self' | 'claim'> {
    const membership = this.#membership();
    return { self: membership.self, claim: (room) => membership.claim(room) };
  }
}
