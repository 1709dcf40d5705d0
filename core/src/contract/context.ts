/** Context of a command: what its handler may know of the connection that it answers. Made once for each stay in a room. */
import type { Claims } from '../access/authenticate.js';
import type { Rights } from '../access/rights.js';
import type { BlobHash } from '../codec/bytes/blob-hash.js';
import type { BlobStore, Released } from '../ports/blob-store.js';
import type { BlobUrls } from '../ports/blob-urls.js';
import type { Clock } from '../ports/clock.js';
import type { Crypto } from '../ports/crypto.js';
import type { ReconcileAttempts } from '../reconcile/attempts.js';
import type { PeerIdentity } from '../tenancy/peer.js';
import type { Lease, Tenancy } from '../tenancy/tenancy.js';
import type { Limits } from '../wire/limits.js';
import type { Negotiable } from '../wire/negotiable.js';

/** A room that is gone. */
export interface Deleted {
  /** Id of its genesis. */
  readonly genesis: string;
  /** Nodes that its log had. */
  readonly seq: number;
  /** Unix milliseconds. */
  readonly at: number;
  /** From when on there may be a room of that name again; 0: never. */
  readonly until: number;
  readonly tombstone: Uint8Array;
  /** What was deleted of its blobs; other rooms keep what they have of them. */
  readonly released: Released;
}

export interface Pruned {
  /** State hash at that position. */
  readonly hash: string;
  /** Nodes of which only headers are left now. */
  readonly nodes: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

export interface Erased {
  readonly nodes: number;
  /** Children that hold it no more either. */
  readonly children: readonly string[];
  /** Children that could not be emptied for it. */
  readonly left: readonly string[];
}

export interface CommandContext {
  readonly tenancy: Tenancy;
  /** Peer that asks; before hello, an anonymous one. */
  readonly identity: PeerIdentity;
  readonly rights: Rights;
  /** Capabilities that were negotiated in hello. */
  readonly caps: ReadonlySet<string>;
  /** Capabilities that this server offers. */
  readonly offered: ReadonlySet<Negotiable>;
  readonly serverKey: string;
  readonly limits: Limits;
  /** Milliseconds over which peers come back after this server has died without a word; undefined where they are few. [HS10] */
  readonly retrySpreadMs: number | undefined;
  readonly clock: Clock;
  readonly crypto: Crypto;
  readonly reconciling: ReconcileAttempts;
  readonly blobs: BlobStore;
  readonly blobUrls: BlobUrls | undefined;
  /** Another room, if the peer's rights hold there too; to be released. Rejects with a capability refusal otherwise. */
  other(roomId: string, command: string): Promise<Lease>;
  /** Rejects as `other` does, without opening the room: it may be gone, or shut. */
  mayVisit(roomId: string, command: string): Promise<void>;
  /** Judges what a hello claims: answers what the peer may do, or rejects with a refusal. */
  authenticate(claims: Claims): Promise<Rights>;
  /** Whether the peer may begin a room of this id; `held`: the rights that it is about to have. [AU8] */
  mayCreate(roomId: string, held?: Rights): boolean;
  /** Whether the peer may write anything in the room. [BL12] */
  mayWrite(): boolean;
  /** Throws while the disk has no space for blobs. [LM12] */
  expectDisk(): void;
  /** Who brings the bytes of blobs: a person, or a key that was proved. */
  readonly bringer: string | undefined;
  /** Sets space aside for the bytes of a blob; answers what ends that. Rejects where there is none. [BL16] */
  takeBlobSpace(hash: BlobHash, size: number): Promise<() => void>;
  /** Throws where the peer, as it is about to be known, is in too many rooms, or has begun too many. [LM14] */
  expectPlace(identity: PeerIdentity): void;
  /** Judges another token of this peer, which has proved its key; answers the rights that come of it. */
  renew(token: unknown): Promise<Rights>;
  /** Deletes the room of this connection: everybody who is in it is sent away. [DE1] */
  deleteRoom(by: string): Promise<Deleted>;
  /** Gives up what was overwritten before a log position; everybody comes again. [PN1] */
  prune(before: number, by: string): Promise<Pruned>;
  /** Takes what a key has held, or what some nodes have written there, out of the history, of children too; everybody comes again. [VE1] */
  erase(key: string, by: string, only?: ReadonlySet<string>): Promise<Erased>;
  /** Resolves when the peer's budget has room for so many nodes, undefined where it has; rejects when the peer has gone by then. */
  pace(nodes: number): Promise<void> | undefined;
}
