/**
 * Live events, as server-sent events.
 *
 * A follower is a cursor in the feed and nothing else: it is sent what comes after the cursor as fast as its connection takes
 * it. So there is no gap between the backlog and live events, and no queue for a slow follower. One that falls far behind is
 * told to start again (`resync`), and so is one that knows of events that are not here.
 *
 * What agents say is sent while they say it to followers who ask for it, without a number: it is no event, and who cannot take it
 * misses it.
 *
 * Each batch of events is one write per connection. With many followers they are notified with a short delay, of all events
 * that came by then, because the writes are what costs.
 */
import type { Writable } from 'node:stream';
import type { Feed } from '../../record/ledger/feed.js';
import type { Speech } from '../../operations/kernel/speech.js';
import type { Follow } from '../../operations/kernel/define.js';
import { Follower } from './event-follower.js';
import { EventPieces } from './event-pieces.js';

export interface StreamLimits {
  /** Heartbeat interval: a comment is sent after about so long without an event. */
  readonly heartbeatMs: number;
  /** Largest backlog, in events, of a follower that had caught up once. */
  readonly mostBehind: number;
}

const LIMITS: StreamLimits = { heartbeatMs: 15_000, mostBehind: 10_000 };
/** Batching delay for each follower: 50 ms with five hundred of them. */
const GATHER_MS_EACH = 0.1;

export class EventStreams {
  readonly #feed: Feed;
  readonly #limits: StreamLimits;
  readonly #pieces: EventPieces;
  readonly #speech: Speech | undefined;
  readonly #followers = new Set<Follower>();
  #gathering: NodeJS.Timeout | undefined;
  /** Stops what runs only while there are followers: the heartbeat and the subscription. */
  #rest: (() => void) | undefined;
  #isClosed = false;

  constructor(
    feed: Feed,
    { speech, ...limits }: Partial<StreamLimits> & { readonly speech?: Speech | undefined } = {},
  ) {
    this.#feed = feed;
    this.#limits = { ...LIMITS, ...limits };
    this.#speech = speech;
    this.#pieces = new EventPieces(feed);
  }

  /** Opens a stream. It lasts while `isAllowed`: a token may be revoked while its stream is open. */
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

  /** Ends every stream. Its client reconnects with the number that it has. */
  close(): void {
    this.#isClosed = true;
    for (const follower of this.#followers) follower.end();
  }

  #attend(): () => void {
    const stopListening = this.#feed.onEvent(() => this.#gather());
    const stopHearing = this.#speech?.watch((spoken) => {
      for (const follower of this.#followers) follower.hear(spoken);
    });
    const { heartbeatMs } = this.#limits;
    const heart = setInterval(() => {
      for (const follower of this.#followers) follower.beat(heartbeatMs);
    }, heartbeatMs / 2);
    return () => {
      this.#rest = undefined;
      stopListening();
      stopHearing?.();
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
