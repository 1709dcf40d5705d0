/** Connection of a peer while it is found out which process has his room: what he sends waits, up to a bound. */
import { CLOSE, type Closing, type Connection, type PeerSocket } from '@weft/core';

export class WaitingConnection implements Connection {
  readonly #socket: PeerSocket;
  readonly #mostBytes: number;
  #waiting: (string | Uint8Array)[] = [];
  #bytes = 0;
  #target: Connection | undefined;
  #isOver = false;

  constructor(socket: PeerSocket, mostBytes: number) {
    this.#socket = socket;
    this.#mostBytes = mostBytes;
  }

  /** What he has sent goes on. Nothing is made for one who has left. */
  become(make: () => Connection): void {
    if (this.#isOver) return;
    this.#target = make();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const frame of waiting) this.#target.receive(frame);
  }

  refuse(code: number, reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#waiting = [];
    this.#socket.close(code, reason);
  }

  receive(frame: string | Uint8Array): void {
    if (this.#target) return this.#target.receive(frame);
    if (this.#isOver) return;
    this.#bytes += frame.length;
    if (this.#bytes > this.#mostBytes) this.refuse(CLOSE.overload.code, 'server overload');
    else this.#waiting.push(frame);
  }

  drained(): void {
    this.#target?.drained();
  }

  progressed(): void {
    this.#target?.progressed();
  }

  closed(by?: Closing): void {
    this.#isOver = true;
    this.#waiting = [];
    this.#target?.closed(by);
  }
}
