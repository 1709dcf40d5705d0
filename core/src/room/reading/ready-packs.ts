/**
 * Cache of parts of logs that were read or packed a short while ago: many who enter at the same time are sent the same
 * bytes, and what is encoded from those is found by them. Of all rooms together, bounded; what was used last stays.
 *
 * A part never changes while its room is open: it is some nodes, and closed. A room that is opened anew may have given up what was in it,
 * or be another one: it goes by another name. What is made for one reader alone never comes here.
 */
interface Ready {
  readonly pack: Promise<Uint8Array | undefined>;
  /** 0 while it is being made. */
  bytes: number;
}

/** Beside each pack there may be a frame of it in either encoding. */
const MOST_BYTES = 8 * 1024 * 1024;

export class ReadyPacks {
  /** Packs by name, in the order of their last use. */
  readonly #ready = new Map<string, Ready>();
  readonly #most: number;
  #bytes = 0;
  #openings = 0;

  constructor(most = MOST_BYTES) {
    this.#most = most;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Name of a room from its opening on, with which those of its packs begin. */
  nameOfOpening(): string {
    return String(++this.#openings);
  }

  /** The pack of that name, which everybody makes alike. */
  get(name: string, make: () => Promise<Uint8Array | undefined>): Promise<Uint8Array | undefined> {
    const known = this.#ready.get(name);
    const ready = known ?? { pack: make(), bytes: 0 };
    this.#ready.delete(name);
    this.#ready.set(name, ready);
    if (!known)
      ready.pack.then(
        (pack) => this.#weigh(name, ready, pack?.length ?? 0),
        () => this.#ready.delete(name), // whoever comes next tries again
      );
    return ready.pack;
  }

  #weigh(name: string, ready: Ready, bytes: number): void {
    if (this.#ready.get(name) !== ready) return;
    ready.bytes = bytes;
    this.#bytes += bytes;
    for (const [oldest, { bytes: freed }] of this.#ready) {
      if (this.#bytes <= this.#most) return;
      this.#ready.delete(oldest);
      this.#bytes -= freed;
    }
  }
}
