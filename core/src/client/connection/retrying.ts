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
    this.stop();
    const ms = this.network.isOnline ? (wanted ?? this.#nextMs()) : undefined;
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

  #nextMs(): number {
    const { firstMs, mostMs, random } = this.#options;
    return random() * Math.min(mostMs, Math.max(this.spreadMs ?? 0, firstMs * 2 ** this.#attempts++));
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

interface Page {
  readonly visibilityState: string;
  addEventListener(type: 'visibilitychange', listener: () => void): void;
  removeEventListener(type: 'visibilitychange', listener: () => void): void;
}

interface Browser {
  readonly navigator?: { readonly onLine?: boolean };
  readonly document?: Page;
  addEventListener?(type: 'online' | 'offline', listener: () => void): void;
  removeEventListener?(type: 'online' | 'offline', listener: () => void): void;
}

/** Network as a browser sees it. Elsewhere nothing is known of it: there always is one. */
export const browserNetwork: Network = {
  get isOnline() {
    return (globalThis as Browser).navigator?.onLine !== false;
  },
  onOnline: (listener) => listen('online', listener),
  onOffline: (listener) => listen('offline', listener),
  get isShown() {
    return (globalThis as Browser).document?.visibilityState !== 'hidden';
  },
  onShown(listener) {
    const { document } = globalThis as Browser;
    const shown = (): void => void (document?.visibilityState === 'visible' && listener());
    document?.addEventListener('visibilitychange', shown);
    return () => document?.removeEventListener('visibilitychange', shown);
  },
};

function listen(type: 'online' | 'offline', listener: () => void): () => void {
  const browser = globalThis as Browser;
  browser.addEventListener?.(type, listener);
  return () => browser.removeEventListener?.(type, listener);
}
