/** Opens rooms over a store, each once, and keeps them while the host runs. */
import { UsedProofs } from '../access/used-proofs.js';
import type { ArchiveOptions } from '../archive/archives.js';
import { type RoomId, parseRoomId } from '../graph/room-id.js';
import type { Entry } from '../access/entry.js';
import type { Rights } from '../access/rights.js';
import type { Deleted, Erased, Pruned } from '../contract/context.js';
import type { BlobUrls } from '../ports/blob-urls.js';
import type { Clock } from '../ports/clock.js';
import type { Crypto, Signer } from '../ports/crypto.js';
import type { Store } from '../ports/store.js';
import { type Notice, type Telemetry, stopwatch } from '../ports/telemetry.js';
import type { Queries } from '../query/queries.js';
import { ComeBack, Disconnect, Rejection } from '../rejection.js';
import { ReadyPacks } from '../room/reading/ready-packs.js';
import { Room } from '../room/room.js';
import { ROOM_BYTES } from '../room/state/room-state.js';
import type { PeerIdentity } from '../tenancy/peer.js';
import { type Lease, Tenancy, type Vacate } from '../tenancy/tenancy.js';
import { inheritBlobs } from '../topology/inherited-blobs.js';
import { Budget } from '../wire/budget.js';
import { CLOSE } from '../wire/close-codes.js';
import type { Limits } from '../wire/limits.js';
import type { Negotiable } from '../wire/negotiable.js';
import { Callers } from './callers.js';
import { DiskSpace } from './disk-space.js';
import { Deletions, roomDeleted } from './deletions.js';
import { Followers } from './followers.js';
import { Quarantine, type Shut, isForGood } from './quarantine.js';
import { Joins } from './joins.js';
import { RevokedSubjects } from './revoked-subjects.js';
import { Sleepers } from './sleepers.js';
import { comeBackLater } from './spread.js';
import { wavesOf } from './waves.js';

export interface HostParts {
  readonly store: Store;
  readonly crypto: Crypto;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly limits: Limits;
  /** Public key whose tokens hold in every room; asked for when the store is open. */
  readonly adminKey: () => Promise<string | undefined>;
  readonly blobUrls: BlobUrls | undefined;
  readonly archives: ArchiveOptions;
  /** What is asked of every peer. */
  readonly entry: Entry;
  /** Told of bugs that must not stop the host. */
  readonly onFault: OnFault;
  readonly others?: OtherHosts | undefined;
}

/**
 * Other hosts on the store of this one, each with rooms of its own. Of their rooms this one keeps no copy: they are read anew for
 * each use, such as a promotion, and no peer is let in.
 */
export interface OtherHosts {
  /** Whether one of them serves a room. Where that is to be found out first, this host serves it from then on if none does. */
  serve(room: RoomId): boolean | Promise<boolean>;
  /** This host has written into a room of theirs: whoever is there hears it when its host looks. */
  wrote(room: RoomId): void;
  /** A connection counts here from now on, or does not any more: they have the same bounds, and are to heed it. */
  counted(name: string, by: 1 | -1): void;
}

/** `where` it happened, as far as that is known. */
export type OnFault = (error: unknown, where?: { readonly room?: string; readonly connection?: string }) => void;

const QUARANTINED = { msg: 'the room is quarantined', code: 'room-quarantined' };

/** A connection, as far as it concerns the end of the host. */
export interface Guest {
  readonly roomId: RoomId;
  /** Tells it to go. */
  end(): void;
  /** Tells it to go and to come again, if it has entered its room: that is another one from now on. */
  comeAgain(reason: string): void;
  /** Hears nothing of it any more. Once it has the answers to all that it has sent so far, it is told what that resolves to, and to go. */
  dismiss(farewell: Promise<Farewell>): void;
  /** What waits to be sent to it. */
  readonly waitingBytes: number;
  /** Tells it to go for a while, once it has the answers to all that it has sent so far. */
  retire(reason: string): Promise<void>;
  /** Resolves when whatever it had sent is dealt with. */
  settled(): Promise<unknown>;
  readonly rights: Rights;
  /** Asks the authentication hook again, if it was asked about this one. */
  recheck(): Promise<void>;
  /** Sends it away if it is here by a credential of that subject made before that Unix second; whether it was. */
  revoke(subject: string, before: number): boolean;
}

/** Last words to a connection: why it has to go, or for a while. */
export type Farewell = { readonly refusal: Rejection } | { readonly comeAgain: string };

