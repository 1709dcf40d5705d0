/** Context of a session's commands: what a handler may ask and do, with the rights and capabilities that its peer has now. */
import type { Rights } from '../access/rights.js';
import type { HandlerContext } from '../contract/command.js';
import { frames } from '../contract/frames.js';
import { spreadUnasked } from '../host/spread.js';
import type { ReconcileAttempts } from '../reconcile/attempts.js';
import { type PeerIdentity, personOf } from '../tenancy/peer.js';
import type { Tenancy } from '../tenancy/tenancy.js';
import { takeBlobSpace } from '../host/blob-bounds.js';
import { mayWriteSomewhere } from './checks.js';
import type { Credentials } from './credentials.js';
import type { SessionParts } from './parts.js';
import { type Asked, mayVisit, visit } from './visits.js';

export interface ContextParts {
  readonly session: SessionParts;
  readonly tenancy: Tenancy;
  readonly identity: PeerIdentity;
  readonly rights: Rights;
  readonly caps: ReadonlySet<string>;
  readonly credentials: Credentials;
  readonly reconciling: ReconcileAttempts;
  readonly pace: HandlerContext['pace'];
  readonly expectPlace: HandlerContext['expectPlace'];
}

export function contextOf(parts: ContextParts): HandlerContext {
  const { session, tenancy, identity, rights, caps, credentials, reconciling, pace, expectPlace } = parts;
  const { rooms, table, vouched } = session;
  const { limits, clock, crypto, store, blobUrls, entry, telemetry } = rooms.parts;
  const bringer = vouched === undefined ? personOf(identity) : undefined;
  const commandOf = (type: string): Asked => table.commands.get(type) ?? { type };
  return {
    ...frames,
    tenancy,
    rights,
    limits,
    clock,
    crypto,
    blobUrls,
    identity,
    caps,
    offered: rooms.offered,
    serverKey: tenancy.serverKey,
    retrySpreadMs: spreadUnasked(rooms.callers.size),
    reconciling,
    blobs: store.blobs,
    other: (id, type) => visit(rooms, rights, id, commandOf(type)),
    mayVisit: (id, type) => mayVisit(rooms, rights, id, commandOf(type)),
    pace,
    deleteRoom: (by) => rooms.givingUp.delete(tenancy.room.id, by),
    prune: (before, by) => rooms.givingUp.prune(tenancy.room, before, by),
    erase: (key, by, only) => rooms.givingUp.erase(tenancy.room, key, by, only),
    authenticate: (claims) => credentials.authenticate(claims, tenancy),
    renew: (token) => credentials.renew(token, tenancy),
    mayCreate: (id, held = rights) => vouched !== undefined || entry.mayCreate(id, held),
    expectDisk: () => rooms.expectDisk(),
    bringer,
    takeBlobSpace: (hash, size) =>
      takeBlobSpace({ blobs: store.blobs, limits, telemetry }, { room: tenancy.room.id, hash, size, by: bringer }),
    expectPlace,
    mayWrite: () => mayWriteSomewhere(tenancy.room.facts.policy, identity, rights),
  };
}
