/**
 * Stream limits: how many streams a client may hold open, and how many bytes may wait in each for a slow reader.
 *
 * What the protocol library writes is taken from it at once, so the number of waiting bytes is known. A reader that is too slow
 * loses its stream; it reconnects, and reads again what it wants to know.
 */
import { refusal } from '../../reasons.js';

export interface StreamBounds {
  /** Largest number of open streams that are counted together. */
  readonly mostStreams: number;
  /** Bound on waiting bytes; one message more may follow them. */
  readonly mostWaiting: number;
}

export interface Passing {
  /** Key of the count: streams with the same key are counted together. */
  readonly countedAs: string;
  /** Access check before each message: a token may be revoked while its stream is open. */
  readonly isAllowed: () => boolean;
  readonly whenEnded?: () => void;
}

export class OpenStreams {
  readonly #bounds: StreamBounds;
  readonly #open = new Map<string, number>();

  constructor(bounds: StreamBounds) {
    this.#bounds = bounds;
  }

  count(countedAs: string): number {
    return this.#open.get(countedAs) ?? 0;
  }

  refuseMore(countedAs: string): void {
    const { mostStreams } = this.#bounds;
    if (this.count(countedAs) >= mostStreams)
      throw refusal('reject.too_many_sessions', `${mostStreams} streams are open already`, { mostStreams });
  }

  /** Passes a response on; a stream is counted and held to the limits. */
  pass(response: Response, passing: Passing): Response {
    const { body, status, headers } = response;
    if (!body || headers.get('content-type')?.startsWith('text/event-stream') !== true) return response;
    return new Response(this.#bounded(body, passing), { status, headers });
  }

  #bounded(body: ReadableStream<Uint8Array>, { countedAs, isAllowed, whenEnded }: Passing): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    this.#open.set(countedAs, this.count(countedAs) + 1);
    let isOpen = true;
    const ended = (): void => {
      if (!isOpen) return;
      isOpen = false;
      const left = this.count(countedAs) - 1;
      if (left > 0) this.#open.set(countedAs, left);
      else this.#open.delete(countedAs);
      whenEnded?.();
    };
    const move = async (to: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
      for (;;) {
        const { done, value } = await reader.read();
        if (!isOpen) return;
        if (done || !isAllowed()) return to.close();
        if ((to.desiredSize ?? 0) <= 0) throw new Error('more waits for the reader of a stream than may');
        to.enqueue(value);
      }
    };
    const leave = async (): Promise<void> => {
      ended();
      await reader.cancel();
    };
    return new ReadableStream<Uint8Array>(
      {
        start: (to) => {
          move(to)
            .catch((error: unknown) => to.error(error))
            .finally(leave)
            .catch(() => undefined);
        },
        cancel: leave,
      },
      new ByteLengthQueuingStrategy({ highWaterMark: this.#bounds.mostWaiting }),
    );
  }
}
