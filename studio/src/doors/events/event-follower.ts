/** One who follows the events: a place in the feed, and a connection that is given what stands behind it. */
import type { Writable } from 'node:stream';
import type { Feed } from '../../record/ledger/feed.js';
import type { Follow } from '../../operations/kernel/define.js';
import { type EventPieces, frame } from './event-pieces.js';

export interface FollowerParts {
  readonly feed: Feed;
  readonly pieces: EventPieces;
  /** How many events one that was up to date may be behind. */
  readonly mostBehind: number;
  readonly follow: Follow;
  /** Asked before each write: a token may be revoked while its stream is open. */
  readonly isAllowed: () => boolean;
  readonly connection: Writable;
}

export class Follower {
  readonly #parts: FollowerParts;
  #after: number;
  /** It has had everything at some time, so it can keep up. */
  #isCurrent = false;
  /** The connection takes no more for now. */
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

  /** Writes what there is, as far as the connection takes it. */
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
    // Others have their turn in between.
    if (this.#after < last) this.#next = setImmediate(() => this.advance());
    else this.#isCurrent = true;
  }

  /** Shows both sides that the other is there, if nothing else has for so long. */
  beat(milliseconds: number): void {
    const isBusy = this.#isOver || this.#isFull;
    if (!isBusy && performance.now() - this.#writtenAt >= milliseconds) this.#write(': nothing new\n\n');
  }

  end(text = ''): void {
    if (this.#isOver) return;
    this.stop();
    this.#parts.connection.end(text);
  }

  /** Nobody is there any more. */
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
