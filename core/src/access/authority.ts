/**
 * Authority of a host: who begins its rooms, and who speaks for it in each. [MA4]
 *
 * A host with one key does all of it with that. Where roots are named, each process signs with keys of its own that roots have
 * certified, and the key that the store has for all of them begins rooms and has no say in them.
 */
import type { Signer } from '../ports/crypto.js';
import { type Mandate, isFor, readMandate } from './mandate.js';
import { type Reign, accessionTo, lineTo, reignBy } from './reign.js';
import { NO_RECOVERY, readSuccession } from './succession.js';
import { type Speaker, certificateOf } from './word.js';

/** Who speaks for a host in a room. */
export interface RoomSpeaker extends Speaker {
  /** What a root says of the key, if it is none. */
  readonly mandate?: Uint8Array | undefined;
  /** Succession that has to be said in the room first, for it speaks by that. */
  readonly succession?: Uint8Array | undefined;
}

export interface Authority {
  /** Roots of rooms that begin here, by their public keys. */
  readonly roots: readonly string[];
  /** Hash of the key that takes over such rooms when their roots are lost: see `recoveryOf`. */
  readonly recovery?: string | undefined;
  /** Signs the geneses of such rooms, alike in all processes of a store. */
  readonly founder: Signer;
  /** What a root says of the founder, if that is no root. */
  readonly founding?: Uint8Array | undefined;
  /** Keys of signers that are revoked, with what a root says of each: said in every room where such a one speaks. */
  readonly revocations?: readonly Uint8Array[] | undefined;
  /** Changes of roots that this host knows of: said in every room of which they say something new. */
  readonly successions?: readonly Uint8Array[] | undefined;
  /** Public keys that this process signs with. */
  readonly signers?: readonly string[] | undefined;
  /** Why it speaks nowhere just now, where that is so: told in place of what a room would say. */
  readonly silence?: string | undefined;
  /** Another number when what it says has changed; for good what it is when absent. */
  readonly edition?: number | undefined;
  /**
   * Who speaks for this host in a room of such a reign, whose next node has such a lamport; undefined where it has no say. Of several
   * one whose certificate still counts.
   */
  speakerIn(room: string, reign: Reign, lamport?: number): RoomSpeaker | undefined;
}

/** One key for everything. */
export function soleAuthority(signer: Signer): Authority {
  return { roots: [signer.publicKey], founder: signer, speakerIn: () => signer };
}

export interface CertifiedParts {
  readonly roots: readonly string[];
  readonly recovery?: string | undefined;
  readonly founder: Signer;
  readonly founding: Uint8Array;
  /** The key of this process, and of no other one; several where it has a new one for new roots. */
  readonly signer: Signer | readonly Signer[];
  /** Mandates of roots for these keys. */
  readonly certificates: readonly Uint8Array[];
  readonly successions?: readonly Uint8Array[] | undefined;
  readonly revocations?: readonly Uint8Array[] | undefined;
  /** See `Authority`. */
  readonly silence?: string | undefined;
}

/** A process among several. */
export function certifiedAuthority(parts: CertifiedParts): Authority {
  const { roots, recovery, founder, founding, certificates, successions = [], revocations, silence } = parts;
  const signers = [parts.signer].flat();
  const known = certificates.map((bytes): readonly [Mandate, Uint8Array] => [readMandate(bytes), bytes]);
  const takenBack = (revocations ?? []).map((bytes) => readMandate(bytes));
  const speakerUnder = (room: string, reign: Reign, lamport: number): RoomSpeaker | undefined => {
    const line = lineTo(reign).map(({ bytes }) => bytes);
    const root = signers.find(({ publicKey }) => reign.roots.has(publicKey));
    if (root) return speaking(root, undefined, line);
    const gives = ({ giver, scope }: Mandate): boolean => reign.roots.has(giver) && isFor({ scope }, room);
    const revoked = new Set(takenBack.filter(gives).map(({ key }) => key));
    let spent: RoomSpeaker | undefined;
    for (const [mandate, bytes] of known) {
      const signer = signers.find(({ publicKey }) => publicKey === mandate.key);
      if (!signer || !gives(mandate)) continue;
      const speaker = speaking(signer, bytes, line);
      if (!revoked.has(mandate.key) && (mandate.until === 0 || mandate.until >= lamport)) return speaker;
      spent ??= speaker;
    }
    return spent;
  };
  const speakerIn = (room: string, reign: Reign, lamport = 0): RoomSpeaker | undefined => {
    const succession = successions.find((bytes) => accessionTo(reign, bytes, readSuccession(bytes), room));
    if (!succession) return speakerUnder(room, reign, lamport);
    const next = reignBy(accessionTo(reign, succession, readSuccession(succession), room)!);
    const speaker = speakerUnder(room, next, lamport);
    return speaker ? { ...speaker, succession } : speakerUnder(room, reign, lamport);
  };
  const heir = recovery === NO_RECOVERY ? undefined : recovery;
  const keys = signers.map(({ publicKey }) => publicKey);
  return { roots, recovery: heir, founder, founding, revocations, successions, signers: keys, silence, speakerIn };
}

function speaking(signer: Signer, mandate: Uint8Array | undefined, line: readonly Uint8Array[]): RoomSpeaker {
  const certificate = certificateOf(mandate, line);
  const said = { publicKey: signer.publicKey, sign: (message: Uint8Array) => signer.sign(message), mandate };
  return certificate ? { ...said, certificate } : said;
}
