/** Nonces of proofs that were accepted, for as long as a proof could be shown again. [AU3] */

/** A proof may be dated ahead of the server's clock as far as behind it. */
const KEPT_MS = 2 * 60_000;

export class UsedProofs {
  readonly #nonces = new Map<string, number>();

  has(nonce: string): boolean {
    return this.#nonces.has(nonce.toLowerCase());
  }

  /** False when it was used before. Only verified proofs come here, so nobody can fill this without a signature for each. */
  use(nonce: string, now: number): boolean {
    this.#forget(now);
    const name = nonce.toLowerCase();
    if (this.#nonces.has(name)) return false;
    this.#nonces.set(name, now);
    return true;
  }

  /** Entries stand in the order of time. */
  #forget(now: number): void {
    for (const [nonce, usedAt] of this.#nonces) {
      if (now - usedAt <= KEPT_MS) return;
      this.#nonces.delete(nonce);
    }
  }
}
