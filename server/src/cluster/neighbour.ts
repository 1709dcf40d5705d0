/** Neighbour: another process of the cluster, as this one asks things of it and hands on sockets of its own. */
import type { Limits, Member } from '@weft/core';
import type { AnyOperation, Asking } from '../operator/define.js';
import { NearSockets } from '../threads/near-sockets.js';
import { Wire } from '../threads/wire.js';
import { type Bus, type Link, NobodyThere } from './bus.js';

export interface NeighbourParts {
  readonly bus: Bus;
  readonly limits: Pick<Limits, 'frameBytes' | 'hostInboxBytes'>;
  /** Told when nobody listens any more where it was; resolves once it is no member any more, or cannot be put out. */
  readonly onGone: () => Promise<void>;
  /** Told of each link when it is known what the other process answers. */
  readonly onKnown: (neighbour: Neighbour) => void;
  /** Told of each link that has ended, with the sockets that were handed on over it. */
  readonly onLost: (sockets: NearSockets) => void;
}

/** An open link, with what goes over it. */
export interface Open {
  readonly link: Link;
  readonly wire: Wire;
  readonly sockets: NearSockets;
  /** What the other process answers, beyond what all do: it may be of another version. Empty until it has said so. */
  words: ReadonlySet<string>;
}

/** Milliseconds for which whoever needs the link waits for it. */
const PATIENCE_MS = 3000;

export class Neighbour {
  readonly member: Member;
  readonly #parts: NeighbourParts;
  readonly #asking = new Map<number, Asking>();
  #open: Open | undefined;
  #dialling: Promise<void> | undefined;
  /** Those who wait for a link. */
  readonly #waiting = new Set<() => void>();
  #hasEnded = false;
  /** Whether there was a link to it. */
  #wasThere = false;
  /** Whether nobody listened where it is when it was dialled last. */
  #isRefused = false;
  #next = 0;
  /** Since when it could not be reached; undefined while it can. */
  lostSince: number | undefined = performance.now();

  constructor(member: Member, parts: NeighbourParts) {
    this.member = member;
    this.#parts = parts;
  }

  get open(): Open | undefined {
    return this.#open;
  }

  /** Dials, unless there is a link or will be one. Never rejects. */
  dial(): Promise<void> {
    if (this.#open || this.#hasEnded) return Promise.resolve();
    this.#dialling ??= this.#dial().finally(() => (this.#dialling = undefined));
    return this.#dialling;
  }

  async #dial(): Promise<void> {
    const { bus, limits, onGone, onKnown, onLost } = this.#parts;
    try {
      const link = await bus.dial(this.member);
      this.#isRefused = false;
      if (this.#hasEnded) return link.end();
      this.#wasThere = true;
      const wire = new Wire(link, { mayTellMore: true });
      const sockets = new NearSockets(wire, limits);
      const open: Open = { link, wire, sockets, words: new Set() };
      wire.serve(sockets.answers);
      wire.serve({ progress: (asked: number, value: unknown) => this.#asking.get(asked)?.progress(value) });
      this.#open = open;
      this.lostSince = undefined;
      this.#wake();
      // One of before there were such words does not know this one either.
      wire.call<readonly string[]>('words').then(
        (words) => {
          open.words = new Set(words);
          onKnown(this);
        },
        () => undefined,
      );
      link.onEnd(() => {
        wire.end(new Error(`the process at ${this.member.address} does not answer any more`));
        this.#open = undefined;
        this.lostSince = performance.now();
        onLost(sockets);
        // A process that has ended is refused at once, and its rooms need not wait for its lease.
        void this.dial();
      });
    } catch (error) {
      this.#isRefused = error instanceof NobodyThere;
      // That its link has ended is the other sign. Whoever was never reached may be alive behind an address that leads nowhere.
      if (error instanceof NobodyThere && !error.mayBeBack && this.#wasThere) await onGone();
    }
  }

  /** Waits a while for a link; undefined where there is none then, and at once when it is no member any more. */
  async reach(): Promise<Open | undefined> {
    if (this.#open || this.#hasEnded) return this.#open;
    let stop = (): void => undefined;
    const late = new Promise<void>((resolve) => (stop = resolve));
    const timer = setTimeout(stop, PATIENCE_MS);
    this.#waiting.add(stop);
    await Promise.race([this.dial(), late]);
    // Whether it has died is found by the looks, or it is back before that.
    if (this.#isRefused && !this.#open) await late;
    clearTimeout(timer);
    this.#waiting.delete(stop);
    return this.#open;
  }

  /** Tells it something that not every version knows; false where it cannot be reached or would not know. */
  tell(what: string, ...args: readonly unknown[]): boolean {
    if (!this.#open?.words.has(what)) return false;
    this.#open.wire.tell(what, ...args);
    return true;
  }

  async perform({ name }: AnyOperation, input: unknown, asking: Asking): Promise<unknown> {
    asking.signal.throwIfAborted();
    const open = await this.reach();
    if (!open) throw new Error(`the process at ${this.member.address}, which has to be asked, cannot be reached`);
    const asked = this.#next++;
    const abort = (): void => open.wire.tell('abort', asked);
    this.#asking.set(asked, asking);
    asking.signal.addEventListener('abort', abort);
    try {
      return await open.wire.call('perform', name, input, asked);
    } finally {
      asking.signal.removeEventListener('abort', abort);
      this.#asking.delete(asked);
    }
  }

  /** It is no member any more. */
  end(): void {
    this.#hasEnded = true;
    this.#open?.link.end();
    this.#wake();
  }

  #wake(): void {
    for (const stop of this.#waiting) stop();
  }
}
