/**
 * Membership: processes that share a store. Each holds a lease that it renews, and a room that is open anywhere belongs to one of
 * them. Whoever loses the lease is fenced: of what it sends from then on the store applies nothing.
 */
import type { RoomId } from '../codec/bytes/room-id.js';

export interface Member {
  readonly id: string;
  /** Where the other processes reach it. */
  readonly address: string;
}

export interface Membership {
  /** This process. */
  readonly self: Member;
  /**
   * All whose leases last, this one too. Whoever has let the lease end and does not renew it is out from here on, and its rooms
   * belong to nobody. To be asked again and again.
   */
  members(): Promise<readonly Member[]>;
  /** Whether a process was not seen to renew its lease for some time, though it may last: it may have died. */
  isStill(id: string): boolean;
  /** Whether this process renewed its lease so lately that no other one can have ended it: what it has in memory is what its rooms are. */
  readonly isSure: boolean;
  /** Makes sure; rejects where another process has ended the lease, or the store does not say. */
  makeSure(): Promise<void>;
  /** Ends the lease of a process that is known to be dead. One that lives all the same finds out, and writes nothing any more. */
  putOut(id: string): Promise<void>;
  /** Claims a room for this process, unless it belongs to another one; answers whose it is then. */
  claim(room: RoomId): Promise<string>;
  /** Gives claims of this process up. Nothing of these rooms may be under way here. */
  release(rooms: readonly RoomId[]): Promise<void>;
  /** Nodes in the logs of these rooms; rooms without a log are left out. */
  heads(rooms: readonly RoomId[]): Promise<ReadonlyMap<RoomId, number>>;
}
