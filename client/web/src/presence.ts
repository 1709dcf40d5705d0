/**
 * Presence of a room: what one shows the others, at most once in a while, the last of it always; and what they show, with who
 * they are.
 */
import type { Peer, RoomClient } from '@weft/core/client';

/** Bounds of the pause between two showings, in milliseconds. */
const LEAST_MS = 16;
const MOST_MS = 1000;
const PAUSE_MS = 50;

/** Somebody else in the room. */
export interface Other<Shown> {
  readonly peer: Peer;
  /** Undefined while it shows nothing. */
  readonly shown: Shown | undefined;
}

/** What one shows the others while one is there, and what they show. */
export class Presence<Shown> {
  readonly #client: RoomClient;
  readonly #pauseMs: number;
  #own: Shown | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOwed = false;
  #others: readonly Other<Shown>[] | undefined;
  readonly #unlisten: readonly (() => void)[];

  constructor(client: RoomClient, pauseMs = PAUSE_MS) {
    this.#client = client;
    this.#pauseMs = Math.min(MOST_MS, Math.max(LEAST_MS, pauseMs));
    const forget = (): void => void (this.#others = undefined);
    this.#unlisten = [client.onPeers(forget), client.onPresence(forget)];
  }

  get own(): Shown | undefined {
    return this.#own;
  }

  /** Everything that one shows. */
  show(shown: Shown): void {
    this.#own = shown;
    if (this.#timer !== undefined) {
      this.#isOwed = true;
      return;
    }
    this.#send();
  }

  /** Changes some fields of what one shows. */
  update(fields: Partial<Shown>): void {
    this.show({ ...this.#own, ...fields } as Shown);
  }

  #send(): void {
    this.#isOwed = false;
    this.#client.present(this.#own);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#isOwed) this.#send();
    }, this.#pauseMs);
  }

  /** Others who are here; one array until somebody comes, goes or shows something else. */
  get others(): readonly Other<Shown>[] {
    const { presence, peers } = this.#client;
    this.#others ??= peers.map((peer) => ({ peer, shown: presence.get(peer.peerId) as Shown | undefined }));
    return this.#others;
  }

  onChange(listener: () => void): () => void {
    const ends = [this.#client.onPeers(listener), this.#client.onPresence(listener)];
    return () => ends.forEach((end) => end());
  }

  end(): void {
    clearTimeout(this.#timer);
    for (const end of this.#unlisten) end();
  }
}
