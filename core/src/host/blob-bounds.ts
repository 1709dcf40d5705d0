/**
 * Bounds on the bytes of blobs: of a room, of all that one person or key has brought, and of the whole store. [BL16]
 *
 * They hold for what peers bring. What an application, an archive or a fork brings in counts too, and is not refused to a key: who
 * may do that may administer the server.
 */
import type { BlobBound, BlobBounds, BlobClaim, BlobStore } from '../ports/blob-store.js';
import type { Telemetry } from '../ports/telemetry.js';
import { ComeBack, Rejection } from '../rejection.js';
import type { Limits } from '../wire/limits.js';

const COME_BACK_MS = 60_000;

/** Where blobs are, and what they may be. */
export interface BlobPlace {
  readonly blobs: BlobStore;
  readonly limits: Pick<Limits, 'roomBlobBytes' | 'keyBlobBytes' | 'hostBlobBytes'>;
  readonly telemetry?: Telemetry | undefined;
}

/** Sets space aside for bytes that are to come; answers what ends that. Throws where there is none. */
export async function takeBlobSpace({ blobs, limits, telemetry }: BlobPlace, claim: BlobClaim): Promise<() => void> {
  const bounds: BlobBounds = { room: limits.roomBlobBytes, key: limits.keyBlobBytes, server: limits.hostBlobBytes };
  const space = await blobs.reserve(claim, bounds);
  if (!('lacks' in space)) return () => space.leave();
  const bound = space.lacks;
  telemetry?.record('blobs_refused_total', 1, bound);
  const about = { room: claim.room, bound, most: bounds[bound], bytes: claim.size };
  telemetry?.tell?.({ level: 'warn', message: 'a blob was refused: there is no space for it', about });
  throw full(bound, bounds[bound]);
}

/** Refusal that says who can make space: in a room or of a key those who brought something, at a server an operator or a collection. */
function full(bound: BlobBound, most: number): Rejection {
  if (bound === 'room') return new Rejection('blobs-full', `the blobs of this room take at most ${most} bytes`);
  if (bound === 'key') return new Rejection('blobs-full', `what one key has brought takes at most ${most} bytes`);
  const wait = Math.ceil(COME_BACK_MS * (0.2 + 0.8 * Math.random()));
  return new ComeBack('blobs-full', `the blobs of this server take at most ${most} bytes`, wait);
}
