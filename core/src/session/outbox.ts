/**
 * What waits to be sent to one peer, in order and bounded. [LM3]
 *
 * Frames go out while the socket takes them; after a refusal they wait for `drained`. History is made
 * frame by frame as the socket drains, so it costs no memory however long it is; everything else is
 * counted, and a peer that falls behind the budget is told to reconnect and catch up.
 */
import type { Clock } from '../ports/clock.js';
import { CLOSE } from '../wire/close-codes.js';
import type { Limits } from '../wire/limits.js';

export interface PeerSocket {
  /** False when the socket's buffer is full: send no more before `drained` is called. */
  send(frame: string | Uint8Array): boolean;
  close(code: number, reason: string): void;
}

type Waiting = string | Iterator<string>;

export class Outbox {
  readonly #socket: PeerSocket;
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #behind: (code: number, reason: string) => void;
  readonly #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #open = true;
  #cancelStall: (() => void) | undefined;

  constructor(socket: PeerSocket, limits: Limits, clock: Clock, behind: (code: number, reason: string) => void) {
    this.#socket = socket;
    this.#limits = limits;
    this.#clock = clock;
    this.#behind = behind;
  }

  send(frame: string): void {
    if (this.#open && this.#waiting.length === 0) return this.#take(frame);
    this.#waiting.push(frame);
    this.#waitingBytes += frame.length;
    if (this.#waitingBytes > this.#limits.outboxBytes) this.#behind(CLOSE.resync.code, 'resync required');
  }

  stream(frames: Iterable<string>): void {
    this.#waiting.push(frames[Symbol.iterator]());
    this.#pump();
  }

  /** The socket takes frames again. */
  drained(): void {
    this.#open = true;
    this.#cancelStall?.();
    this.#pump();
  }

  /** Drops everything. */
  clear(): void {
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
    this.#cancelStall?.();
  }

  #pump(): void {
    for (let next = this.#waiting[0]; this.#open && next !== undefined; next = this.#waiting[0]) {
      if (typeof next === 'string') {
        this.#waiting.shift();
        this.#waitingBytes -= next.length;
        this.#take(next);
        continue;
      }
      const step = next.next();
      if (step.done) this.#waiting.shift();
      else this.#take(step.value);
    }
  }

  #take(frame: string): void {
    try {
      this.#open = this.#socket.send(frame);
    } catch {
      return this.#behind(CLOSE.overload.code, 'the socket failed');
    }
    if (this.#open) return;
    this.#cancelStall?.();
    this.#cancelStall = this.#clock.after(this.#limits.stalledMs, () => {
      this.#behind(CLOSE.overload.code, 'the peer takes nothing');
    });
  }
}
