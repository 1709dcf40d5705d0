/** Encoded-chunk cache: server-sent events encoded once for all followers that want the same. */
import type { Feed, FeedEntry } from '../../record/ledger/feed.js';
import type { Follow } from '../../operations/kernel/define.js';

/** Encoded chunk: what a follower is sent in one write. */
export interface Piece {
  /** Encoded events; empty when the follower wants none of them. */
  readonly bytes: Buffer;
  /** Number of the last event that this chunk covers. */
  readonly to: number;
}

/** Events per chunk. */
const PIECE = 256;
const KEPT_FRAMES = 1024;
/** Size of the cache: followers that have caught up share one chunk, a few are a little behind. */
const KEPT_PIECES = 16;

export class EventPieces {
  readonly #feed: Feed;
  readonly #frames = new Map<number, Buffer>();
  readonly #pieces = new Map<string, Piece>();

  constructor(feed: Feed) {
    this.#feed = feed;
  }

  /** First chunk after an event, by its number. */
  after(number: number, follow: Follow): Piece {
    const to = Math.min(number + PIECE, this.#feed.last);
    return remembered(this.#pieces, `${number} ${to} ${follow.wants}`, KEPT_PIECES, () => {
      const wanted = this.#feed.after(number, to - number).filter(follow.isWanted);
      return { bytes: Buffer.concat(wanted.map((entry) => this.#frameOf(entry, follow))), to };
    });
  }

  #frameOf(entry: FeedEntry, { show }: Follow): Buffer {
    return remembered(this.#frames, entry.number, KEPT_FRAMES, () => {
      const event = show(entry);
      return Buffer.from(frame(event.kind, event, entry.number));
    });
  }
}

export function frame(kind: string, data: unknown, number: number): string {
  return `id: ${number}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** FIFO cache: the oldest entry is evicted first. */
function remembered<Key, Value>(kept: Map<Key, Value>, key: Key, most: number, make: () => Value): Value {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const value = make();
  kept.set(key, value);
  for (const oldest of kept.keys()) {
    if (kept.size <= most) break;
    kept.delete(oldest);
  }
  return value;
}
