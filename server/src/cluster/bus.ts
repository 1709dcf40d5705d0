/**
 * Bus: links between the processes of a cluster. The battery in `bus.test.ts` holds every bus to this.
 *
 * A link is an ordered stream of messages between two processes. It loses nothing without ending, and both sides hear that it has
 * ended, each once. It is never the truth: whatever went over a link that has ended is asked anew of the store. What a link
 * has for a process that takes nothing is bounded: then it ends.
 */
import type { Member } from '@weft/core';
import type { Port } from '../threads/wire.js';

export interface Link extends Port {
  /** Called once, when nothing more will come; at once where that is so already. */
  onEnd(ended: () => void): void;
  /** Ends it on both sides. What was sent before may not arrive. */
  end(): void;
}

export interface Bus {
  /** Where other processes reach this one. */
  readonly address: string;
  /** Lets others in from now on: whoever shows that he knows the secret of the store. */
  open(self: Pick<Member, 'id'>, secret: Uint8Array, accept: (from: string, link: Link) => void): Promise<void>;
  /** A link to another process; rejects where it cannot be reached, with a `NobodyThere` where nobody is at its address. */
  dial(member: Member): Promise<Link>;
  /** Whether it is known that nobody is where a process was; of one that only does not answer it is not. */
  isGone(member: Member): Promise<boolean>;
  /** Ends all links. */
  close(): Promise<void>;
}

/** Nobody listens there: the process has ended, unless it may only have lost its way to the bus. */
export class NobodyThere extends Error {
  override readonly name = 'NobodyThere';
  readonly mayBeBack: boolean;

  constructor(message: string, mayBeBack = false) {
    super(message);
    this.mayBeBack = mayBeBack;
  }
}

/** Most that waits for the other process of a link, and longest message. */
export const LINK_BYTES = 256 * 1024 * 1024;

/** Hearers of a link, in one place for all buses: what comes before somebody hears it waits for him. */
export abstract class AnyLink implements Link {
  #hear: ((message: never) => void) | undefined;
  #early: unknown[] = [];
  #ended: (() => void)[] = [];
  #isOver = false;

  abstract postMessage(message: unknown): void;
  abstract end(): void;

  on(_event: 'message', hear: (message: never) => void): this {
    this.#hear = hear;
    const early = this.#early;
    this.#early = [];
    for (const message of early) this.received(message);
    return this;
  }

  onEnd(ended: () => void): void {
    if (this.#isOver) ended();
    else this.#ended.push(ended);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  protected received(message: unknown): void {
    if (this.#hear) this.#hear(message as never);
    else this.#early.push(message);
  }

  protected over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const ended of this.#ended) ended();
  }
}
