/**
 * Current authority: the word of roots that is in force, in the place of which another one may come while rooms are open. [MA7]
 *
 * Rooms hold this one and ask it each time; `edition` tells them that what they have concluded from it is old.
 */
import type { Signer } from '../ports/crypto.js';
import type { Authority, RoomSpeaker } from './authority.js';
import type { Reign } from './reign.js';

export class CurrentAuthority implements Authority {
  #said: Authority;
  #edition = 0;

  constructor(said: Authority) {
    this.#said = said;
  }

  renew(said: Authority): void {
    this.#said = said;
    this.#edition++;
  }

  get edition(): number {
    return this.#edition;
  }

  get roots(): readonly string[] {
    return this.#said.roots;
  }

  get recovery(): string | undefined {
    return this.#said.recovery;
  }

  get founder(): Signer {
    return this.#said.founder;
  }

  get founding(): Uint8Array | undefined {
    return this.#said.founding;
  }

  get revocations(): readonly Uint8Array[] | undefined {
    return this.#said.revocations;
  }

  get successions(): readonly Uint8Array[] | undefined {
    return this.#said.successions;
  }

  get signers(): readonly string[] | undefined {
    return this.#said.signers;
  }

  get silence(): string | undefined {
    return this.#said.silence;
  }

  speakerIn(room: string, reign: Reign, lamport?: number): RoomSpeaker | undefined {
    return this.#said.speakerIn(room, reign, lamport);
  }
}
