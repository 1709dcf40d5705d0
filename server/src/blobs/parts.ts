/**
 * Uploads that come in parts, so that what breaks off goes on: each is one `put` into the store whose bytes come from one
 * request after the other. A sender that goes away leaves it waiting; whoever asks next is told how far it got. In memory and
 * in the store's draft alone: after a restart an upload begins anew.
 */
import type { Clock } from '@weft/core';

/** How long an upload waits for its next part. */
const WAIT_MS = 15 * 60 * 1000;
/** Most uploads in parts at a time, as many as the listener has connections: beyond that the one that has waited longest goes. */
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
  #waitsSince = 0;
  #hasEnded = false;
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
    const stopWaiting = (): void => this.#stopWaiting();
    this.stored.then(stopWaiting, stopWaiting); // what failed is told to whoever sends the part that fails
  }

  /** Bytes that were handed to the store. */
  get taken(): number {
    return this.#taken;
  }

  get isWaiting(): boolean {
    return this.#part === undefined;
  }

  /** Since when it waits for its next part; undefined while one comes. */
  get waitsSince(): number | undefined {
    return this.isWaiting ? this.#waitsSince : undefined;
  }

  /** Ends what is being sent, if anything is: its sender may be gone without having said so. */
  async pause(): Promise<void> {
    this.#part?.leave();
    await this.#idleOrEnded();
  }

  /** A store that fails leaves the part where it was: nobody takes the rest of it. */
  async #idleOrEnded(): Promise<void> {
    const ended = this.stored.catch(() => undefined);
    await Promise.race([this.#idle, ended]);
  }

  /** Resolves when all of the part was taken or it broke off; rejects when the store has ended the upload. Only while it waits. */
  async take(part: Part): Promise<void> {
    this.#stopWaiting();
    this.#part = part;
    this.#idle = new Promise((resolve) => (this.#partDone = resolve));
    this.#give(part);
    await Promise.race([this.#idle, this.stored]);
  }

  /** Ends it, also in the middle of a part, which is its last. */
  end(error: Error): void {
    this.#hasEnded = true;
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
    this.#waitsSince = this.#clock.now();
    this.#next = new Promise((resolve, reject) => {
      this.#give = resolve;
      this.#fail = reject;
    });
    this.#next.catch(() => undefined); // the store may have ended before it asks
    if (this.#hasEnded) return this.#fail(new Error('the upload was ended'));
    this.#stopWaiting = this.#clock.after(WAIT_MS, () => this.#fail(new Error('the rest of an upload did not come')));
  }
}

/** Uploads in parts by the link that each was begun with. */
export class PartsByLink {
  readonly #clock: Clock;
  readonly #uploads = new Map<string, UploadInParts>();
  #isOpen = true;

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
    if (!this.#isOpen) throw new Error('the server stops');
    if (this.#uploads.size >= MOST) this.#endLongestWaiting();
    const upload = new UploadInParts(size, this.#clock, store);
    this.#uploads.set(id, upload);
    const forget = (): void => void (this.#uploads.get(id) === upload && this.#uploads.delete(id));
    upload.stored.then(forget, forget);
    return upload;
  }

  open(): void {
    this.#isOpen = true;
  }

  /** Ends what has begun; nothing begins from now on. */
  close(): void {
    this.#isOpen = false;
    for (const upload of this.#uploads.values()) upload.end(new Error('the server stops'));
  }

  #endLongestWaiting(): void {
    let longest: { readonly id: string; readonly upload: UploadInParts; readonly since: number } | undefined;
    for (const [id, upload] of this.#uploads) {
      const since = upload.waitsSince;
      if (since !== undefined && (!longest || since < longest.since)) longest = { id, upload, since };
    }
    if (!longest) return;
    this.#uploads.delete(longest.id);
    longest.upload.end(new Error('too many uploads wait for their next part'));
  }
}
