/**
 * Nonces of proofs that were accepted, for as long as a proof could be shown again. [AU3]
 *
 * The clock may be set back, to when a proof that is long past is of now again. So all are kept until they are many; then
 * those go whose time is past, and what is dated no later than one that went is not taken any more, whatever the clock says.
 */

/** A proof may be dated ahead of the server's clock as far as behind it. */
const PAST_MS = 2 * 60_000;

/** About 100 bytes each. */
const MANY = 32_768;

export class UsedProofs {
  /** Proofs that were used, each with the time that it is dated. */
  readonly #nonces = new Map<string, number>();
  readonly #many: number;
  #most: number;
  #forgottenUpTo = Number.NEGATIVE_INFINITY;

  constructor(many = MANY) {
    this.#many = this.#most = many;
  }

  has(nonce: string): boolean {
    return this.#nonces.has(nonce.toLowerCase());
  }

  /** Whether it is not known any more if a proof of such a date was used. */
  isForgotten(ts: number): boolean {
    return ts <= this.#forgottenUpTo;
  }

  /** False when it was used before. Only verified proofs come here, so nobody can fill this without a signature for each. */
  use(nonce: string, ts: number, now: number): boolean {
    const name = nonce.toLowerCase();
    if (this.isForgotten(ts) || this.#nonces.has(name)) return false;
    this.#nonces.set(name, ts);
    if (this.#nonces.size > this.#most) this.#forget(now);
    return true;
  }

  #forget(now: number): void {
    for (const [nonce, ts] of this.#nonces) {
      if (ts >= now - PAST_MS) continue;
      this.#nonces.delete(nonce);
      this.#forgottenUpTo = Math.max(this.#forgottenUpTo, ts);
    }
    this.#most = Math.max(this.#many, 2 * this.#nonces.size); // looked through seldom, however many there are
  }
}
