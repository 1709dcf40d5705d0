/**
 * Rooms as the store has them: opens the store once, and rooms from it. One that is opened here is nobody's yet: that there is no
 * second one of it is for `RoomsInMemory` to see to.
 */
import { CurrentAuthority } from '../access/current-authority.js';
import { firstReign } from '../access/reign.js';
import type { Speaker } from '../access/word.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import type { Signer } from '../ports/crypto.js';
import type { ReadAhead } from '../ports/store.js';
import { ReadyPacks } from '../room/reading/ready-packs.js';
import { genesisIn, readConstitution, recoveryOfRoom } from '../room/keeping/opening.js';
import { Room } from '../room/room.js';
import { ROOM_BYTES } from '../room/state/room-state.js';
import { expectSpeaker } from '../room/state/speaker-of.js';
import { inheritBlobs } from '../topology/inherited-blobs.js';
import type { Budget } from '../wire/budget.js';
import { Deletions } from './deletions.js';
import { DiskSpace } from './disk-space.js';
import { type HostParts, OWN_ROOM } from './parts.js';
import type { Quarantine } from './quarantine.js';
import type { RevokedSubjects } from './revoked-subjects.js';

export interface StoredRoomsParts {
  readonly host: HostParts;
  readonly quarantine: Quarantine;
  readonly revokedSubjects: RevokedSubjects;
  /** Something in a room has failed. */
  readonly failed: (id: RoomId, error: unknown) => void;
  /** Another host on this store has deleted a room that is open here. */
  readonly deletedElsewhere: (id: RoomId) => void;
}

export class StoredRooms {
  readonly #parts: StoredRoomsParts;
  readonly #ready = new ReadyPacks();
  readonly disk: DiskSpace;
  readonly deletions: Deletions;
  #signer: Promise<Signer> | undefined;
  /** That of the store, once it is open. */
  #key: Signer | undefined;
  /** Who begins rooms here and speaks in them, once the store is open; the store's key alone when absent. */
  authority: CurrentAuthority | undefined;
  #renewals: Promise<unknown> = Promise.resolve();
  /** See `HostParts`. */
  adminKey: string | undefined;

  constructor(parts: StoredRoomsParts) {
    this.#parts = parts;
    const { store, clock, limits, onFault } = parts.host;
    if (limits.roomBytes > ROOM_BYTES)
      throw new RangeError(`roomBytes is ${limits.roomBytes}: a room's values take at most ${ROOM_BYTES} bytes`);
    this.disk = new DiskSpace({ ...parts.host, leastBytes: limits.diskFreeBytes });
    this.deletions = new Deletions({
      store,
      clock,
      tombstoneMs: limits.tombstoneMs,
      settle: async (id) => inheritBlobs(await this.open(id, this.#key!), store.blobs),
      speakerIn: (id) => this.#speakerIn(id),
      onFault,
    });
  }

  get isOpen(): boolean {
    return this.#key !== undefined;
  }

  /** The signer of the store's key; opens the store on first use. */
  signer(): Promise<Signer> {
    this.#signer ??= this.#openStore();
    return this.#signer;
  }

  async #openStore(): Promise<Signer> {
    const { host, quarantine, revokedSubjects } = this.#parts;
    const { store, crypto } = host;
    await store.open();
    this.adminKey = (await host.adminKey())?.toLowerCase();
    const signer = crypto.signer(await store.authoritySeed());
    this.#key = signer;
    this.authority = host.authority && new CurrentAuthority(await host.authority(signer));
    await this.disk.begin();
    // What others write into it meanwhile is heeded like what they write later.
    const ahead = await store.readAhead?.(OWN_ROOM);
    if ((await (ahead ?? store).log.head(OWN_ROOM)) === 0) return signer;
    const own = await this.open(OWN_ROOM, signer, undefined, ahead);
    quarantine.read(own);
    revokedSubjects.read(own);
    if (!(await host.others?.serve(OWN_ROOM))) await this.deletions.finish(own);
    return signer;
  }

  /** Asks again what roots have said. Where that is refused, what they had said before holds. [MA7] */
  renewAuthority(): Promise<void> {
    const renewed = this.#renewals.then(async () => {
      const signer = await this.signer();
      const said = await this.#parts.host.authority?.(signer);
      if (said) this.authority?.renew(said);
    });
    this.#renewals = renewed.catch(() => undefined); // one after the other: the last to be read holds
    return renewed;
  }

  /** Who speaks for this host in a room that is not open, and may be gone. */
  async #speakerIn(id: RoomId): Promise<Speaker> {
    const { log } = this.#parts.host.store;
    const [room, constitution] = [await genesisIn(log, id), await readConstitution(log, id)];
    const reign = firstReign(new Set(constitution?.authorities), await recoveryOfRoom(log, id));
    const signing = { signer: this.#key!, authority: this.authority };
    return room === undefined || !this.authority ? this.#key! : expectSpeaker(signing, room, reign, () => false);
  }

  /**
   * Opens a room whose name nobody enters meanwhile, unless it was deleted; where a process before this one had begun to give up some
   * of its history, that is finished first.
   */
  async openFinished(id: RoomId, signer: Signer, parked: Budget): Promise<Room> {
    const ahead = await this.#parts.host.store.readAhead?.(id);
    const isAsRead = await this.deletions.check(id, ahead?.log);
    const room = await this.open(id, signer, parked, isAsRead ? ahead : undefined);
    if (!room.isDropDue) return room;
    await room.finishDrops();
    return this.open(id, signer, parked);
  }

  async open(id: RoomId, signer: Signer, parked?: Budget, ahead?: ReadAhead): Promise<Room> {
    const { store, crypto, telemetry, clock, limits, leastDormant, leastFiled, others } = this.#parts.host;
    const { log, images } = store;
    return Room.open({
      id,
      log,
      images,
      ahead,
      crypto,
      signer,
      authority: this.authority,
      telemetry,
      clock,
      ...(parked ? { parked } : {}),
      ready: this.#ready,
      mostBytes: limits.roomBytes,
      leastDormant,
      leastFiled,
      isShared: store.membership !== undefined,
      isElsewhere: (await others?.serve(id)) ?? false,
      // What the host itself notes is little, and says who is kept out.
      ...(id === OWN_ROOM ? {} : { mayGrow: () => this.disk.expectSpace() }),
      onDeleted: () => this.#parts.deletedElsewhere(id),
      onFault: (error) => this.#parts.failed(id, error),
    });
  }

  async close(): Promise<void> {
    this.disk.end();
    await this.deletions.settled();
    await this.#parts.host.store.close();
  }
}
