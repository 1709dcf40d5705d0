/**
 * Rooms of a host, and what all of them share: bounds on callers and memory, who is kept out, and the guests. Which room is in
 * memory is for `RoomsInMemory` to say.
 */
import { UsedProofs } from '../access/used-proofs.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import type { Signer } from '../ports/crypto.js';
import type { Telemetry } from '../ports/telemetry.js';
import type { Queries } from '../query/queries.js';
import { ComeBack } from '../rejection.js';
import type { PeerIdentity } from '../tenancy/peer.js';
import type { Lease } from '../tenancy/tenancy.js';
import { Budget } from '../wire/budget.js';
import type { Negotiable } from '../wire/negotiable.js';
import { Callers } from './callers.js';
import { GivingUp } from './giving-up.js';
import type { Guests } from './guests.js';
import { Joins } from './joins.js';
import type { HostParts } from './parts.js';
import type { Quarantine } from './quarantine.js';
import type { RevokedSubjects } from './revoked-subjects.js';
import { RoomMemory } from './room-memory.js';
import { RoomsInMemory } from './rooms-in-memory.js';
import type { Sleepers } from './sleepers.js';
import { spreadOver } from './spread.js';
import { StoredBlobs } from './stored-blobs.js';
import { sumOf } from './sum.js';
import { VisitedRooms } from './visited-rooms.js';

/** What a room has to do just now. */
export interface RoomLoad {
  /** How many; absent while the room is not in memory. */
  readonly heads: number | undefined;
  readonly peers: readonly PeerIdentity[];
  /** Pushes and writes that are not answered yet. */
  readonly pushesWaiting: number;
  /** What came too early and waits, and what may. */
  readonly parkedBytes: number;
  readonly parkedLimitBytes: number;
  /** What peers have sent that is not processed, in all rooms, and what may be. */
  readonly hostInboxBytes: number;
  readonly hostInboxLimitBytes: number;
}

export class Rooms {
  readonly parts: HostParts;
  readonly inMemory: RoomsInMemory;
  readonly givingUp: GivingUp;
  readonly #memory: RoomMemory;
  readonly guests: Guests;
  readonly sleepers: Sleepers;
  readonly quarantine: Quarantine;
  readonly revokedSubjects: RevokedSubjects;
  readonly callers: Callers;
  readonly visited: VisitedRooms;
  readonly joins: Joins;
  readonly usedProofs = new UsedProofs();
  /** What connections may use. */
  readonly offered: ReadonlySet<Negotiable> = new Set([
    'supports_ibf',
    'supports_mst',
    'supports_reconcile',
    'supports_binary',
    'supports_targeted_relay',
    'supports_direct_blob_io',
  ]);
  /** What all connections have sent and is not yet processed. */
  readonly inbound: Budget;
  readonly #startedAt: number;
  readonly #startedAfter = performance.now();

  constructor(parts: HostParts) {
    this.parts = parts;
    this.inMemory = new RoomsInMemory(parts);
    this.givingUp = new GivingUp(parts, this.inMemory);
    this.#memory = new RoomMemory(parts, this.inMemory, this.givingUp);
    this.guests = this.inMemory.guests;
    this.sleepers = this.inMemory.sleepers;
    this.quarantine = this.inMemory.quarantine;
    this.revokedSubjects = this.inMemory.revokedSubjects;
    this.callers = new Callers(parts.limits, (name, by) => parts.others?.counted(name, by));
    this.visited = new VisitedRooms({ ...parts, counts: this.callers });
    this.joins = new Joins(parts.limits);
    this.inbound = new Budget(parts.limits.hostInboxBytes);
    this.#startedAt = parts.clock.now();
    this.#watch(parts.telemetry);
  }

  #watch(telemetry: Telemetry): void {
    const ready = () => [...this.inMemory].flatMap(([, room]) => room.ready ?? []);
    const queries = (): Iterable<Queries> => ready().map((tenancy) => tenancy.queries);
    telemetry.watch?.('rooms_bytes', () => this.#memory.bytes);
    telemetry.watch?.('rooms_limit_bytes', () => this.parts.limits.hostRoomsBytes);
    const blobs = new StoredBlobs(() => this.parts.store.blobs, this.parts.onFault);
    telemetry.watch?.('blob_stored_bytes', () => (this.inMemory.stored.isOpen ? blobs.bytes : 0));
    telemetry.watch?.('blob_stored_limit_bytes', () => this.parts.limits.hostBlobBytes);
    telemetry.watch?.('rooms_quarantined', () => this.quarantine.rooms.size);
    telemetry.watch?.('connections', () => this.guests.size);
    telemetry.watch?.('joins_inflight', () => this.joins.running);
    telemetry.watch?.('joins_waiting', () => this.joins.waiting);
    telemetry.watch?.('inbox_bytes', () => this.inbound.used);
    telemetry.watch?.('inbox_limit_bytes', () => this.inbound.limit);
    telemetry.watch?.('outbox_bytes', () => sumOf(this.guests, ({ waitingBytes }) => waitingBytes));
    telemetry.watch?.('query_build_inflight', () => sumOf(queries(), ({ building }) => building));
    telemetry.watch?.('query_build_queue_depth', () => sumOf(queries(), ({ waiting }) => waiting));
    telemetry.watch?.('pushes_waiting', () => sumOf(ready(), ({ room }) => room.waiting));
  }