interface OpenRoom {
  readonly tenancy: Promise<Tenancy>;
  /** Budget of what came too early. */
  readonly parked: Budget;
  /** The tenancy, once it is there. */
  ready?: Tenancy;
  /** Leases that are held or waited for. */
  uses: number;
  /** An application has it for good. */
  isHeld: boolean;
  /** Another host serves it: what is written there afterwards is not heard here, so no copy is kept. */
  isElsewhere: boolean;
  idleSince: number;
}

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

/** Room in which the host keeps what concerns itself; no peer may enter it. */
const OWN_ROOM = '~host' as RoomId;

/** Share of the memory for rooms that is in use after rooms were put to sleep for want of it. */
const LEFT_SHARE = 0.9;
/** Rooms are not looked through again within so many milliseconds when that was in vain. */
const PRESSED_MS = 250;
/** Who is refused for want of memory comes back within so many milliseconds. */
const FULL_MS = 30_000;

/** Sweeps in the time that a room may be idle. */
const SWEEPS = 5;

/** The id that callers of a host name a room by; throws where it is none. */
export function roomNamed(name: string): RoomId {
  const id = parseRoomId(name);
  if (!id) throw new Rejection('invalid-command', `${JSON.stringify(name)} is not a room id`);
  return id;
}

export class Rooms {
  readonly parts: HostParts;
  readonly #open = new Map<RoomId, OpenRoom>();
  /** Members of rooms that are not in memory. */
  readonly sleepers = new Sleepers();
  /** Those in this process who follow rooms. */
  readonly followers = new Followers();
  #signer: Promise<Signer> | undefined;
  #isClosed = false;
  /** See `HostParts`. */
  adminKey: string | undefined;
  #cancelSweep: (() => void) | undefined;
  /** What connections may use. */
  readonly offered: ReadonlySet<Negotiable> = new Set([
    'supports_ibf',
    'supports_mst',
    'supports_reconcile',
    'supports_binary',
    'supports_targeted_relay',
    'supports_direct_blob_io',
  ]);
  readonly usedProofs = new UsedProofs();
  readonly #ready = new ReadyPacks();
  readonly quarantine: Quarantine;
  readonly revokedSubjects = new RevokedSubjects();
  readonly callers: Callers;
  readonly joins: Joins;
  readonly #disk: DiskSpace;
  /** Rooms being put to sleep because there is too little memory. */
  #pressing: Promise<void> | undefined;
  /** When that was last over, in vain. */
  #pressedAt = Number.NEGATIVE_INFINITY;
  readonly #deletions: Deletions;
  /** What all connections have sent and is not yet processed. */
  readonly inbound: Budget;
  /** What came too early and waits, in all rooms. */
  readonly #parked: Budget;
  /** Rooms that were shut and have not finished what was under way, and names that nobody may enter just now. */
  readonly #ending = new Map<RoomId, Promise<void>>();
  /** Names of rooms in memory that have no log, each with what gives it up in the store. */
  readonly #occupied = new Map<RoomId, () => void>();
  readonly #startedAt: number;
  readonly #startedAfter = performance.now();
  readonly guests = new Set<Guest>();

