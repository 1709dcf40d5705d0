/** The Weft engine. Runs in Node, Deno, Bun, browsers and workers: no Node built-ins, no transport. */
export { createHost } from './engine.js';
export {
  connectRoom,
  createReplica,
  generateKeys,
  keepRoom,
  keysFromSeed,
  openSnapshot,
  openTombstone,
  signProof,
  signToken,
  verifyForkProof,
} from './peer.js';
export type { Closing, Connection, Host, HostOptions } from './engine.js';
export type { PeerIdentity } from './tenancy/peer.js';
export type { Bearer, Dismissed } from './host/bearers.js';
export type { Follower, Following } from './host/followers.js';
export type { Cursor, LogPosition } from './ports/cursor.js';
export type { WrittenPage } from './query/followed-log.js';
export type { ReplayItem } from './query/replay.js';
export type { Shut } from './host/quarantine.js';
export type { ErasedBelow, Erasure, OtherHosts } from './host/parts.js';
export type { RoomLoad } from './host/rooms.js';
export type { HostEvent, HostReply, HostRequest } from './host/host-door.js';
export { hostErrorOf } from './host/host-errors.js';
export type { HostError } from './host/host-errors.js';
export type { Room } from './room/room.js';
export type { Edits } from './room/writing/edits.js';
export type { Commit, CommitOrigin, CommitPart } from './room/writing/commit.js';
export type { Entry } from './room/state/entry.js';
export type { RefusedNode, Verdict } from './room/admission/judgement.js';
export type { PastView } from './room/reading/past.js';
export type { Snapshot } from './room/keeping/snapshot.js';
export type { SignedTombstone } from './room/keeping/tombstone.js';
export type { Decision, RoomView, Transacted } from './room/writing/decision.js';
export type { Write } from './room/state/write.js';
export type { Replica, ReplicaOptions } from './client/replica/replica.js';
export { type UndoableText, undoableText } from './client/editing/undoable-text.js';
export type { ClientState, ConnectOptions, KeepOptions, RoomClient } from './client/room-client.js';
export type { Network, RetryOptions } from './client/connection/retrying.js';
export type { Peer } from './client/connection/others.js';
export type { WebSocketLike } from './client/connection/web-socket.js';
export { decodePack, encodePack } from './codec/packs/plain-pack.js';
export type { Seal } from './codec/packs/pack.js';
export type { Pack } from './codec/packs/plain-pack.js';
export type { NodeFields, PackedNode } from './codec/packs/packed-node.js';
export type { Anchor, ElementRef, Op } from './codec/nodes/op.js';
export { type Expand, type MarkOptions, type RichText, richText } from './client/marks/rich-text.js';
export type { Span } from './crdt/mark-runs.js';
export type { Conflict } from './crdt/conflicts.js';
export type { ConcurrentValue, Origin, Resolved } from './crdt/document.js';
export { BlobRef } from './crdt/registers.js';
export { verifyRegister } from './crdt/verify.js';
export { DecodeError, fromBase64, fromHex, toBase64, toHex } from './codec/bytes/bytes.js';
export type { Fork } from './graph/forks.js';
export type { NodeId, PublicKey } from './graph/node.js';
export { isReserved, parseRoomId } from './codec/bytes/room-id.js';
export type { RoomId } from './codec/bytes/room-id.js';
export { certifiedAuthority, soleAuthority } from './access/authority.js';
export type { Authority, CertifiedParts, RoomSpeaker } from './access/authority.js';
export { type Accession, type Reign, firstReign } from './access/reign.js';
export {
  NO_RECOVERY,
  type Succession,
  type SuccessionClaims,
  joinSuccessions,
  makeSuccession,
  readSuccession,
  recoveryOf,
  signSuccession,
  verifySuccession,
} from './access/succession.js';
export type { Speaker } from './access/word.js';
export { defaultCrypto } from './adapters/crypto/default.js';
export { ALL_ROOMS, makeMandate, readMandate, verifyMandate } from './access/mandate.js';
export type { Mandate, MandateClaims, Matter } from './access/mandate.js';
export type { KeyPair } from './access/keys.js';
export type { Credential, Token, TokenClaims } from './access/token.js';
export type { Proof, ProofClaims } from './access/proof.js';
export type { AuthenticateHook, EntryAnswer, EntryGrant, EntryHello, EntryRequest } from './access/entry-hook.js';
export { type EntryOptions, REQUIREMENTS, type Requirement } from './access/entry.js';
export { Glob } from './access/glob.js';
export { CAPABILITIES, READ_ONLY } from './access/rights.js';
export { Rejection, NODE_REASONS, REASONS } from './rejection.js';
export type { NodeReason, Reason } from './rejection.js';
export { parseBlobHash } from './codec/bytes/blob-hash.js';
export type { BlobHash } from './codec/bytes/blob-hash.js';
export type { BlobBytes, BlobDraft } from './ports/blob-bytes.js';
export { type BlobPlace, takeBlobSpace } from './host/blob-bounds.js';
export { BlobError } from './ports/blob-store.js';
export type {
  BlobBound,
  BlobBounds,
  BlobClaim,
  BlobContent,
  BlobFault,
  BlobSpace,
  BlobStore,
  ByteRange,
} from './ports/blob-store.js';
export type { BlobUrl, BlobUrls, UploadDetails, UploadFault } from './ports/blob-urls.js';
export type { ColdMoves, ColdStore, ColdTier, ColdUsage } from './ports/cold-store.js';
export type { Member, Membership } from './ports/membership.js';
export type { Notes } from './ports/notes.js';
export { StoreError } from './ports/store.js';
export type {
  AppendResult,
  Images,
  LogRecord,
  LogOrigin,
  NodeLog,
  ReadAhead,
  Segment,
  Store,
  StoreFault,
} from './ports/store.js';
export { METRICS } from './ports/telemetry.js';
export type { MetricDeclaration, MetricName, Notice, Telemetry } from './ports/telemetry.js';
export { type SpanAttributes, type SpanName, type TraceSpan, type Tracing, traced } from './ports/tracing.js';
export { systemClock } from './ports/clock.js';
export type { Clock } from './ports/clock.js';
export type { Crypto, Signer } from './ports/crypto.js';
export { isArchiveName } from './adapters/archive-names.js';
export { ArchiveNameError } from './ports/archive-store.js';
export type { ArchiveFile, ArchiveStore } from './ports/archive-store.js';
export type { ArchiveOptions } from './archive/archives.js';
export type { PeerSocket } from './session/outbox.js';
export { CLOSE } from './wire/close-codes.js';
export { closingFor } from './host/closing.js';
export { comeBackElsewhere, comeBackLater } from './host/spread.js';
export { LIMITS } from './wire/limits.js';
export { PROTOCOLS } from './wire/protocol.js';
export type { Limits } from './wire/limits.js';
export { commandTable } from './commands/table.js';
export type { CommandTable } from './contract/command-table.js';
