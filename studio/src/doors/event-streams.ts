/**
 * Events as they happen, as server-sent events.
 *
 * A reader is a place in the feed and nothing else: it is given what stands behind that place as fast as it reads, so
 * between what it had missed and what happens now there is no seam, and however slow it is, nothing is kept for it. One that
 * falls far behind is told to begin anew (`resync`), and so is one that knows of events that are not here.
 */
import type { Feed, FeedEntry } from '../ledger/feed.js';
import type { Follow } from '../operations/define.js';
import { Bell } from './bell.js';

export interface StreamLimits {
  /** A comment is sent after so long without an event, which shows both sides that the other is there. */
  readonly heartbeatMs: number;
  /** How many events a reader that was up to date may be behind. */
  readonly mostBehind: number;
}

const LIMITS: StreamLimits = { heartbeatMs: 15_000, mostBehind: 10_000 };
/** So many events are looked at in one turn. */
const PIECE = 256;
/** So many are kept as text, because many readers are given the same. */
const KEPT = 1024;
const bytes = new TextEncoder();

export class EventStreams {
  readonly #feed: Feed;
  readonly #limits: StreamLimits;
  readonly #bell: Bell;
  readonly #frames = new Map<number, string>();
  #isClosed = false;

  constructor(feed: Feed, limits: StreamLimits = LIMITS) {
    this.#feed = feed;
    this.#limits = limits;
    this.#bell = new Bell(feed);
  }

  get feed(): Feed {
    return this.#feed;
  }

  get limits(): StreamLimits {
    return this.#limits;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Goes on while `isAllowed`: a token may be revoked while its stream is open. */
  open(follow: Follow, isAllowed: () => boolean): Response {
    const reader = new Reader(this, follow);
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const text = await reader.next();
          const isGiven = text !== undefined && isAllowed();
          if (isGiven) controller.enqueue(bytes.encode(text));
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
    this.#isClosed = true;
    this.#bell.ring();
  }

  wait(): ReturnType<Bell['wait']> {
    return this.#bell.wait(this.#limits.heartbeatMs);
  }

  frameOf(entry: FeedEntry, { show }: Follow): string {
    const { number } = entry;
    const known = this.#frames.get(number);
    if (known !== undefined) return known;
    const event = show(entry);
    const text = frame(event.kind, event, number);
    this.#frames.set(number, text);
    // What was kept first is what is needed last.
    for (const oldest of this.#frames.keys()) {
      if (this.#frames.size <= KEPT) break;
      this.#frames.delete(oldest);
    }
    return text;
  }
}

class Reader {
  isOver = false;
  readonly #streams: EventStreams;
  readonly #follow: Follow;
  #after: number;
  #begun = false;
  /** It has had everything at some time, so it can keep up. */
  #isCurrent = false;
  #wake: () => void = () => undefined;

  constructor(streams: EventStreams, follow: Follow) {
    this.#streams = streams;
    this.#follow = follow;
    this.#after = follow.after;
  }

  /** What to send next; undefined when there is nothing more to come. */
  async next(): Promise<string | undefined> {
    if (!this.#begun) {
      this.#begun = true;
      return ': events follow\n\n';
    }
    const { feed, limits } = this.#streams;
    const { last } = feed;
    const isLost = this.#after > last || (this.#isCurrent && last - this.#after > limits.mostBehind);
    if (isLost) {
      this.isOver = true;
      return frame('resync', { last }, last);
    }
    while (!this.#streams.isClosed && !this.isOver) {
      const text = this.#piece();
      if (text !== '') return text;
      if (this.#after < feed.last) await new Promise((resolve) => setImmediate(resolve));
      else if (!(await this.#change())) return ': nothing new\n\n';
    }
    return undefined;
  }

  stop(): void {
    this.isOver = true;
    this.#wake();
  }

  #piece(): string {
    const { feed } = this.#streams;
    const entries = feed.after(this.#after, PIECE);
    this.#after += entries.length;
    if (this.#after === feed.last) this.#isCurrent = true;
    const wanted = entries.filter((entry) => this.#follow.isWanted(entry));
    return wanted.map((entry) => this.#streams.frameOf(entry, this.#follow)).join('');
  }

  /** Resolves with false when nothing has happened for the time of a heartbeat. */
  #change(): Promise<boolean> {
    const { rung, stop } = this.#streams.wait();
    this.#wake = stop;
    return rung;
  }
}

function frame(kind: string, data: unknown, number: number): string {
  return `id: ${number}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}
