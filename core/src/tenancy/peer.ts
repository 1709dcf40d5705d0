/** Identity of a peer: how it is known to the others. */
import type { PublicKey } from '../graph/node.js';

export interface PeerIdentity {
  readonly sessionId: string;
  /** A public key, or `anon:<session id>`. It is only what the peer says of itself, unless it is proven. */
  readonly pubkey: PublicKey | `anon:${string}`;
  readonly peerId: string;
  readonly peerType: string;
  /** Whether the peer has proved that it holds the key. */
  readonly proven: boolean;
  /** Whose key that is, where it is another one's: as far as the key is proven. [SU3] */
  readonly subject?: string;
}

export function anonymous(sessionId: string): PeerIdentity {
  const pubkey = `anon:${sessionId}` as const;
  return { sessionId, pubkey, peerId: pubkey, peerType: 'ui', proven: false };
}

/** Whom what a peer does counts for: the person whose key it has, or the key; nobody where it is merely claimed. */
export function personOf({ pubkey, subject, proven }: PeerIdentity): string | undefined {
  return proven ? (subject ?? pubkey) : undefined;
}

/** The peer as frames show it. */
export function describePeer({ sessionId, pubkey, peerId, peerType, proven, subject }: PeerIdentity) {
  const shape = { pubkey, peer_id: peerId, peer_type: peerType, session_id: sessionId, proven };
  return subject === undefined ? shape : { ...shape, subject };
}
