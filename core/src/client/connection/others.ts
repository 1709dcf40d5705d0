/** Peers that are in the room besides, and what they show. [CL6] */
import { sift } from '../../codec/sieve.js';
import type { Frame } from '../../wire/frame.js';
import { type PeerShape, peerShape, shown } from './frames.js';
import { Listeners } from './listeners.js';

export interface Peer {
  readonly publicKey: string;
  /** Logical peer, stable across reconnects. */
  readonly peerId: string;
  readonly peerType: string;
  /** Connection of the peer, or one that it has gone on from. */
  readonly sessionId: string;
  /** Whether it has proven that it holds its key. */
  readonly proven: boolean;
  /** Whose key it is, where it is another one's. */
  readonly subject: string | undefined;
}

export class Others {
  #peers = new Map<string, Peer>();
  #shown = new Map<string, unknown>();
  readonly onPeers = new Listeners<readonly Peer[]>();
  readonly onShown = new Listeners<ReadonlyMap<string, unknown>>();

  get peers(): readonly Peer[] {
    return [...this.#peers.values()];
  }

  /** What peers show, by `peerId`. */
  get shown(): ReadonlyMap<string, unknown> {
    return this.#shown;
  }

  /** Replaces all peers; none when the connection is lost. What they show is told anew. */
  meet(peers: readonly PeerShape[]): void {
    const [hadPeers, hadShown] = [this.#peers.size > 0, this.#shown.size > 0];
    this.#peers = new Map(peers.map((peer) => [peer.session_id, peerOf(peer)]));
    this.#shown = new Map();
    if (hadPeers || peers.length > 0) this.onPeers.tell(this.peers);
    if (hadShown) this.onShown.tell(this.#shown);
  }

  /** Whether a frame is of this. */
  take(frame: Frame): boolean {
    if (frame.type === 'presence') this.#show(frame);
    else if (frame.type === 'peer-joined') this.#join(frame);
    else if (frame.type === 'peer-left') this.#leave(frame);
    else return false;
    return true;
  }

  #show(frame: Frame): void {
    const data = sift(shown, frame);
    if (!data) return;
    this.#shown = new Map(this.#shown).set(data.peer_id, data.data);
    this.onShown.tell(this.#shown);
  }

  #join(frame: Frame): void {
    const data = sift(peerShape, frame);
    if (!data) return;
    this.#peers.set(data.session_id, peerOf(data));
    this.onPeers.tell(this.peers);
  }

  #leave(frame: Frame): void {
    const data = sift(peerShape, frame);
    if (!data) return;
    // A peer that went on over another connection is known here by its first one, so its name decides then.
    const isLeaving = this.#peers.has(data.session_id)
      ? ({ sessionId }: Peer) => sessionId === data.session_id
      : ({ peerId }: Peer) => peerId === data.peer_id;
    for (const peer of this.peers) if (isLeaving(peer)) this.#peers.delete(peer.sessionId);
    this.onPeers.tell(this.peers);
    if (this.peers.some(({ peerId }) => peerId === data.peer_id) || !this.#shown.has(data.peer_id)) return;
    this.#shown = new Map(this.#shown);
    this.#shown.delete(data.peer_id);
    this.onShown.tell(this.#shown);
  }
}

function peerOf(shape: PeerShape): Peer {
  const { pubkey, peer_id: peerId, peer_type: peerType, session_id: sessionId, proven, subject } = shape;
  return { publicKey: pubkey, peerId, peerType, sessionId, proven, subject };
}
