/**
 * Rooms in memory, each opened once. The one owner of which room is there, on its way there or out of it, of who sleeps in one that is
 * not, and of names that nobody may enter just now: two of a room would each write for itself.
 */
import type { RoomId } from '../codec/bytes/room-id.js';
import { type Notice, stopwatch } from '../ports/telemetry.js';
import { Disconnect, Rejection } from '../rejection.js';
import type { Room } from '../room/room.js';
import { type Lease, Tenancy, type Vacate } from '../tenancy/tenancy.js';
import { inheritBlobs } from '../topology/inherited-blobs.js';
import { Budget } from '../wire/budget.js';
import { CLOSE } from '../wire/close-codes.js';
import { roomDeleted } from './deletions.js';
import { Followers } from './followers.js';
import { type Farewell, Guests } from './guests.js';
import { type HostParts, OWN_ROOM, roomNamed } from './parts.js';
import { Quarantine, type Shut, isForGood } from './quarantine.js';
import { RevokedSubjects } from './revoked-subjects.js';
import { Sleepers } from './sleepers.js';
import { comeBackLater } from './spread.js';
import { StoredRooms } from './stored-rooms.js';

const QUARANTINED = { msg: 'the room is quarantined', code: 'room-quarantined' };

export interface OpenRoom {
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

export class RoomsInMemory {
  readonly #parts: HostParts;
  readonly #open = new Map<RoomId, OpenRoom>();
  /** Rooms that were shut and have not finished what was under way, and names that nobody may enter just now. */
  readonly #ending = new Map<RoomId, Promise<void>>();
  /** Names of rooms in memory that have no log, each with what gives it up in the store. */
  readonly #occupied = new Map<RoomId, () => void>();
  /** What came too early and waits, in all rooms. */
  readonly #allParked: Budget;
  readonly stored: StoredRooms;
  /** Members of rooms that are not in memory. */
  readonly sleepers = new Sleepers();
  /** Those in this process who follow rooms. */
  readonly followers = new Followers();
  readonly quarantine: Quarantine;
  readonly revokedSubjects = new RevokedSubjects();
  readonly guests = new Guests();
  readonly #begun: (() => void)[] = [];
  #isClosed = false;

  constructor(parts: HostParts) {
    this.#parts = parts;
    this.quarantine = new Quarantine(parts.clock);
    this.#allParked = new Budget(parts.limits.hostParkedBytes);
    this.stored = new StoredRooms({
      host: parts,
      quarantine: this.quarantine,
      revokedSubjects: this.revokedSubjects,
      failed: (id, error) => this.#failed(id, error),
      deletedElsewhere: (id) => this.deletedElsewhere(id),
    });
  }

