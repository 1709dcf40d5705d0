/**
 * Tabs of one device that have the same room open: each has a key of its own, so what one writes is to the others what any peer
 * writes. With a connection the server tells them; without one they tell each other, and of what was refused always.
 */
import type { Replica } from '@weft/core/client';
import { giveUpGone, noteGone } from './gone.js';
import type { Records } from './storage/records.js';

/** Pause between two tellings, and what each unsent node adds to it: many are a lot to read. */
const PAUSE_MS = 50;
const NODE_MS = 0.05;

type Said = { readonly nodes: Uint8Array } | 'gone' | 'hello';

export class Tabs {
  readonly #records: Records;
  readonly #replica: Replica;
  readonly #isAlone: () => boolean;
  readonly #ends: readonly (() => void)[];
  /** The newest of the own nodes that the others have been told of. */
  #last = -1;
  #isEnded = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `isAlone`: whether there is no server to tell the others. */
  constructor(records: Records, replica: Replica, isAlone: () => boolean) {
    this.#records = records;
    this.#replica = replica;
    this.#isAlone = isAlone;
    const again = (): void => {
      this.#last = -1;
      this.tell();
    };
    this.#ends = [
      records.onSaid((said) => void this.#heard(said as Said).catch(() => undefined)),
      replica.exchange.onWrite(() => this.tell()),
      replica.exchange.onGivenUp(again),
      replica.onRefused(again),
    ];
    void this.giveUp().catch(() => undefined);
    records.say('hello' satisfies Said);
    this.tell();
  }

  /** Tells the others soon what they may lack. */
  tell(): void {
    if (this.#isEnded || this.#timer !== undefined || !this.#isAlone()) return;
    const pause = PAUSE_MS + this.#replica.unsent * NODE_MS;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#tell().catch(() => undefined); // the tab is being closed
    }, pause);
  }

  async #tell(): Promise<void> {
    if (!this.#isAlone()) return;
    for (;;) {
      const shared = await this.#replica.exchange.share(this.#last);
      if (!shared || this.#isEnded) return;
      this.#last = shared.last;
      this.#records.say({ nodes: shared.nodes } satisfies Said);
    }
  }

  async #heard(said: Said): Promise<void> {
    if (said === 'hello') {
      this.#last = -1;
      return this.tell();
    }
    if (said !== 'gone') await this.#replica.receive(said.nodes);
    // What a tab has said may be older than what it was told.
    await this.giveUp();
  }

  /** Gives up what any tab has found to be refused. */
  giveUp(): Promise<void> {
    return giveUpGone(this.#records, this.#replica);
  }

  /** Notes nodes of this tab that were refused for good, for itself later and for the others. */
  async gone(ids: readonly string[]): Promise<void> {
    await noteGone(this.#records, ids);
    this.#records.say('gone' satisfies Said);
  }

  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    for (const end of this.#ends) end();
  }
}
