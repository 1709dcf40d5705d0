import type { Claims } from '../access/authenticate.js';
import type { Rights } from '../access/rights.js';
import type { PeerIdentity } from '../tenancy/peer.js';
import type { Lease } from '../host/rooms.js';
import type { Tenancy } from '../tenancy/tenancy.js';
import type { BlobStore } from '../ports/blob-store.js';
import type { BlobUrls } from '../ports/blob-urls.js';
import type { Clock } from '../ports/clock.js';
import type { Reconciling } from '../reconcile/attempts.js';
import type { Negotiable } from '../wire/negotiable.js';
import type { Limits } from '../wire/limits.js';

/** What a handler may know of the connection that it answers. */
export interface CommandContext {
  readonly tenancy: Tenancy;
  /** Before hello: anonymous. */
  readonly identity: PeerIdentity;
  readonly rights: Rights;
  /** What was negotiated in hello. */
  readonly caps: ReadonlySet<string>;
  /** What this server can speak. */
  readonly offered: ReadonlySet<Negotiable>;
  readonly serverKey: string;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly reconciling: Reconciling;
  readonly blobs: BlobStore;
  readonly blobUrls: BlobUrls | undefined;
  /** Another room, if the peer's rights hold there too; to be released. Rejects with a capability refusal otherwise. */
  other(roomId: string, command: string): Promise<Lease>;
  /** The same without the room: it may be gone, or shut. */
  mayVisit(roomId: string, command: string): Promise<void>;
  /** Of hello: what the peer may do, or a refusal. */
  authenticate(claims: Claims): Promise<Rights>;
  /** Resolves when the peer's budget has room for so many nodes; rejects when the peer has gone by then. */
  pace(nodes: number): Promise<void>;
}
