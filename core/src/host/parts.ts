/** Parts of a host: what its caller gives it, and what concerns all of its rooms. */
import type { Authority } from '../access/authority.js';
import type { Entry } from '../access/entry.js';
import type { ArchiveOptions } from '../archive/archives.js';
import { type RoomId, parseRoomId } from '../codec/bytes/room-id.js';
import type { BlobUrls } from '../ports/blob-urls.js';
import type { Clock } from '../ports/clock.js';
import type { Crypto, Signer } from '../ports/crypto.js';
import type { Store } from '../ports/store.js';
import type { Telemetry } from '../ports/telemetry.js';
import { Rejection } from '../rejection.js';
import type { Limits } from '../wire/limits.js';

export interface HostParts {
  readonly store: Store;
  readonly crypto: Crypto;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly limits: Limits;
  /** Public key whose tokens hold in every room; asked for when the store is open. */
  readonly adminKey: () => Promise<string | undefined>;
  /** Who begins rooms and speaks in them, by the key of the store, which does all of it when absent. */
  readonly authority?: ((founder: Signer) => Promise<Authority>) | undefined;
  readonly blobUrls: BlobUrls | undefined;
  readonly archives: ArchiveOptions;
  /** What is asked of every peer. */
  readonly entry: Entry;
  /** Told of bugs that must not stop the host. */
  readonly onFault: OnFault;
  readonly others?: OtherHosts | undefined;
  /** See `HostOptions`. */
  readonly leastDormant?: number | undefined;
  readonly leastFiled?: number | undefined;
}

/**
 * Other hosts on the store of this one, each with rooms of its own. Of their rooms this one keeps no copy: they are read anew for
 * each use, such as a promotion, and no peer is let in.
 */
export interface OtherHosts {
  /** Whether one of them serves a room. Where that is to be found out first, this host serves it from then on if none does. */
  serve(room: RoomId): boolean | Promise<boolean>;
  /**
   * Makes sure that none of them can have taken rooms of this host: whoever enters waits for it. Rejects with the store's error where one
   * has, or that cannot be found out; absent where they never do.
   */
  confirm?(): Promise<void> | undefined;
  /** This host has written into a room of theirs: whoever is there hears it when its host looks. */
  wrote(room: RoomId): void;
  /** A connection counts here from now on, or does not any more: they have the same bounds, and are to heed it. */
  counted(name: string, by: 1 | -1): void;
  /** One of them serves this child of a room of ours, and is to erase something there: see `Host.eraseBelow`. */
  eraseBelow(child: RoomId, erasure: Erasure): Promise<ErasedBelow>;
}

/** What is to be erased, and who says so. */
export interface Erasure {
  readonly key: string;
  readonly by: string;
  /** Ids of nodes; all that have written to the key when absent. */
  readonly only?: readonly string[] | undefined;
}

/** What became of a child and of those below it. */
export interface ErasedBelow {
  /** Rooms that hold it no more. */
  readonly children: readonly RoomId[];
  /** Rooms that could not be emptied for it. */
  readonly left: readonly RoomId[];
}

/** `where` it happened, as far as that is known. */
export type OnFault = (error: unknown, where?: { readonly room?: string; readonly connection?: string }) => void;

/** Room in which the host keeps what concerns itself; no peer may enter it. */
export const OWN_ROOM = '~host' as RoomId;

/** The id that callers of a host name a room by; throws where it is none. */
export function roomNamed(name: string): RoomId {
  const id = parseRoomId(name);
  if (!id) throw new Rejection('invalid-command', `${JSON.stringify(name)} is not a room id`);
  return id;
}
