/** Network that can be switched off for one room, whatever the browser says. */
import type { Network } from '@weft/core/client';

export class OfflineSwitch implements Network {
  readonly #network: Network;
  #isOff = false;
  /** Told when it is switched. */
  readonly #listeners = new Set<() => void>();

  constructor(network: Network) {
    this.#network = network;
  }

  get isOff(): boolean {
    return this.#isOff;
  }

  set isOff(isOff: boolean) {
    this.#isOff = isOff;
    this.#listeners.forEach((tell) => tell());
  }

  get isOnline(): boolean {
    return !this.#isOff && this.#network.isOnline;
  }

  onOnline(listener: () => void): () => void {
    const tell = (): void => (this.#isOff ? undefined : listener());
    return this.#both(tell, this.#network.onOnline(tell));
  }

  onOffline(listener: () => void): () => void {
    return this.#both(() => (this.#isOff ? listener() : undefined), this.#network.onOffline?.(listener));
  }

  get isShown(): boolean {
    return this.#network.isShown ?? true;
  }

  onShown(listener: () => void): () => void {
    return this.#network.onShown?.(listener) ?? (() => undefined);
  }

  #both(own: () => void, end?: () => void): () => void {
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
      end?.();
    };
  }
}