  /** Time at which the host began, by the clock as it is set now: one that was set back would else be before that for long. */
  get startedAt(): number {
    const uptime = performance.now() - this.#startedAfter;
    return Math.min(this.#startedAt, this.parts.clock.now() - uptime);
  }

  /** The authority's signer; opens the store on first use. */
  signer(): Promise<Signer> {
    return this.inMemory.stored.signer();
  }

  /** Public key whose tokens hold in every room; known when the store is open. */
  get adminKey(): string | undefined {
    return this.inMemory.stored.adminKey;
  }

  /** Opens a room that is not in memory. Each lease is to be released, once. */
  lease(roomId: string): Promise<Lease> {
    return this.inMemory.lease(roomId);
  }

  /**
   * A room for a peer: one that is not in memory needs memory. [LM11] Whether it is this host's is asked when he enters, not when he
   * came, and again when it is open. [ER7]
   */
  async enter(id: RoomId): Promise<Lease> {
    if (await this.inMemory.isElsewhere(id))
      throw new ComeBack('room-held', `room ${id} is served by another host`, spreadOver(this.guests.size));
    if (!this.inMemory.get(id)) await this.#memory.makeSpace();
    const lease = await this.lease(id);
    try {
      await this.parts.others?.confirm?.();
    } catch (error) {
      lease.release();
      throw error;
    }
    return lease;
  }

  /** Whether the room is being brought into memory, for whoever asked for it first. */
  isOpening(id: RoomId): boolean {
    const room = this.inMemory.get(id);
    return room !== undefined && room.ready === undefined;
  }

  /** Whether what would fill the disk may be written; throws while it may not. [LM12] */
  expectDisk(): void {
    this.inMemory.stored.disk.expectSpace();
  }

  /** Why no peer should be sent here; undefined while there is no reason. */
  get unready(): string | undefined {
    if (this.inMemory.isClosed) return 'the host is closed';
    return this.inMemory.stored.disk.isLow ? 'the disk is nearly full' : undefined;
  }

  /** Load of a room. Nothing is brought into memory for it. */
  load(id: RoomId): RoomLoad {
    const { ready, parked } = this.inMemory.get(id) ?? {};
    return {
      heads: ready?.room.heads.frontier.length,
      peers: ready?.identities ?? this.sleepers.of(id).map(({ identity }) => identity),
      pushesWaiting: ready?.room.waiting ?? 0,
      parkedBytes: parked?.used ?? 0,
      parkedLimitBytes: this.parts.limits.roomParkedBytes,
      hostInboxBytes: this.inbound.used,
      hostInboxLimitBytes: this.inbound.limit,
    };
  }

  /** Revokes credentials of a subject, durably, and then sends away who is here by one; answers how many that were. [AU12] */
  async revokeSubject(subject: string, before: number): Promise<number> {
    const latest = this.revokedSubjects.revoke(subject, before);
    const { tenancy, release } = await this.inMemory.own();
    await this.revokedSubjects.note(tenancy.room, subject, latest).finally(release);
    return this.guests.revoke(subject, latest);
  }

  /** Takes in what roots have said since the authority was asked last. [MA7] */
  async renewAuthority(): Promise<void> {
    await this.inMemory.stored.renewAuthority();
    await this.inMemory.heedAuthority();
  }

  /** Does what another host has written into the room of the host itself: rooms that are shut or not any more, and revocations. */
  async heedOwn(): Promise<void> {
    const { tenancy, release } = await this.inMemory.own();
    try {
      await tenancy.room.look();
      const before = new Map(this.quarantine.rooms);
      this.quarantine.read(tenancy.room);
      for (const [id, { reason }] of this.quarantine.rooms)
        if (!before.has(id)) this.inMemory.shut(id, reason, 'operator');
      for (const [subject, latest] of this.revokedSubjects.read(tenancy.room)) this.guests.revoke(subject, latest);
    } finally {
      release();
    }
  }

  /** Sends everybody away for a while, at once or in waves over so many milliseconds. No new ones may come. [ER4] */
  async drain(overMs = 0): Promise<void> {
    await this.guests.drain(overMs, this.parts.clock);
  }

  /** Takes no new work, sends everybody away, lets waiting writes finish, then closes the store. */
  async close(): Promise<void> {
    this.#memory.stop();
    this.visited.close();
    await this.inMemory.close();
  }
}
