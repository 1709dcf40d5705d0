/**
 * Who speaks for the hosts of a world: the store's one key; or keys of processes that a root certifies, of which some are revoked, and
 * roots that others follow. A process knows what was so when it started.
 */
import {
  type Authority,
  type Crypto,
  type KeyPair,
  type Signer,
  certifiedAuthority,
  makeMandate,
  makeSuccession,
} from '@weft/core';

export class Authorities {
  readonly #crypto: Crypto;
  readonly #newKeys: () => KeyPair;
  /** One after the other; none where the store's key does all. */
  readonly #roots: Signer[] = [];
  readonly #successions: Uint8Array[] = [];
  readonly #revocations: Uint8Array[] = [];
  /** Keys of the process at each place, each with the root that has certified it. */
  readonly #signers = new Map<number, (readonly [signer: Signer, root: Signer])[]>();
  #changes = 0;
  /** How many changes the process at each place knew of when it started. */
  readonly #known = new Map<number, number>();

  constructor(crypto: Crypto, newKeys: () => KeyPair, isCertified: boolean) {
    [this.#crypto, this.#newKeys] = [crypto, newKeys];
    if (isCertified) this.#roots.push(this.#newSigner());
  }

  /** What the process at a place is started with; undefined where the store's key does all. */
  startedAt(place: number): ((founder: Signer) => Promise<Authority>) | undefined {
    const root = this.#roots.at(-1);
    if (!root) return undefined;
    this.#known.set(place, this.#changes);
    const signers = this.#signers.get(place) ?? [[this.#newSigner(), root]];
    this.#signers.set(place, signers);
    const [own, successions, revocations] = [[...signers], [...this.#successions], [...this.#revocations]];
    return async (founder) =>
      certifiedAuthority({
        roots: [root.publicKey],
        founder,
        founding: await makeMandate('founder', { key: founder.publicKey }, root),
        signer: own.map(([signer]) => signer),
        certificates: await Promise.all(
          own.map(([{ publicKey }, by]) => makeMandate('signer', { key: publicKey }, by)),
        ),
        successions,
        revocations,
      });
  }

  /** Whether a process does not know what is so by now. */
  isBehind(place: number): boolean {
    return (this.#known.get(place) ?? 0) < this.#changes;
  }

  /** Another root follows the present one. */
  async succeed(): Promise<boolean> {
    const root = this.#roots.at(-1);
    if (!root) return false;
    const next = this.#newSigner();
    this.#successions.push(
      await makeSuccession({ roots: [next.publicKey], serial: this.#successions.length + 1 }, [root]),
    );
    this.#roots.push(next);
    for (const signers of this.#signers.values()) signers.push([this.#newSigner(), next]);
    this.#changes++;
    return true;
  }

  /** The key of the process at a place is revoked, and it takes another one. */
  async revoke(place: number): Promise<boolean> {
    const last = this.#signers.get(place)?.pop();
    if (!last) return false;
    const [{ publicKey }, root] = last;
    this.#revocations.push(await makeMandate('signer-revoked', { key: publicKey }, root));
    this.#signers.get(place)!.push([this.#newSigner(), root]);
    this.#changes++;
    return true;
  }

  #newSigner(): Signer {
    return this.#crypto.signerOf(this.#newKeys());
  }
}
