/** Event stream reader: a cursor in the feed, and a connection that is sent what comes after it. */
import type { Writable } from 'node:stream';
import type { Feed } from '../../record/ledger/feed.js';
import type { Spoken } from '../../operations/kernel/speech.js';
import type { Follow } from '../../operations/kernel/define.js';
import { type EventPieces, frame } from './event-pieces.js';

export interface FollowerParts {
  readonly feed: Feed;
  readonly pieces: EventPieces;
  /** Largest backlog, in events, of a reader that had caught up once. */
  readonly mostBehind: number;
  readonly follow: Follow;
  /** Access check before each write: a token may be revoked while its stream is open. */
  readonly isAllowed: () => boolean;
  readonly connection: Writable;
}

export class Follower {
  readonly #parts: FollowerParts;
  #after: number;
  /** Whether it had caught up at some time, so it is able to. */
  #isCurrent = false;
  /** Back-pressure: the connection takes no more for now. */
  #isFull = false;
  #isOver = false;
  #next: NodeJS.Immediate | undefined;
  #writtenAt = 0;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
    this.#after = parts.follow.after;
  }

  begin(): void {
    this.#parts.connection.on('drain', () => {
      this.#isFull = false;
      this.advance();
    });
    this.#write(': events follow\n\n');
    this.advance();
  }

  /** Writes what is available, as far as the connection takes it. */
  advance(): void {
    clearImmediate(this.#next);
    if (this.#isOver || this.#isFull) return;
    const { feed, pieces, follow, mostBehind } = this.#parts;
    const { last } = feed;
    if (this.#after > last || (this.#isCurrent && last - this.#after > mostBehind))
      return this.end(frame('resync', { last }, last));
    if (this.#after < last) {
      const { bytes, to } = pieces.after(this.#after, follow);
      this.#after = to;
      if (bytes.length > 0) this.#write(bytes);
    }
    // Yields to other followers between pieces.
    if (this.#after < last) this.#next = setImmediate(() => this.advance());
    else this.#isCurrent = true;
  }

  /** Speech of an agent, for who wants it and can take it now. It is no event: it has no number, and is not sent again. */
  hear(spoken: Spoken): void {
    const { hears } = this.#parts.follow;
    if (this.#isOver || this.#isFull || hears?.(spoken.workUnitId) !== true) return;
    this.#write(`event: speech\ndata: ${JSON.stringify(spoken)}\n\n`);
  }

  /** Heartbeat: writes a comment when nothing else was written for so long. */
  beat(milliseconds: number): void {
    const isBusy = this.#isOver || this.#isFull;
    if (!isBusy && performance.now() - this.#writtenAt >= milliseconds) this.#write(': nothing new\n\n');
  }

  end(text = ''): void {
    if (this.#isOver) return;
    this.stop();
    this.#parts.connection.end(text);
  }

  /** Stops the stream: the connection is closed. */
  stop(): void {
    this.#isOver = true;
    clearImmediate(this.#next);
  }

  #write(piece: Buffer | string): void {
    if (!this.#parts.isAllowed()) return this.end();
    this.#writtenAt = performance.now();
    this.#isFull = !this.#parts.connection.write(piece);
  }
}
