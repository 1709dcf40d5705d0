/** Matches answers to requests by `req_id`. */
import { Rejection } from '../rejection.js';
import type { Frame } from '../wire/frame.js';

interface Waiting {
  resolve(frame: Frame): void;
  reject(error: Error): void;
}

export class Requests {
  readonly #waiting = new Map<number, Waiting>();
  #count = 0;
  #ended: Error | undefined;

  /** Hands the frame with its id to `send`; resolves with the answer, rejects with the `error` frame as a `Rejection`. */
  ask(frame: Frame, send: (text: string) => void): Promise<Frame> {
    if (this.#ended) return Promise.reject(this.#ended);
    const id = ++this.#count;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      send(JSON.stringify({ ...frame, req_id: id }));
    });
  }

  answer(frame: Frame): void {
    const id = frame['req_id'];
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined;
    if (typeof id !== 'number' || !waiting) return;
    this.#waiting.delete(id);
    if (frame.type === 'error') waiting.reject(new Rejection(String(frame['code']), String(frame['msg'])));
    else waiting.resolve(frame);
  }

  /** No answer can come any more, to these nor to later ones. */
  end(error: Error): void {
    this.#ended ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
