/**
 * Events as they happen, as server-sent events.
 *
 * A follower is a place in the feed and nothing else: it is given what stands behind that place as fast as its connection
 * takes it, so between what it had missed and what happens now there is no seam, and however slow it is, nothing is kept for
 * it. One that falls far behind is told to begin anew (`resync`), and so is one that knows of events that are not here.
 *
 * What a turn brings is one write to each, straight to the connection. When they are many they are not told of each event but
 * a little later, of all that has come by then: the writes are what costs, not what is written.
 */
import type { Writable } from 'node:stream';
import type { Feed } from '../../record/ledger/feed.js';
import type { Follow } from '../../operations/kernel/define.js';
import { Follower } from './event-follower.js';
import { EventPieces } from './event-pieces.js';

export interface StreamLimits {
  /** A comment is sent after about so long without an event, which shows both sides that the other is there. */
  readonly heartbeatMs: number;
  /** How many events a follower that was up to date may be behind. */
  readonly mostBehind: number;
}

const LIMITS: StreamLimits = { heartbeatMs: 15_000, mostBehind: 10_000 };
/** With five hundred followers these are 50 ms. */
const GATHER_MS_EACH = 0.1;

export class EventStreams {
  readonly #feed: Feed;
  readonly #limits: StreamLimits;
  readonly #pieces: EventPieces;
  readonly #followers = new Set<Follower>();
  #gathering: NodeJS.Timeout | undefined;
  /** Ends what goes on as long as there is a follower. */
  #rest: (() => void) | undefined;
  #isClosed = false;

  constructor(feed: Feed, limits: StreamLimits = LIMITS) {
    this.#feed = feed;
    this.#limits = limits;
    this.#pieces = new EventPieces(feed);
  }

  /** Goes on while `isAllowed`: a token may be revoked while its stream is open. */
  open(connection: Writable, follow: Follow, isAllowed: () => boolean): void {
    if (this.#isClosed || connection.destroyed) return void connection.end();
    const { mostBehind } = this.#limits;
    const follower = new Follower({
      feed: this.#feed,
      pieces: this.#pieces,
      mostBehind,
      follow,
      isAllowed,
      connection,
    });
    const leave = (): void => {
      follower.stop();
      this.#followers.delete(follower);
      if (this.#followers.size === 0) this.#rest?.();
    };
    for (const end of ['finish', 'close', 'error']) connection.on(end, leave);
    this.#followers.add(follower);
    this.#rest ??= this.#attend();
    follower.begin();
  }

  /** Ends every stream; its follower comes back with the number that it has. */
  close(): void {
    this.#isClosed = true;
    for (const follower of this.#followers) follower.end();
  }

  #attend(): () => void {
    const stopListening = this.#feed.onEvent(() => this.#gather());
    const { heartbeatMs } = this.#limits;
    const heart = setInterval(() => {
      for (const follower of this.#followers) follower.beat(heartbeatMs);
    }, heartbeatMs / 2);
    return () => {
      this.#rest = undefined;
      stopListening();
      clearInterval(heart);
      clearTimeout(this.#gathering);
      this.#gathering = undefined;
    };
  }

  #gather(): void {
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      for (const follower of this.#followers) follower.advance();
    }, this.#followers.size * GATHER_MS_EACH);
  }
}
