/**
 * Backoff with jitter: a connection is tried again after a random time below a bound that doubles with each attempt, so
 * that those whom one server has lost do not all come back at once; and not before there is a network, where that is
 * known. [CL5]
 */
import type { Clock } from '../../ports/clock.js';

export interface RetryOptions {
  /** Below which the first wait is. */
  readonly firstMs?: number;
  /** Below which every wait is. */
  readonly mostMs?: number;
  /** At least 0, below 1. */
  readonly random?: () => number;
}

/** Whether there is a network. */
export interface Network {
  readonly isOnline: boolean;
  /** Called when there is one again; the result ends it. */
  onOnline(listener: () => void): () => void;
  /** Called when there is none any more; the result ends it. Where it is absent, silence tells. */
  onOffline?(listener: () => void): () => void;
  /** False while nobody sees what this program shows. */
  readonly isShown?: boolean;
  /** Called when somebody sees it again; the result ends it. */
  onShown?(listener: () => void): () => void;
}

export class Retrying {
  readonly #clock: Clock;
  readonly network: Network;
  readonly #options: Required<RetryOptions>;
  #attempts = 0;
  /** Over so long those whom the server that was joined last has are to come back, if it dies without a word. [HS10] */
  spreadMs: number | undefined;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, network: Network, { firstMs = 500, mostMs = 30_000, random = Math.random }: RetryOptions) {
    this.#clock = clock;
    this.network = network;
    this.#options = { firstMs, mostMs, random };
  }

  /** Calls back once, and answers when that will be; undefined while there is no network. `ms` is when the server says. */
  wait(again: () => void, wanted?: number): number | undefined {
    const { firstMs, mostMs, random } = this.#options;
    const ms = this.network.isOnline
      ? (wanted ?? random() * Math.min(mostMs, Math.max(this.spreadMs ?? 0, firstMs * 2 ** this.#attempts++)))
      : undefined;
    const go = (): void => {
      this.stop();
      again();
    };
    const unlisten = this.network.onOnline(go);
    const cancelTimer = ms === undefined ? undefined : this.#clock.after(ms, go);
    this.#cancel = () => {
      unlisten();
      cancelTimer?.();
    };
    return ms === undefined ? undefined : this.#clock.now() + ms;
  }

  /** All is well again. */
  reset(): void {
    this.#attempts = 0;
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

/** What tells of events, where it does. */
interface Teller {
  addEventListener?(type: string, listener: () => void): void;
  removeEventListener?(type: string, listener: () => void): void;
}

interface Browser extends Teller {
  readonly navigator?: { readonly onLine?: boolean };
  readonly document?: Teller & { readonly visibilityState: string };
}

/** Network as a browser sees it. Elsewhere nothing is known of it: there always is one. */
export const browserNetwork: Network = {
  get isOnline() {
    return (globalThis as Browser).navigator?.onLine !== false;
  },
  onOnline: (listener) => listen(globalThis as Browser, 'online', listener),
  onOffline: (listener) => listen(globalThis as Browser, 'offline', listener),
  get isShown() {
    return (globalThis as Browser).document?.visibilityState !== 'hidden';
  },
  onShown: (listener) =>
    listen((globalThis as Browser).document, 'visibilitychange', () => void (browserNetwork.isShown && listener())),
};

function listen(teller: Teller | undefined, type: string, listener: () => void): () => void {
  teller?.addEventListener?.(type, listener);
  return () => teller?.removeEventListener?.(type, listener);
}
