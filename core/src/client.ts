/** What a peer needs, without the host: for browsers and small programs. */
export { connectRoom, createReplica, generateKeys, signProof } from './peer.js';
export type { Replica, ReplicaOptions } from './client/replica.js';
export type { ConnectOptions, RoomClient } from './client/room-client.js';
export type { WebSocketLike } from './client/web-socket.js';
