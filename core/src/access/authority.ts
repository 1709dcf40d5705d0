/**
 * Authority of a host: who begins its rooms, and who speaks for it in each. [MA4]
 *
 * A host with one key does all of it with that. Where roots are named, each process signs with a key of its own that a root has
 * certified, and the key that the store has for all of them begins rooms and has no say in them.
 */
import type { Signer } from '../ports/crypto.js';
import { type Mandate, isFor, readMandate } from './mandate.js';
import type { Speaker } from './word.js';

export interface Authority {
  /** Roots of rooms that begin here, by their public keys. */
  readonly roots: readonly string[];
  /** Signs the geneses of such rooms, alike in all processes of a store. */
  readonly founder: Signer;
  /** What a root says of the founder, if that is no root. */
  readonly founding?: Uint8Array;
  /** Who speaks for this host in a room with such roots; undefined where it has no say. */
  speakerIn(room: string, roots: ReadonlySet<string>): Speaker | undefined;
}

/** One key for everything. */
export function soleAuthority(signer: Signer): Authority {
  return { roots: [signer.publicKey], founder: signer, speakerIn: () => signer };
}

export interface CertifiedParts {
  readonly roots: readonly string[];
  readonly founder: Signer;
  readonly founding: Uint8Array;
  /** The key of this process, and of no other one. */
  readonly signer: Signer;
  /** Mandates of roots for that key. */
  readonly certificates: readonly Uint8Array[];
}

/** A process among several. */
export function certifiedAuthority({ roots, founder, founding, signer, certificates }: CertifiedParts): Authority {
  const known = certificates.map((bytes): readonly [Mandate, Uint8Array] => [readMandate(bytes), bytes]);
  const speakerIn = (room: string, rulers: ReadonlySet<string>): Speaker | undefined => {
    if (rulers.has(signer.publicKey)) return signer;
    const found = known.find(([mandate]) => rulers.has(mandate.giver) && isFor(mandate, room));
    if (!found) return undefined;
    return { publicKey: signer.publicKey, sign: (message) => signer.sign(message), certificate: found[1] };
  };
  return { roots, founder, founding, speakerIn };
}
