/** What a peer needs, without the host: for browsers and small programs. */
export { connectRoom, createReplica, generateKeys, keepRoom, signProof } from './peer.js';
export type { Change, ChangeEvent, ChangeListener, ChangeSource, Observed } from './client/changes/change.js';
export type { Undo, UndoEvent, UndoOptions } from './client/editing/undo.js';
export type { KeyPair } from './access/keys.js';
export type { Credential, Token } from './access/token.js';
export type { RefusedNode } from './room/admission/judgement.js';
export type { ConcurrentValue } from './crdt/document.js';
export type { HeldEdit, RefusedEdit } from './client/replica/held-edits.js';
export type { Anchor, AnchorSide } from './client/editing/anchors.js';
export type { ListDelta, Step, TextDelta } from './crdt/delta.js';
export type { Replica, ReplicaOptions } from './client/replica/replica.js';
export type { ClientState, ConnectOptions, KeepOptions, RoomClient, StateDetail } from './client/room-client.js';
export type { Network, RetryOptions } from './client/connection/retrying.js';
export type { Peer } from './client/connection/others.js';
export type { WebSocketLike } from './client/connection/web-socket.js';
export { type Expand, type MarkOptions, type RichText, richText } from './client/marks/rich-text.js';
export type { Span } from './crdt/mark-runs.js';