  /** Whether rooms may be brought here no more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  [Symbol.iterator](): Iterator<[RoomId, OpenRoom]> {
    return this.#open.entries();
  }

  get size(): number {
    return this.#open.size;
  }

  get(id: RoomId): OpenRoom | undefined {
    return this.#open.get(id);
  }

  /** Tells whenever a room is on its way into memory. */
  onBegun(listener: () => void): void {
    this.#begun.push(listener);
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

  /** Answers what ends the use. */
  #use(id: RoomId, room: OpenRoom): () => void {
    room.uses++;
    return () => {
      room.uses--;
      room.idleSince = this.#parts.clock.now();
      if (!room.isElsewhere || room.uses > 0 || this.#open.get(id) !== room) return;
      this.#end(id).catch((error: unknown) => this.#parts.onFault(error));
    };
  }

  /** Runs something with a room open, which may leave memory afterwards. */
  async withRoom<T>(id: string, act: (room: Room) => Promise<T>): Promise<T> {
    const { tenancy, release } = await this.lease(id);
    return act(tenancy.room).finally(release);
  }

  /** A room for an application, which stays in memory from now on. */
  async hold(roomId: string): Promise<Room> {
    const leased = this.lease(roomId);
    const room = this.#open.get(roomId as RoomId);
    if (room) room.isHeld = true;
    return (await leased).tenancy.room;
  }

  /** The host's own room. */
  own(): Promise<Lease> {
    return this.lease(OWN_ROOM);
  }

  isElsewhere(id: RoomId): boolean | Promise<boolean> {
    return this.#parts.others?.serve(id) ?? false;
  }

  /** Whether anything here is about a room: it is in memory or on its way there or out of it, or somebody is in it. */
  uses(id: RoomId): boolean {
    return this.#open.has(id) || this.#ending.has(id) || this.sleepers.of(id).length > 0 || this.guests.isAnyIn(id);
  }

  /** Rooms in memory, each with the nodes of its log that are known here. */
  get known(): ReadonlyMap<RoomId, number> {
    return new Map([...this.#open].flatMap(([id, { ready }]) => (ready ? [[id, ready.room.seq] as const] : [])));
  }

  /** Says in rooms that are in memory what roots have said meanwhile; whichever comes later says it when it is opened. [MA7] */
  async heedAuthority(): Promise<void> {
    for (const [id, { tenancy }] of [...this.#open]) {
      const { room } = (await tenancy.catch(() => undefined)) ?? {};
      const failed = (error: unknown): void => this.#parts.onFault(error, { room: id });
      if (room && this.#open.get(id)?.tenancy === tenancy) await room.heedAuthority().catch(failed);
    }
  }

  /** Follows what another host has written into a room, where anybody is there to hear it. */
  async look(id: RoomId): Promise<void> {
    if (this.#open.has(id) || this.sleepers.of(id).length > 0 || this.followers.has(id))
      await this.withRoom(id, (room) => room.look());
  }

  #begin(id: RoomId): OpenRoom {
    const parked = new Budget(this.#parts.limits.roomParkedBytes, this.#allParked);
    const before = this.#ending.get(id);
    const elsewhere = this.isElsewhere(id);
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
      (tenancy) => this.#opened(id, room, tenancy),
      (error: unknown) => this.#notOpened(id, room, error),
    );
    for (const listener of this.#begun) listener();
    return room;
  }

  async #openRoom(
    id: RoomId,
    parked: Budget,
    { before, isElsewhere }: { readonly before: Promise<void> | undefined; readonly isElsewhere: boolean },
  ): Promise<Tenancy> {
    const signer = await this.stored.signer();
    await before; // two of a room would each write for itself
    const stop = stopwatch(this.#parts.telemetry, 'room_open_seconds');
    const room = await this.#occupying(id, () => this.stored.openFinished(id, signer, parked));
    stop();
    const { store, crypto, clock, telemetry, limits, archives } = this.#parts;
    const { log, blobs } = store;
    await inheritBlobs(room, blobs);
    await room.heedAuthority();
    const onFault = (error: unknown): void => this.#failed(id, error);
    const withRoom = <T>(other: RoomId, act: (room: Room) => Promise<T>): Promise<T> => this.withRoom(other, act);
    const vacate: Vacate = (...asked) => this.vacate(...asked);
    const { authority } = this.stored;
    const kept = { log, blobs, signer, authority, crypto, clock, telemetry, limits, archives };
    const parts = { ...kept, withRoom, vacate, onFault };
    if (isElsewhere) room.onCommit(() => this.#parts.others?.wrote(id));
    room.onCommit(() => this.followers.wake(id));
    this.followers.wake(id); // another one than before, perhaps
    return new Tenancy(room, parts);
  }

  /** Opens a room so that it stays the one that it is: before it has a log, nobody else begins one there. */
  async #occupying(id: RoomId, open: () => Promise<Room>): Promise<Room> {
    const leave = await this.#parts.store.log.occupy(id);
    this.#occupied.set(id, leave);
    const room = await open();
    if (room.seq > 0) leave();
    return room;
  }

  #opened(id: RoomId, room: OpenRoom, tenancy: Tenancy): void {
    room.ready = tenancy;
    for (const member of this.sleepers.take(id)) member.wake({ tenancy, release: this.#use(id, room) });
    this.#parts.telemetry.record('rooms', 1);
    this.#told('debug', 'a room is open', { room: id });
  }

  #notOpened(id: RoomId, room: OpenRoom, error: unknown): void {
    if (this.#open.get(id) === room) this.#forget(id);
    if (error instanceof Rejection) return this.#sendAway(id, error);
    if (id === OWN_ROOM || !(isForGood(error) || this.quarantine.failed(id, error))) return;
    const reason = `it cannot be opened: ${String(error)}`;
    this.quarantine.shut(id, reason, 'host');
    this.#expelSleepers(id);
    this.#told('warn', 'a room was shut', { room: id, reason, by: 'host' });
  }

  /** Members of a room that is not in memory, and will not be. */
  #sendAway(id: RoomId, refusal: Rejection): void {
    for (const member of this.sleepers.take(id)) member.dismissBy(refusal);
  }

  #expelSleepers(id: RoomId): void {
    for (const member of this.sleepers.take(id)) member.expel(CLOSE.overload.code, QUARANTINED);
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

  /** Whether nobody has used the room for a while but members, who have been silent for as long, and nothing is under way there. */
  #mayRest({ uses, idleSince }: OpenRoom, tenancy: Tenancy, silentSince: number): boolean {
    const isIdle = uses === tenancy.size && idleSince <= silentSince && tenancy.maySleep(silentSince);
    return isIdle && !tenancy.isBusy; // what is under way keeps the room: two of it would each write for itself
  }

  /** Takes a room out of memory, unless something has happened there since then. What it is stands in the log. */
  async rest(id: RoomId, room: OpenRoom, silentSince: number): Promise<void> {
    const { telemetry } = this.#parts;
    const tenancy = await room.tenancy.catch(() => undefined); // one that did not open is gone already
    if (!tenancy || !this.#mayRest(room, tenancy, silentSince)) return;
    await tenancy.room.rest().catch((error: unknown) => this.#parts.onFault(error)); // then it opens from its log
    if (this.#open.get(id) !== room || !this.#mayRest(room, tenancy, silentSince)) return; // meanwhile
    tenancy.tick.rest();
    tenancy.room.intake.forgetAll();
    this.#forget(id);
    this.sleepers.put(id, tenancy.members);
    telemetry.record('rooms', -1);
    telemetry.record('eviction_total', 1);
    this.#told('debug', 'a room in which nothing happened left memory', { room: id });
  }

  /** Something in a room has failed. It is told of, and too many such failures shut the room. */
  #failed(id: RoomId, error: unknown): void {
    this.#parts.onFault(error, { room: id });
    if (this.#open.get(id)?.ready?.room.fault) return this.beginAnew(id);
    if (id !== OWN_ROOM && this.quarantine.failed(id, error)) this.shut(id, 'it has failed again and again', 'host');
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
  #end(id: RoomId, dismiss?: (tenancy: Tenancy) => void): Promise<void> {
    const room = this.#open.get(id);
    if (!room) return Promise.resolve();
    this.#forget(id);
    const ended = room.tenancy.then(
      async (tenancy) => {
        const { tick, room: opened } = tenancy;
        this.#parts.telemetry.record('rooms', -1);
        tick.rest();
        dismiss?.(tenancy);
        await opened.end();
        opened.intake.forgetAll();
        this.#giveUp(id);
      },
      () => this.#giveUp(id), // it never opened
    );
    return this.#bar(id, ended);
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

  /** Resolves when what was under way in rooms of that name that were taken out is over. */
  async #free(id: RoomId): Promise<void> {
    while (this.#ending.has(id)) await this.#ending.get(id);
  }

  /** Takes a room out of memory and then runs something, while nobody enters. */
  #emptied<T>(id: RoomId, act: () => Promise<T>): Promise<T> {
    const over = (): void => undefined;
    // Two who have found the name free at once take turns: each would write the log anew for itself.
    const before = this.#ending.get(id)?.catch(over);
    const acting = Promise.all([before, this.#end(id)]).then(act);
    void this.#bar(id, acting.then(over, over));
    return acting;
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
    const signer = await this.stored.signer();
    await this.#free(id);
    await this.stored.deletions.check(id).catch((error: unknown) => {
      throw error instanceof Rejection ? refuse(error.message) : error;
    });
    if (this.quarantine.rooms.has(id)) throw refuse(`room ${id} is quarantined`);
    if (this.#open.get(id)?.isHeld) throw refuse(`room ${id} is held by an application of this server`);
    // In use there, the name is occupied in the store, and nothing begins under it; what asks reads its own copy here, which may not.
    if (await this.isElsewhere(id)) {
      this.#giveUp(id);
      return act(() => this.stored.open(id, signer)).finally(() => this.#parts.others?.wrote(id));
    }
    const acting = this.#emptied(id, () => act(() => this.stored.open(id, signer)));
    this.guests.comeAgain(id);
    return acting;
  }

  /**
   * Runs what removes a room once nobody is in it. Whoever was there is answered what he has asked, and then told what `farewell`
   * makes of it; nobody enters meanwhile. [DE1]
   */
  async remove<T>(
    id: RoomId,
    act: (room: Room) => Promise<T>,
    farewell: (removed: Promise<T>) => Promise<Farewell>,
  ): Promise<T> {
    await this.stored.signer();
    await this.#free(id);
    const { tenancy, release } = await this.lease(id);
    const { room } = tenancy;
    release();
    if (room.seq === 0) throw new Rejection('reject.room_not_found', `room ${id} does not exist`);
    if (this.#open.get(id)?.isHeld)
      throw new Rejection('room-held', `room ${id} is held by an application of this server`);
    room.expectVoice(); // nobody has to go for a tombstone that cannot be signed
    const removing = this.#emptied(id, () => act(room));
    this.#dismiss(id, farewell(removing));
    return removing;
  }

  /** Another host on this store has deleted a room that is open here. */
  deletedElsewhere(id: RoomId): void {
    void this.#end(id);
    this.#dismiss(id, Promise.resolve({ refusal: roomDeleted(id) }));
  }

  /** An id of the room could not be read: what it is in memory counts for nothing, and who is there comes back to what its log says. */
  beginAnew(id: RoomId): void {
    void this.#end(id);
    this.#dismiss(id, Promise.resolve({ comeAgain: comeBackLater(1, 'the room is read anew') }));
    this.#told('warn', 'a room is read from its log anew: a file of its ids is damaged', { room: id });
  }

  #dismiss(id: RoomId, farewell: Promise<Farewell>): void {
    this.sleepers.take(id);
    this.guests.dismiss(id, farewell);
    const over = (): void => this.followers.wake(id);
    void farewell.then(over, over);
  }

  #told(level: Notice['level'], message: string, about: Notice['about'] & object): void {
    this.#parts.telemetry.tell?.({ level, message, about });
  }

  /** Takes no new work, sends everybody away, lets waiting writes finish, then closes the store. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.guests.end(), this.followers.stop()]);
    const rooms = await Promise.allSettled([...this.#open.values()].map(({ tenancy }) => tenancy));
    const open = rooms.flatMap((room) => (room.status === 'fulfilled' ? room.value : []));
    for (const { tick } of open) tick.rest();
    await Promise.all(open.map(({ room }) => room.rest().catch((error: unknown) => this.#parts.onFault(error))));
    await this.stored.close();
  }
}
