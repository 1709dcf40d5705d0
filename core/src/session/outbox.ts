/**
 * Outbox: a bounded queue of what waits to be sent to one peer. [LM3]
 *
 * Frames go out while the socket takes them; after a refusal they wait for `drained`. Nodes are not kept here: when nothing
 * else waits they are asked for, one frame at a time, as the socket takes them, so history costs no memory however long
 * it is and a slow peer is served from the log. Everything else is counted.
 */
import type { Clock } from '../ports/clock.js';
import { ComeBack } from '../rejection.js';
import { CLOSE } from '../wire/close-codes.js';
import type { SharedFrame } from '../wire/frame.js';
import { restartReason } from '../wire/restart-reason.js';
import { type Encoded } from '../wire/frame.js';
import type { Limits } from '../wire/limits.js';

export interface PeerSocket {
  /** False when the socket's buffer is full: send no more before `drained` is called. */
  send(frame: Encoded): boolean;
  close(code: number, reason: string): void;
}

/** Source of nodes. */
export interface Source {
  /** The next frame; undefined when there is none now. */
  next(): Promise<SharedFrame | undefined>;
}

export interface OutboxParts {
  readonly socket: PeerSocket;
  readonly limits: Limits;
  readonly clock: Clock;
  /** The peer cannot be served any more. */
  readonly lost: (code: number, reason: string) => void;
  readonly onFault: (error: unknown) => void;
}

export class Outbox {
  readonly #parts: OutboxParts;
  readonly #waiting: SharedFrame[] = [];
  #waitingBytes = 0;
  #isOpen = true;
  #isClosed = false;
  #isBinary = false;
  #source: Source | undefined;
  #isAsking = false;
  /** Something may have come while the source was being asked. */
  #askAgain = false;
  /** Those who wait until nothing but nodes waits. */
  readonly #flushing: (() => void)[] = [];
  #cancelStall: (() => void) | undefined;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  /** Whether a frame would leave at once, before anything that the source has. */
  get isIdle(): boolean {
    return this.#isOpen && !this.#isAsking && this.#waiting.length === 0;
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Frames are MessagePack from here on. */
  useBinary(): void {
    this.#isBinary = true;
  }

  send(frame: SharedFrame): void {
    if (this.#isClosed) return;
    if (this.#isOpen && this.#waiting.length === 0) return this.#take(frame);
    this.#waiting.push(frame);
    this.#waitingBytes += frame.encoded(this.#isBinary).length;
    if (this.#waitingBytes > this.#parts.limits.outboxBytes) this.#parts.lost(CLOSE.resync.code, 'resync required');
  }

  follow(source: Source): void {
    this.#source = source;
    this.wake();
  }

  /** The source may have something. */
  wake(): void {
    this.#askAgain = true;
    if (!this.#isAsking) void this.#ask();
  }

  /** Resolves when nothing but nodes waits, or nothing will be sent any more. */
  flushed(): Promise<void> {
    if (this.#isClosed || this.#waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#flushing.push(resolve));
  }

  /** The socket takes frames again. */
  drained(): void {
    this.#isOpen = true;
    this.#cancelStall?.();
    this.#cancelStall = undefined;
    while (this.#isOpen && this.#waiting.length > 0) {
      const frame = this.#waiting.shift()!;
      this.#waitingBytes -= frame.encoded(this.#isBinary).length;
      this.#take(frame);
    }
    if (this.#waiting.length === 0) this.#tellFlushed();
    this.wake();
  }

  /** The socket has taken something, though not all. */
  progressed(): void {
    if (!this.#isOpen) this.#watch();
  }

  /** Nothing is sent any more; answers what was waiting. */
  close(): readonly SharedFrame[] {
    this.#isClosed = true;
    this.#cancelStall?.();
    this.#waitingBytes = 0;
    this.#tellFlushed();
    return this.#waiting.splice(0);
  }

  #tellFlushed(): void {
    for (const tell of this.#flushing.splice(0)) tell();
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    try {
      while (this.#askAgain && this.#isOpen && !this.#isClosed) {
        this.#askAgain = false;
        const frame = await this.#source?.next();
        if (!frame || this.#isClosed) continue;
        this.#askAgain = true;
        this.#take(frame);
      }
    } catch (error) {
      if (error instanceof ComeBack) this.#parts.lost(CLOSE.restart.code, restartReason(error.retryMs, error.message)); // once it has gone, nothing
      else this.#parts.onFault(error);
    } finally {
      this.#isAsking = false;
    }
  }

  #take(frame: SharedFrame): void {
    if (this.#isClosed) return;
    try {
      this.#isOpen = this.#parts.socket.send(frame.encoded(this.#isBinary));
    } catch {
      return this.#parts.lost(CLOSE.overload.code, 'the socket failed');
    }
    if (!this.#isOpen) this.#watch();
  }

  /** A peer that takes nothing for too long is given up. */
  #watch(): void {
    const { clock, limits, lost } = this.#parts;
    this.#cancelStall?.();
    this.#cancelStall = clock.after(limits.stalledMs, () => lost(CLOSE.overload.code, 'the peer takes nothing'));
  }
}
