/**
 * Heartbeat: finds out that a connection is dead where nothing is asked, as by a page that only shows. What comes anyway
 * counts; after a silence the server is asked something small. Nobody is asked for a page that nobody sees: it asks at once
 * when it is shown again. [CL10]
 */
import type { Clock } from '../../ports/clock.js';
import { Rejection } from '../../rejection.js';
import type { Connection } from './connection.js';
import type { Network } from './retrying.js';

export interface HeartbeatOptions {
  /** Silence after which the server is asked. */
  readonly everyMs?: number;
  /** How long its answer may take. */
  readonly withinMs?: number;
}

const EVERY_MS = 10_000;
const WITHIN_MS = 3000;

export class Heartbeat {
  readonly #clock: Clock;
  readonly #network: Network;
  readonly #connection: Connection;
  readonly #everyMs: number;
  readonly #withinMs: number;
  readonly #unlisten: readonly (() => void)[];
  #cancel: () => void = () => undefined;
  #isAsking = false;

  constructor(clock: Clock, network: Network, connection: Connection, options: HeartbeatOptions) {
    this.#clock = clock;
    this.#network = network;
    this.#connection = connection;
    this.#everyMs = options.everyMs ?? EVERY_MS;
    this.#withinMs = options.withinMs ?? WITHIN_MS;
    const ask = (): void => this.#ask();
    this.#unlisten = [network.onOnline(ask), network.onShown?.(ask) ?? (() => undefined)];
    this.#wait();
  }

  stop(): void {
    this.#cancel();
    for (const end of this.#unlisten) end();
  }

  #wait(): void {
    // The clock may have been set back.
    const left = Math.min(this.#everyMs, Math.max(0, this.#connection.heardAt + this.#everyMs - this.#clock.now()));
    this.#cancel = this.#clock.after(left, () => {
      const isSilent = this.#clock.now() >= this.#connection.heardAt + this.#everyMs;
      if (isSilent && this.#network.isShown !== false) this.#ask();
      else if (isSilent) this.#cancel = this.#clock.after(this.#everyMs, () => this.#wait());
      else this.#wait();
    });
  }

  #ask(): void {
    if (this.#isAsking || this.#connection.isEnded) return;
    this.#isAsking = true;
    this.#cancel();
    this.#cancel = this.#clock.after(this.#withinMs, () => {
      const seconds = this.#withinMs / 1000;
      const trouble = new Rejection('unreachable', `the room server has not answered for ${seconds} s`);
      this.#connection.close(1000, 'no answer', trouble);
    });
    const answered = (): void => {
      this.#isAsking = false;
      this.#cancel();
      if (!this.#connection.isEnded) this.#wait();
    };
    // A refusal is an answer too.
    this.#connection.ask({ type: 'server-info' }).then(answered, answered);
  }
}