  constructor(parts: HostParts) {
    this.parts = parts;
    this.quarantine = new Quarantine(parts.clock);
    this.#deletions = new Deletions({
      store: parts.store,
      clock: parts.clock,
      tombstoneMs: parts.limits.tombstoneMs,
      settle: async (id, signer) => inheritBlobs(await this.#roomOf(id, signer), parts.store.blobs),
      onFault: parts.onFault,
    });
    if (parts.limits.roomBytes > ROOM_BYTES)
      throw new RangeError(`roomBytes is ${parts.limits.roomBytes}: a room's values take at most ${ROOM_BYTES} bytes`);
    this.callers = new Callers(parts.limits, (name, by) => parts.others?.counted(name, by));
    this.joins = new Joins(parts.limits);
    this.#disk = new DiskSpace({ ...parts, leastBytes: parts.limits.diskFreeBytes });
    this.inbound = new Budget(parts.limits.hostInboxBytes);
    this.#parked = new Budget(parts.limits.hostParkedBytes);
    this.#startedAt = parts.clock.now();
    this.#watch(parts.telemetry);
  }

  /** Time at which the host began, by the clock as it is set now: one that was set back would else be before that for long. */
  get startedAt(): number {
    const uptime = performance.now() - this.#startedAfter;
    return Math.min(this.#startedAt, this.parts.clock.now() - uptime);
  }

  #watch(telemetry: Telemetry): void {
    telemetry.watch?.('rooms_bytes', () => this.#roomsBytes);
    telemetry.watch?.('rooms_limit_bytes', () => this.parts.limits.hostRoomsBytes);
    telemetry.watch?.('rooms_quarantined', () => this.quarantine.rooms.size);
    telemetry.watch?.('connections', () => this.guests.size);
    telemetry.watch?.('joins_inflight', () => this.joins.running);
    telemetry.watch?.('joins_waiting', () => this.joins.waiting);
    telemetry.watch?.('inbox_bytes', () => this.inbound.used);
    telemetry.watch?.('inbox_limit_bytes', () => this.inbound.limit);
    telemetry.watch?.('outbox_bytes', () => sumOf(this.guests, ({ waitingBytes }) => waitingBytes));
    const queries = (): Iterable<Queries> => [...this.#open.values()].flatMap(({ ready }) => ready?.queries ?? []);
    telemetry.watch?.('query_build_inflight', () => sumOf(queries(), ({ building }) => building));
    telemetry.watch?.('query_build_queue_depth', () => sumOf(queries(), ({ waiting }) => waiting));
    telemetry.watch?.('pushes_waiting', () => sumOf(this.#open.values(), ({ ready }) => ready?.room.waiting ?? 0));
  }

  /** The authority's signer; opens the store on first use. */
  signer(): Promise<Signer> {
    this.#signer ??= this.#openStore();
    return this.#signer;
  }

  /** Opens a room that is not in memory. Each lease is to be released, once. */
  async lease(roomId: string): Promise<Lease> {
    const id = roomNamed(roomId);
    if (this.#isClosed) throw new Disconnect(CLOSE.goingAway.code, 'the host is closed');
    this.quarantine.check(id);
    const room = this.#open.get(id) ?? this.#begin(id);
    const release = this.#use(id, room);
    try {
      return { tenancy: await room.tenancy, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Whether the room is being brought into memory, for whoever asked for it first. */
  isOpening(id: RoomId): boolean {
    const room = this.#open.get(id);
    return room !== undefined && room.ready === undefined;
  }

  /** A room for a peer: one that is not in memory needs memory. [LM11] */
  async enter(id: RoomId): Promise<Lease> {
    if (await this.#isElsewhere(id)) throw new Rejection('room-held', `room ${id} is served by another host`);
    if (!this.#open.has(id)) await this.#makeSpace();
    return this.lease(id);
  }

  /** Whether what would fill the disk may be written; throws while it may not. [LM12] */
  expectDisk(): void {
    this.#disk.expectSpace();
  }

  /** Why no peer should be sent here; undefined while there is no reason. */
  get unready(): string | undefined {
    if (this.#isClosed) return 'the host is closed';
    return this.#disk.isLow ? 'the disk is nearly full' : undefined;
  }

  get #roomsBytes(): number {
    return sumOf(this.#open.values(), ({ ready }) => ready?.room.weight ?? 0);
  }

  /** Puts rooms to sleep in which nothing happens, the longest silent first; refuses where that was not enough. */
  async #makeSpace(): Promise<void> {
    const { limits, clock } = this.parts;
    if (this.#roomsBytes < limits.hostRoomsBytes) return;
    if (clock.now() - this.#pressedAt > PRESSED_MS)
      this.#pressing ??= this.#press(limits.hostRoomsBytes * LEFT_SHARE).finally(() => (this.#pressing = undefined));
    await this.#pressing;
    if (this.#roomsBytes < limits.hostRoomsBytes) return;
    this.#pressedAt = clock.now();
    const wait = Math.ceil(FULL_MS * (0.2 + 0.8 * Math.random()));
    throw new ComeBack('server-full', 'the server has no memory for another room just now', wait);
  }

  async #press(enough: number): Promise<void> {
    const before = this.#open.size;
    const quiet = (room: OpenRoom): number =>
      Math.max(room.idleSince, ...(room.ready?.members ?? []).map(({ silentSince }) => silentSince ?? Infinity));
    const byQuiet = [...this.#open].map(([id, room]) => ({ id, room, since: quiet(room) }));
    byQuiet.sort((a, b) => a.since - b.since);
    for (const { id, room } of byQuiet) {
      if (this.#roomsBytes <= enough) break;
      await this.#rest(id, room, this.parts.clock.now());
    }
    const about = { rooms: before, left: this.#open.size, bytes: this.#roomsBytes };
    this.parts.telemetry.tell?.({ level: 'warn', message: 'rooms were put to sleep for want of memory', about });
  }

  /** A room for an application, which stays in memory from now on. */
  async hold(roomId: string): Promise<Room> {
    const leased = this.lease(roomId);
    const room = this.#open.get(roomId as RoomId);
    if (room) room.isHeld = true;
    return (await leased).tenancy.room;
  }

  /** Follows what another host has written into a room, where anybody is there to hear it. */
  async look(id: RoomId): Promise<void> {
    if (this.#open.has(id) || this.sleepers.of(id).length > 0 || this.followers.has(id))
      await this.withRoom(id, (room) => room.look());
  }

  /** Load of a room. Nothing is brought into memory for it. */
  load(id: RoomId): RoomLoad {
    const { ready, parked } = this.#open.get(id) ?? {};
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

  /** Answers what ends the use. */
  #use(id: RoomId, room: OpenRoom): () => void {
    room.uses++;
    return () => {
      room.uses--;
      room.idleSince = this.parts.clock.now();
      if (!room.isElsewhere || room.uses > 0 || this.#open.get(id) !== room) return;
      this.#end(id, () => undefined).catch((error: unknown) => this.parts.onFault(error));
    };
  }

  #isElsewhere(id: RoomId): boolean | Promise<boolean> {
    return this.parts.others?.serve(id) ?? false;
  }

  /** Whether anything here is about a room: it is in memory or on its way there or out of it, or somebody is in it. */
  uses(id: RoomId): boolean {
    if (this.#open.has(id) || this.#ending.has(id) || this.sleepers.of(id).length > 0) return true;
    for (const { roomId } of this.guests) if (roomId === id) return true;
    return false;
  }

  /** Rooms in memory, each with the nodes of its log that are known here. */
  get known(): ReadonlyMap<RoomId, number> {
    return new Map([...this.#open].flatMap(([id, { ready }]) => (ready ? [[id, ready.room.seq] as const] : [])));
  }

  /** Does what another host has written into the room of the host itself: rooms that are shut or not any more, and revocations. */
  async heedOwn(): Promise<void> {
    const { tenancy, release } = await this.own();
    try {
      await tenancy.room.look();
      const before = new Map(this.quarantine.rooms);
      this.quarantine.read(tenancy.room);
      for (const [id, { reason }] of this.quarantine.rooms) if (!before.has(id)) this.shut(id, reason, 'operator');
      for (const [subject, latest] of this.revokedSubjects.read(tenancy.room))
        for (const guest of this.guests) guest.revoke(subject, latest);
    } finally {
      release();
    }
  }

  /** Shuts a room: its members have to go, and nobody enters. */
  shut(id: RoomId, reason: string, by: Shut['by']): Shut {
    if (id === OWN_ROOM) throw new Rejection('invalid-command', 'the room of the host itself cannot be shut');
    const shut = this.quarantine.shut(id, reason, by);
    this.#told('warn', 'a room was shut', { room: id, reason, by });
    this.#expelSleepers(id);
    void this.#end(id, ({ members }) => {
      for (const member of members) member.expel(CLOSE.overload.code, QUARANTINED);
    });
    return shut;
  }

  /**
   * Takes a room out of memory at once, whoever is in it; resolves when what was under way there is over. Until then nobody
   * enters one of that name.
   */
  #end(id: RoomId, dismiss: (tenancy: Tenancy) => void): Promise<void> {
    const room = this.#open.get(id);
    if (!room) return Promise.resolve();
    this.#forget(id);
    const ended = room.tenancy.then(
      async (tenancy) => {
        const { tick, room: opened } = tenancy;
        this.parts.telemetry.record('rooms', -1);
        tick.rest();
        dismiss(tenancy);
        await opened.end();
        opened.intake.forgetAll();
        this.#giveUp(id);
      },
      () => this.#giveUp(id), // it never opened
    );
    return this.#bar(id, ended);
  }

  /**
   * Deletes a room, and answers when it is gone. Whoever is in it is answered what he has asked and then told so; nobody enters
   * meanwhile. [DE1]
   */
  async delete(id: RoomId, by: string): Promise<Deleted> {
    if (id === OWN_ROOM) throw new Rejection('invalid-command', 'the room of the host itself cannot be deleted');
    const signer = await this.signer();
    while (this.#ending.has(id)) await this.#ending.get(id);
    const { tenancy, release } = await this.lease(id);
    const { room } = tenancy;
    release();
    if (room.seq === 0) throw new Rejection('reject.room_not_found', `room ${id} does not exist`);
    if (this.#open.get(id)?.isHeld)
      throw new Rejection('room-held', `room ${id} is held by an application of this server`);
    const ended = this.#end(id, () => undefined);
    const deleting = ended.then(async () => {
      const own = await this.own();
      return this.#deletions.run(own.tenancy.room, room, by, signer).finally(own.release);
    });
    this.#dismissAll(
      id,
      deleting.then(
        ({ tombstone }) => ({ refusal: roomDeleted(id, tombstone) }),
        () => ({ comeAgain: comeBackLater(1, 'the room was not deleted') }),
      ),
    );
    const over = (): void => undefined;
    void this.#bar(id, deleting.then(over, over));
    const deleted = await deleting;
    this.#told('warn', 'a room was deleted', { room: id, by, nodes: deleted.seq });
    return deleted;
  }

  /** Gives up what was overwritten before a log position, while nobody is in the room. [PN1] */
  async prune({ id }: Room, before: number, by: string): Promise<Pruned> {
    const pruned = await this.#alone(id, (room) => room.prune(before, by));
    await this.#note('history.prune', id, { by, before, nodes: pruned.nodes });
    return pruned;
  }

  /**
   * Gives up what of a room's history is due by the limits of this host. A room that an application holds keeps all of it: who
   * wrote into it there would write into one that is not it any more. [PN5]
   */
  async #giveUpHistory(id: RoomId, { isHeld, ready, uses }: OpenRoom): Promise<void> {
    const { limits, clock, onFault } = this.parts;
    if (limits.historyBytes === 0 && limits.historyMs === 0) return;
    if (id === OWN_ROOM || isHeld || this.#isElsewhere(id)) return;
    if (!ready || ready.isBusy || uses > ready.size) return; // it is looked at again
    const { room, serverKey } = ready;
    try {
      const before = await room.retention.due(limits, clock.now());
      if (before === undefined) return await room.retention.noteTime(limits, clock.now());
      const { nodes, bytesBefore, bytesAfter } = await this.prune(room, before, serverKey);
      this.#told('info', 'history of a room was given up', { room: id, before, nodes, bytesBefore, bytesAfter });
    } catch (error) {
      // Full, read-only, or replaced meanwhile: it is looked at again.
      if (!(error instanceof Rejection)) onFault(error, { room: id });
    }
  }

  /** Takes a register out of the history of a room and of all its children. [VE1] */
  async erase(room: Room, key: string, by: string): Promise<Erased> {
    const erased = await this.#eraseIn(room.id, key, by);
    await this.#note('value.erase', room.id, { by, nodes: erased.nodes, left: erased.left });
    return erased;
  }

  async #eraseIn(id: RoomId, key: string, by: string): Promise<Erased> {
    const found = await this.withRoom(id, (room) => Promise.resolve(room.erasable(key)));
    if (found > 0) await this.#alone(id, (room) => room.erase(key, by));
    const [children, left] = [[] as string[], [] as string[]];
    const forks: RoomId[] = [];
    for await (const child of this.parts.store.log.forks(id)) forks.push(child);
    for (const child of forks) {
      try {
        const below = await this.#eraseIn(child, key, by);
        children.push(child, ...below.children);
        left.push(...below.left);
      } catch (error) {
        if (!(error instanceof Rejection)) throw error;
        left.push(child);
      }
    }
    return { nodes: found, children, left };
  }

  /** Runs something with a room that nobody is in, and that is opened anew afterwards. */
  async #alone<T>(id: RoomId, act: (room: Room) => Promise<T>): Promise<T> {
    if (await this.#isElsewhere(id))
      throw new Rejection('room-held', `room ${id} is served by another host: ask there`);
    return this.vacate(
      id,
      (why) => new Rejection('room-held', why),
      async (open) => act(await open()),
    );
  }

  /** Record of who has given up what, in the room of the host itself. */
  async #note(what: string, id: RoomId, about: object): Promise<void> {
    const { tenancy, release } = await this.own();
    const at = this.parts.clock.now();
    await tenancy.room.set(`audit/${what}/${id}/${at}`, { ...about, at }).finally(release);
  }

  /** Another host on this store has deleted a room that is open here. */
  #deletedElsewhere(id: RoomId): void {
    void this.#end(id, () => undefined);
    this.#dismissAll(id, Promise.resolve({ refusal: roomDeleted(id) }));
  }

  #dismissAll(id: RoomId, farewell: Promise<Farewell>): void {
    this.sleepers.take(id);
    for (const guest of this.guests) if (guest.roomId === id) guest.dismiss(farewell);
    const over = (): void => this.followers.wake(id);
    void farewell.then(over, over);
  }

  /** Lets nobody open a room before something is over. */
  #bar(id: RoomId, until: Promise<void>): Promise<void> {
    const barred = Promise.all([this.#ending.get(id), until]).then(() => undefined);
    this.#ending.set(id, barred);
    const over = (): void => {
      if (this.#ending.get(id) === barred) this.#ending.delete(id);
    };
    barred.then(over, over);
    return barred;
  }

  /**
   * Runs something while nobody is in a room of that name, which may open it for itself: whoever was there is answered what he
   * has asked, has to come again, and waits until it is done. Where that cannot be asked for, nobody notices. [TP7] [AR9]
   */
  async vacate<T>(
    id: RoomId,
    refuse: (why: string) => Rejection,
    act: (open: () => Promise<Room>) => Promise<T>,
  ): Promise<T> {
    const signer = await this.signer();
    while (this.#ending.has(id)) await this.#ending.get(id);
    await this.#deletions.check(id).catch((error: unknown) => {
      throw error instanceof Rejection ? refuse(error.message) : error;
    });
    if (this.quarantine.rooms.has(id)) throw refuse(`room ${id} is quarantined`);
    if (this.#open.get(id)?.isHeld) throw refuse(`room ${id} is held by an application of this server`);
    // In use there, the name is occupied in the store, and nothing begins under it.
    if (await this.#isElsewhere(id))
      return act(() => this.#roomOf(id, signer)).finally(() => this.parts.others?.wrote(id));
    const ended = this.#end(id, () => undefined);
    const guests = [...this.guests].filter(({ roomId }) => roomId === id);
    for (const guest of guests) guest.comeAgain(comeBackLater(guests.length, 'the room begins anew'));
    const acting = ended.then(() => act(() => this.#roomOf(id, signer)));
    void this.#bar(
      id,
      acting.then(
        () => undefined,
        () => undefined,
      ),
    );
    return acting;
  }

  /** The room is not in memory any more. */
  #forget(id: RoomId): void {
    this.#open.delete(id);
    this.#giveUp(id);
  }

  #giveUp(id: RoomId): void {
    this.#occupied.get(id)?.();
    this.#occupied.delete(id);
  }

  #expelSleepers(id: RoomId): void {
    for (const member of this.sleepers.take(id)) member.expel(CLOSE.overload.code, QUARANTINED);
  }

  /** Revokes credentials of a subject, durably, and then sends away who is here by one; answers how many that were. [AU12] */
  async revokeSubject(subject: string, before: number): Promise<number> {
    const latest = this.revokedSubjects.revoke(subject, before);
    const { tenancy, release } = await this.own();
    await this.revokedSubjects.note(tenancy.room, subject, latest).finally(release);
    return [...this.guests].filter((guest) => guest.revoke(subject, latest)).length;
  }

  /** Asks the authentication hook again about those who are here by its word. [AU11] */
  async recheck({ room, subject }: { readonly room?: string; readonly subject?: string }): Promise<void> {
    const meant = [...this.guests].filter(
      ({ roomId, rights }) => (room ?? roomId) === roomId && (subject === undefined || rights.subject === subject),
    );
    await Promise.all(meant.map((guest) => guest.recheck()));
  }

  /** The host's own room. */
  own(): Promise<Lease> {
    return this.lease(OWN_ROOM);
  }

  /** Something in a room has failed. It is told of, and too many such failures shut the room. */
  #failed(id: RoomId, error: unknown): void {
    this.parts.onFault(error, { room: id });
    if (id !== OWN_ROOM && this.quarantine.failed(id, error)) this.shut(id, 'it has failed again and again', 'host');
  }

  /**
   * Sends everybody away for a while, in waves over so many milliseconds, each with the answers to all that he has sent so far. No new
   * ones may come. [ER4]
   */
  async drain(overMs = 0): Promise<void> {
    const all = this.guests.size;
    const { waves, everyMs } = wavesOf(this.guests, overMs);
    const retire = (guests: Iterable<Guest>): Promise<unknown> =>
      Promise.all([...guests].map((guest) => guest.retire(comeBackLater(all))));
    const retiring: Promise<unknown>[] = [];
    for (const [at, wave] of waves.entries()) {
      if (at > 0) await new Promise<void>((resolve) => this.parts.clock.after(everyMs, resolve));
      retiring.push(retire(wave));
    }
    await Promise.all(retiring);
  }

  /** Takes no new work, sends everybody away, lets waiting writes finish, then closes the store. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelSweep?.();
    const guests = [...this.guests];
    for (const guest of guests) guest.end();
    await Promise.all([...guests.map((guest) => guest.settled()), this.followers.stop()]);
    const rooms = await Promise.allSettled([...this.#open.values()].map(({ tenancy }) => tenancy));
    const open = rooms.flatMap((room) => (room.status === 'fulfilled' ? room.value : []));
    for (const { tick } of open) tick.rest();
    const put = open.map(({ room }) => room.rest().catch((error: unknown) => this.parts.onFault(error)));
    await Promise.all(put);
    this.#disk.end();
    await this.#deletions.settled();
    await this.parts.store.close();
  }

  #begin(id: RoomId): OpenRoom {
    const parked = new Budget(this.parts.limits.roomParkedBytes, this.#parked);
    const before = this.#ending.get(id);
    const elsewhere = this.#isElsewhere(id);
    const room: OpenRoom = {
      tenancy: Promise.resolve(elsewhere).then((isElsewhere) => {
        room.isElsewhere = isElsewhere;
        return this.#openRoom(id, parked, { before, isElsewhere });
      }),
      parked,
      uses: 0,
      isHeld: false,
      isElsewhere: elsewhere === true,
      idleSince: 0,
    };
    this.#open.set(id, room);
    // A room that could not be opened is tried again by whoever comes next.
    room.tenancy.then(
      (tenancy) => {
        room.ready = tenancy;
        for (const member of this.sleepers.take(id)) member.wake({ tenancy, release: this.#use(id, room) });
        this.parts.telemetry.record('rooms', 1);
        this.#told('debug', 'a room is open', { room: id });
      },
      (error: unknown) => {
        if (this.#open.get(id) === room) this.#forget(id);
        if (error instanceof Rejection) return this.#sendAway(id, error);
        if (id === OWN_ROOM || !(isForGood(error) || this.quarantine.failed(id, error))) return;
        const reason = `it cannot be opened: ${String(error)}`;
        this.quarantine.shut(id, reason, 'host');
        this.#expelSleepers(id);
        this.#told('warn', 'a room was shut', { room: id, reason, by: 'host' });
      },
    );
    if (!this.#cancelSweep) this.#sweepLater();
    return room;
  }

  /** Members of a room that is not in memory, and will not be. */
  #sendAway(id: RoomId, { message: msg, reason: code }: Rejection): void {
    for (const member of this.sleepers.take(id)) member.expel(CLOSE.policy.code, { msg, code });
  }

  #sweepLater(): void {
    const { clock, limits } = this.parts;
    this.#cancelSweep = clock.after(limits.idleMs / SWEEPS, () => {
      this.#sweep().catch((error: unknown) => this.parts.onFault(error));
    });
  }

  /** Whether nobody has used the room for a while but members, who have been silent for as long. */
  #isIdle({ uses, idleSince }: OpenRoom, tenancy: Tenancy, silentSince: number): boolean {
    return uses === tenancy.size && idleSince <= silentSince && tenancy.maySleep(silentSince);
  }

  /** Rooms in which nothing happens leave memory. What they are is in the log. */
  async #sweep(): Promise<void> {
    const { clock, limits } = this.parts;
    for (const [id, room] of this.#open) {
      await room.tenancy.catch(() => undefined);
      if (await this.#deletions.isDeleted(id)) {
        this.#deletedElsewhere(id);
        continue;
      }
      await this.#giveUpHistory(id, room);
      if (this.#open.get(id) === room) await this.#rest(id, room, clock.now() - limits.idleMs);
    }
    this.#cancelSweep = undefined;
    if (this.#open.size > 0 && !this.#isClosed) this.#sweepLater();
  }

  /** Takes a room out of memory, unless something has happened there since then. */
  async #rest(id: RoomId, room: OpenRoom, silentSince: number): Promise<void> {
    const { telemetry } = this.parts;
    const tenancy = await room.tenancy.catch(() => undefined); // one that did not open is gone already
    if (!tenancy) return;
    // What is under way keeps the room: two of it would each write for itself.
    if (!this.#isIdle(room, tenancy, silentSince) || tenancy.isBusy) return;
    await tenancy.room.rest().catch((error: unknown) => this.parts.onFault(error)); // then it opens from its log
    if (this.#open.get(id) !== room || !this.#isIdle(room, tenancy, silentSince) || tenancy.isBusy) return; // meanwhile
    tenancy.tick.rest();
    tenancy.room.intake.forgetAll();
    this.#forget(id);
    this.sleepers.put(id, tenancy.members);
    telemetry.record('rooms', -1);
    telemetry.record('eviction_total', 1);
    this.#told('debug', 'a room in which nothing happened left memory', { room: id });
  }

  #told(level: Notice['level'], message: string, about: Notice['about'] & object): void {
    this.parts.telemetry.tell?.({ level, message, about });
  }

  async #openStore(): Promise<Signer> {
    const { store, crypto } = this.parts;
    await store.open();
    this.adminKey = (await this.parts.adminKey())?.toLowerCase();
    const signer = crypto.signer(await store.authoritySeed());
    await this.#disk.begin();
    if ((await store.log.head(OWN_ROOM)) === 0) return signer;
    const own = await this.#roomOf(OWN_ROOM, signer);
    this.quarantine.read(own);
    this.revokedSubjects.read(own);
    if (!(await this.#isElsewhere(OWN_ROOM))) await this.#deletions.finish(own, signer);
    return signer;
  }

  async #openRoom(
    id: RoomId,
    parked: Budget,
    { before, isElsewhere }: { readonly before: Promise<void> | undefined; readonly isElsewhere: boolean },
  ): Promise<Tenancy> {
    const signer = await this.signer();
    await before; // two of a room would each write for itself
    await this.#deletions.check(id);
    const stop = stopwatch(this.parts.telemetry, 'room_open_seconds');
    const room = await this.#occupying(id, () => this.#finishedRoom(id, signer, parked));
    stop();
    const { store, crypto, clock, telemetry, limits, archives } = this.parts;
    const { log, blobs } = store;
    await inheritBlobs(room, blobs);
    const onFault = (error: unknown): void => this.#failed(id, error);
    const withRoom = <T>(other: RoomId, act: (room: Room) => Promise<T>): Promise<T> => this.withRoom(other, act);
    const vacate: Vacate = (...asked) => this.vacate(...asked);
    const parts = { withRoom, vacate, log, blobs, signer, crypto, clock, telemetry, limits, archives, onFault };
    if (isElsewhere) room.onCommit(() => this.parts.others?.wrote(id));
    room.onCommit(() => this.followers.wake(id));
    this.followers.wake(id); // another one than before, perhaps
    return new Tenancy(room, parts);
  }

  /** Opens a room so that it stays the one that it is: before it has a log, nobody else begins one there. */
  async #occupying(id: RoomId, open: () => Promise<Room>): Promise<Room> {
    const leave = await this.parts.store.log.occupy(id);
    this.#occupied.set(id, leave);
    const room = await open();
    if (room.seq > 0) leave();
    return room;
  }

  /** Opens a room; where a process before this one had begun to give up some of its history, that is finished first. */
  async #finishedRoom(id: RoomId, signer: Signer, parked: Budget): Promise<Room> {
    const room = await this.#roomOf(id, signer, parked);
    if (!room.isDropDue) return room;
    await room.finishDrops();
    return this.#roomOf(id, signer, parked);
  }

  /** Runs something with a room open, which may leave memory afterwards. */
  async withRoom<T>(id: string, act: (room: Room) => Promise<T>): Promise<T> {
    const { tenancy, release } = await this.lease(id);
    return act(tenancy.room).finally(release);
  }

  #roomOf(id: RoomId, signer: Signer, parked?: Budget): Promise<Room> {
    const { store, crypto, telemetry, clock, limits } = this.parts;
    const { log, images } = store;
    const onFault = (error: unknown): void => this.#failed(id, error);
    return Room.open({
      id,
      log,
      images,
      crypto,
      signer,
      telemetry,
      clock,
      ...(parked ? { parked } : {}),
      ready: this.#ready,
      mostBytes: limits.roomBytes,
      // What the host itself notes is little, and says who is kept out.
      ...(id === OWN_ROOM ? {} : { mayGrow: () => this.#disk.expectSpace() }),
      onDeleted: () => this.#deletedElsewhere(id),
      onFault,
    });
  }
}

function sumOf<T>(items: Iterable<T>, amount: (item: T) => number): number {
  let sum = 0;
  for (const item of items) sum += amount(item);
  return sum;
}
