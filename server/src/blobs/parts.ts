/**
 * Uploads that come in parts, so that what breaks off goes on: each is one `put` into the store whose bytes come from one
 * request after the other. A sender that goes away leaves it waiting; whoever asks next is told how far it got. In memory and
 * in the store's draft alone: after a restart an upload begins anew.
 */
import type { Clock } from '@weft/core';

/** How long an upload waits for its next part. */
const WAIT_MS = 15 * 60 * 1000;
/** As many as the listener has connections: beyond that the one that has waited longest goes. */
const MOST = 256;

/** A request with the bytes that come next; `leave` ends it early. */
interface Part {
  readonly bytes: AsyncIterable<Uint8Array>;
  leave(): void;
}

class UploadInParts {
  readonly #size: number;
  readonly #clock: Clock;
  #taken = 0;
  #part: Part | undefined;
  /** Settled while nobody sends. */
  #idle: Promise<void> = Promise.resolve();
  #stopWaiting: () => void = () => undefined;
  #give: (part: Part) => void = () => undefined;
  #fail: (error: Error) => void = () => undefined;
  #next!: Promise<Part>;
  #partDone: () => void = () => undefined;
  /** Settles with the store's answer, once all parts are there or the upload has ended without them. */
  readonly stored: Promise<void>;

  constructor(size: number, clock: Clock, store: (bytes: AsyncIterable<Uint8Array>) => Promise<void>) {
    this.#size = size;
    this.#clock = clock;
    this.#wait();
    this.stored = store(this.#bytes());
    this.stored.catch(() => undefined); // told to whoever sends the part that fails
  }

  /** Bytes that were handed to the store. */
  get taken(): number {
    return this.#taken;
  }

  get isWaiting(): boolean {
    return this.#part === undefined;
  }

  /** Ends what is being sent, if anything is: its sender may be gone without having said so. */
  async pause(): Promise<void> {
    this.#part?.leave();
    await this.#idle;
  }

  /** Resolves when all of the part was taken or it broke off; rejects when the store has ended the upload. Only while it waits. */
  async take(part: Part): Promise<void> {
    this.#stopWaiting();
    this.#part = part;
    this.#idle = new Promise((resolve) => (this.#partDone = resolve));
    this.#give(part);
    await Promise.race([this.#idle, this.stored]);
  }

  end(error: Error): void {
    this.#stopWaiting();
    this.#fail(error);
    this.#part?.leave();
  }

  async *#bytes(): AsyncGenerator<Uint8Array> {
    while (this.#taken < this.#size) {
      const { bytes } = await this.#next;
      try {
        for await (const chunk of bytes) {
          this.#taken += chunk.length;
          yield chunk;
        }
      } catch {
        // Its sender is gone: the next part goes on from here.
      }
      if (this.#taken < this.#size) this.#wait();
      this.#part = undefined;
      this.#partDone();
    }
  }

  #wait(): void {
    this.#next = new Promise((resolve, reject) => {
      this.#give = resolve;
      this.#fail = reject;
    });
    this.#next.catch(() => undefined); // the store may have ended before it asks
    this.#stopWaiting = this.#clock.after(WAIT_MS, () => this.#fail(new Error('the rest of an upload did not come')));
  }
}

/** Uploads in parts by the link that each was begun with. */
export class PartsByLink {
  readonly #clock: Clock;
  readonly #uploads = new Map<string, UploadInParts>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  has(link: string): boolean {
    return this.#uploads.has(link);
  }

  of(link: string): UploadInParts | undefined {
    return this.#uploads.get(link);
  }

  begin(
    { id, size }: { readonly id: string; readonly size: number },
    store: (bytes: AsyncIterable<Uint8Array>) => Promise<void>,
  ): UploadInParts {
    if (this.#uploads.size >= MOST) this.#endOldest();
    const upload = new UploadInParts(size, this.#clock, store);
    this.#uploads.set(id, upload);
    const forget = (): void => void (this.#uploads.get(id) === upload && this.#uploads.delete(id));
    upload.stored.then(forget, forget);
    return upload;
  }

  endAll(): void {
    for (const upload of this.#uploads.values()) upload.end(new Error('the server stops'));
  }

  #endOldest(): void {
    for (const [id, upload] of this.#uploads) {
      if (!upload.isWaiting) continue;
      this.#uploads.delete(id);
      return upload.end(new Error('too many uploads wait for their next part'));
    }
  }
}
