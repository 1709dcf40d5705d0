/**
 * What a page needs of a room, and no more: crypto is the platform's where it has it, and what few pages ask for is loaded
 * when they do. Elsewhere, `client` has all of it at once.
 */
import { keep } from './client/keeping.js';
import { breath } from './client/replica/breath.js';
import { Replica, type ReplicaOptions } from './client/replica/replica.js';
import type { KeepOptions, RoomClient } from './client/room-client.js';
import { lateHash } from './crdt/late-hash.js';

const late = () => import('./client/late.js');

/** What a page brings to each copy of a room: it keeps no more of one than the room itself. */
const bound = { pause: breath, hash: lateHash(late), followsPruning: true };
type WithoutHash<T> = T extends unknown ? Omit<T, 'hash'> : never;

export function createReplica(options: WithoutHash<ReplicaOptions>): Promise<Replica> {
  return Replica.open({ ...bound, ...options });
}

/** Stays in a room. The halves of the key are taken to belong together. */
export function keepRoom(options: Omit<KeepOptions, 'hash'>): RoomClient {
  return keep({ ...bound, ...options });
}

export { peerKeys } from './adapters/crypto/peer-keys.js';
export { browserNetwork } from './client/connection/retrying.js';
export { parseFrame } from './client/connection/connection.js';
export type { PeerKeys } from './adapters/crypto/web.js';
