/**
 * Events as they happen, as server-sent events.
 *
 * A reader is a place in the feed and nothing else: it is given what stands behind that place as fast as it reads, so
 * between what it had missed and what happens now there is no seam, and however slow it is, nothing is kept for it. One that
 * falls far behind is told to begin anew (`resync`), and so is one that knows of events that are not here.
 */
import type { Feed, FeedEntry } from '../ledger/feed.js';
import type { Follow } from '../operations/define.js';

export interface StreamLimits {
  /** A comment is sent after so long without an event, which shows both sides that the other is there. */
  readonly heartbeatMs: number;
  /** How many events a reader that was up to date may be behind. */
  readonly mostBehind: number;
}

const LIMITS: StreamLimits = { heartbeatMs: 15_000, mostBehind: 10_000 };
/** So many events are looked at in one turn. */
const PIECE = 256;

export class EventStreams {
  readonly #feed: Feed;
  readonly #limits: StreamLimits;
  readonly #closing = new AbortController();

  constructor(feed: Feed, limits: StreamLimits = LIMITS) {
    this.#feed = feed;
    this.#limits = limits;
  }

  /** Goes on while `isAllowed`: a token may be revoked while its stream is open. */
  open(follow: Follow, isAllowed: () => boolean): Response {
    const reader = new Reader(this.#feed, follow, this.#limits, this.#closing.signal);
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const text = await reader.next();
          const isGiven = text !== undefined && isAllowed();
          if (isGiven) controller.enqueue(new TextEncoder().encode(text));
          if (!isGiven || reader.isOver) controller.close();
        },
        cancel: () => reader.stop(),
      },
      { highWaterMark: 0 },
    );
    return new Response(body, {
      headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
    });
  }

  /** Ends every stream; its reader comes back with the number that it has. */
  close(): void {
    this.#closing.abort();
  }
}

class Reader {
  isOver = false;
  readonly #feed: Feed;
  readonly #follow: Follow;
  readonly #limits: StreamLimits;
  readonly #closing: AbortSignal;
  #after: number;
  #begun = false;
  /** It has had everything at some time, so it can keep up. */
  #isCurrent = false;
  #wake: () => void = () => undefined;

  constructor(feed: Feed, follow: Follow, limits: StreamLimits, closing: AbortSignal) {
    this.#feed = feed;
    this.#follow = follow;
    this.#limits = limits;
    this.#closing = closing;
    this.#after = follow.after;
  }

  /** What to send next; undefined when there is nothing more to come. */
  async next(): Promise<string | undefined> {
    if (!this.#begun) {
      this.#begun = true;
      return ': events follow\n\n';
    }
    const { last } = this.#feed;
    const isLost = this.#after > last || (this.#isCurrent && last - this.#after > this.#limits.mostBehind);
    if (isLost) {
      this.isOver = true;
      return frame('resync', { last }, last);
    }
    while (!this.#closing.aborted && !this.isOver) {
      const text = this.#piece();
      if (text !== '') return text;
      if (this.#after < this.#feed.last) await new Promise((resolve) => setImmediate(resolve));
      else if (!(await this.#change())) return ': nothing new\n\n';
    }
    return undefined;
  }

  stop(): void {
    this.isOver = true;
    this.#wake();
  }

  #piece(): string {
    const entries = this.#feed.after(this.#after, PIECE);
    this.#after += entries.length;
    if (this.#after === this.#feed.last) this.#isCurrent = true;
    return entries.map((entry) => this.#shown(entry)).join('');
  }

  #shown(entry: FeedEntry): string {
    const event = this.#follow.show(entry);
    return event === undefined ? '' : frame(event.kind, event, entry.number);
  }

  /** Resolves with false when nothing has happened for the time of a heartbeat. */
  #change(): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (hasChanged: boolean): void => {
        clearTimeout(timer);
        stopListening();
        this.#closing.removeEventListener('abort', wake);
        resolve(hasChanged);
      };
      const wake = (): void => done(true);
      const timer = setTimeout(() => done(false), this.#limits.heartbeatMs);
      const stopListening = this.#feed.onEvent(wake);
      this.#closing.addEventListener('abort', wake);
      this.#wake = wake;
    });
  }
}

function frame(kind: string, data: unknown, number: number): string {
  return `id: ${number}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}
