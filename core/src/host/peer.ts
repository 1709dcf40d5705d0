/** How a peer is known to the others. Nothing in it is proven yet. */
import type { PublicKey } from '../graph/node.js';

export interface PeerIdentity {
  readonly sessionId: string;
  /** A public key as claimed in hello, or `anon:<session id>`. */
  readonly pubkey: PublicKey | `anon:${string}`;
  readonly peerId: string;
  readonly peerType: string;
}

export function anonymous(sessionId: string): PeerIdentity {
  const pubkey = `anon:${sessionId}` as const;
  return { sessionId, pubkey, peerId: pubkey, peerType: 'ui' };
}

/** The peer as frames show it. */
export function describePeer({ sessionId, pubkey, peerId, peerType }: PeerIdentity) {
  return { pubkey, peer_id: peerId, peer_type: peerType, session_id: sessionId, proven: false };
}
