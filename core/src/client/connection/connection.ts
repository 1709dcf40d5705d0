/**
 * One socket, from its opening to its end: frames out, frames in, and which of these answers what. [CL5]
 *
 * It ends once, for whoever ended it: what the socket says afterwards is not heard. While an answer is awaited, a server
 * that says nothing at all for too long counts as gone: a network that fails does not close sockets.
 */
import type { Clock } from '../../ports/clock.js';
import { Rejection } from '../../rejection.js';
import { type Encoded, type Frame, encodeFrame, parseFrame } from '../../wire/frame.js';
import { type IsAnswer, Requests } from './requests.js';
import { troubleOf } from './trouble.js';
import type { Closing, WebSocketLike } from './web-socket.js';

export { parseFrame } from '../../wire/frame.js';

export const SILENCE_MS = 30_000;

export interface ConnectionParts {
  /** Just made: its `open` event has not happened yet. */
  readonly socket: WebSocketLike;
  readonly clock: Clock;
  readonly opened: () => void;
  /** `isAnswer`: somebody has asked for it. */
  readonly received: (frame: Frame, isAnswer: boolean) => void;
  /** `trouble`: why, by name. */
  readonly ended: (closing: Closing, trouble: Rejection) => void;
}

export class Connection {
  readonly #parts: ConnectionParts;
  readonly #requests = new Requests();
  #isBinary = false;
  #isOpen = false;
  #isEnded = false;
  #heardAt = 0;
  /** What the socket has said of why it fails. */
  #said = '';
  #cancelWatch: (() => void) | undefined;
  #trouble: Rejection | undefined;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    const { socket, opened } = parts;
    if (socket.binaryType !== undefined) socket.binaryType = 'arraybuffer';
    socket.addEventListener('open', () => {
      this.#isOpen = true;
      if (!this.#isEnded) opened();
    });
    socket.addEventListener('message', ({ data }) => this.#receive(data));
    socket.addEventListener('error', (event) => (this.#said = messageIn(event)));
    socket.addEventListener('close', ({ code, reason }) => this.#end({ code, reason }));
    this.#heardAt = parts.clock.now();
    this.#watch();
  }

  /** When something came last, in Unix milliseconds. */
  get heardAt(): number {
    return this.#heardAt;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Frames are MessagePack from here on. [BF1] */
  useBinary(): void {
    this.#isBinary = true;
  }

  get isBinary(): boolean {
    return this.#isBinary;
  }

  send(frame: Frame): void {
    if (!this.#isEnded) this.#parts.socket.send(encodeFrame(frame, this.#isBinary));
  }

  /** Resolves with the frame that answers; rejects with the server's refusal, or when the connection ends first. */
  ask(frame: Frame, isAnswer?: IsAnswer): Promise<Frame> {
    const answer = this.#requests.ask(frame, (named) => this.send(named), isAnswer);
    if (!this.#cancelWatch && this.#requests.waiting > 0) {
      this.#heardAt = this.#parts.clock.now();
      this.#watch();
    }
    return answer;
  }

  /** Ends the connection. Whoever made it is told at once, before the socket has closed. */
  close(code: number, reason: string, trouble?: Rejection): void {
    if (this.#isEnded) return;
    this.#trouble = trouble;
    this.#parts.socket.close(code, reason);
    this.#end({ code, reason });
  }

  #receive(data: unknown): void {
    if (this.#isEnded) return;
    this.#heardAt = this.#parts.clock.now();
    const frame = isEncoded(data) ? parseFrame(data instanceof ArrayBuffer ? new Uint8Array(data) : data) : undefined;
    if (frame) this.#parts.received(frame, this.#requests.answer(frame));
  }

  /** From when something is awaited, the opening or an answer, until nothing is. */
  #watch(): void {
    const { clock } = this.#parts;
    const left = Math.min(SILENCE_MS, this.#heardAt + SILENCE_MS - clock.now()); // the clock may have been set back
    this.#cancelWatch = clock.after(left, () => {
      this.#cancelWatch = undefined;
      if (this.#isOpen && this.#requests.waiting === 0) return;
      if (clock.now() < this.#heardAt + SILENCE_MS) this.#watch();
      else this.close(1000, 'no answer', new Rejection('unreachable', 'the room server has not answered for 30 s'));
    });
  }

  #end(closing: Closing): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#cancelWatch?.();
    const trouble = this.#trouble ?? troubleOf(closing, this.#isOpen, this.#said, this.#parts.socket.url);
    this.#requests.end(trouble);
    this.#parts.ended(closing, trouble);
  }
}

/** Text of an error event: browsers give none. */
function messageIn(event: unknown): string {
  const message: unknown =
    typeof event === 'object' && event !== null && 'message' in event ? event.message : undefined;
  return typeof message === 'string' ? message : '';
}

function isEncoded(data: unknown): data is Encoded | ArrayBuffer {
  return typeof data === 'string' || data instanceof ArrayBuffer || data instanceof Uint8Array;
}
