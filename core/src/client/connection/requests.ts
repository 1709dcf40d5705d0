/** Requests that wait: answers are matched to them by `req_id` or as whoever asks says. */
import { Rejection } from '../../rejection.js';
import type { Frame } from '../../wire/frame.js';

/** Requests that may wait for their answers. */
const MOST_WAITING = 1024;

/** Whether a frame without a number is the answer. */
export type IsAnswer = (frame: Frame) => boolean;

interface Waiting {
  readonly isAnswer: IsAnswer | undefined;
  resolve(frame: Frame): void;
  reject(error: Error): void;
}

export class Requests {
  readonly #waiting = new Map<number, Waiting>();
  #count = 0;
  #ended: Error | undefined;

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Hands the frame with its id to `send`; resolves with the answer, rejects with the `error` frame as a `Rejection`. */
  ask(frame: Frame, send: (frame: Frame) => void, isAnswer?: IsAnswer): Promise<Frame> {
    if (this.#ended) return Promise.reject(this.#ended);
    if (this.#waiting.size >= MOST_WAITING)
      return Promise.reject(new Rejection('rate-limit', `${MOST_WAITING} requests wait for their answers`));
    const id = ++this.#count;
    return new Promise((resolve, reject) => {
      send({ ...frame, req_id: id });
      this.#waiting.set(id, { isAnswer, resolve, reject });
    });
  }

  /** Whether it was one. */
  answer(frame: Frame): boolean {
    const id = this.#idOf(frame);
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || !waiting) return false;
    this.#waiting.delete(id);
    if (frame.type === 'error') waiting.reject(refusalIn(frame));
    else waiting.resolve(frame);
    return true;
  }

  #idOf(frame: Frame): number | undefined {
    const id = frame['req_id'];
    if (typeof id === 'number') return id;
    for (const [number, { isAnswer }] of this.#waiting) if (isAnswer?.(frame)) return number;
    return undefined;
  }

  /** No answer can come any more, to these nor to later ones. */
  end(error: Error): void {
    this.#ended ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

/** What an `error` frame says. */
export function refusalIn(frame: Frame): Rejection {
  return new Rejection(String(frame['code']), String(frame['msg']));
}
