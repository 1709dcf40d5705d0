/** The host with its defaults bound: the command table, and the fastest crypto of this runtime. */
import type { EntryRequest } from './access/entry-hook.js';
import { Entry, type EntryOptions } from './access/entry.js';
import { defaultCrypto } from './adapters/crypto/default.js';
import type { ArchiveOptions } from './archive/archives.js';
import { commandTable } from './commands/table.js';
import type { HostContext } from './contract/host-command.js';
import type { RoomId } from './codec/bytes/room-id.js';
import { type Bearer, type Dismissed, enterAsBearer } from './host/bearers.js';
import type { Follower, Following } from './host/followers.js';
import { type HostEvent, type HostReply, type HostRequest, submit } from './host/host-door.js';
import { type ErasedBelow, type Erasure, type OnFault, type OtherHosts, roomNamed } from './host/parts.js';
import type { Shut } from './host/quarantine.js';
import { type RoomLoad, Rooms } from './host/rooms.js';
import type { BlobUrls } from './ports/blob-urls.js';
import { type Clock, systemClock } from './ports/clock.js';
import type { Authority } from './access/authority.js';
import type { Crypto, Signer } from './ports/crypto.js';
import type { Store } from './ports/store.js';
import { type Telemetry, silent, withTracing } from './ports/telemetry.js';
import type { Tracing } from './ports/tracing.js';
import type { Room } from './room/room.js';
import { HostSessions } from './session/host-sessions.js';
import { askAsOperator } from './session/operator.js';
import type { PeerSocket } from './session/outbox.js';
import type { SessionParts } from './session/parts.js';
import { Session } from './session/session.js';
import type { Tenancy } from './tenancy/tenancy.js';
import { LIMITS, type Limits } from './wire/limits.js';

export interface HostOptions {
  readonly store: Store;
  readonly clock?: Clock;
  /** Ed25519 of the caller's; the fastest that this runtime has when absent. */
  readonly crypto?: Crypto;
  readonly telemetry?: Telemetry;
  /** Where spans of what the engine does go; nothing is traced without. */
  readonly tracing?: Tracing | undefined;
  readonly limits?: Partial<Limits>;
  /** Public key, 64 hex characters: tokens signed with its secret hold in every room. A function is asked once, when the store is open. */
  readonly adminKey?: string | (() => Promise<string | undefined>);
  /**
   * Who begins rooms and speaks in them, told when the store is open, by the store's own key, and again by `Host.renewAuthority`;
   * that key does all of it when absent. See `certifiedAuthority`.
   */
  readonly authority?: ((founder: Signer) => Promise<Authority>) | undefined;
  /** Where peers move blobs without the room's socket; without it they cannot. */
  readonly blobUrls?: BlobUrls;
  /**
   * Told of what happens to sessions that `OpenSession` has opened, unasked: `SessionHeard`, a frame as members get it, and
   * `SessionEnded` by the host.
   */
  readonly onEvent?: (event: HostEvent) => void;
  /** What is asked of every peer, and who may begin rooms; of embedded sessions nothing is asked. */
  readonly entry?: EntryOptions;
  /** Where archives lie; without it, rooms of this host are the only ones there are. */
  readonly archives?: ArchiveOptions;
  /** Told of bugs that did not stop the host; the default writes them to the console. */
  readonly onFault?: OnFault;
  /** Other hosts on the same store, where rooms are divided among several. */
  readonly others?: OtherHosts;
  /**
   * Bytes of overwritten values in one room that are worth leaving to its log, where who reads the past has them read: what pays for
   * the work when absent, 0 for any, infinite for none.
   */
  readonly leastDormant?: number;
  /**
   * Old nodes of one room whose ids are worth files beside its image, where its store keeps such: a million at first when absent, 0 for any,
   * infinite for none.
   */
  readonly leastFiled?: number;
}

/** What the engine gives a transport for one peer. None of these throws. */
export interface Connection {
  receive(frame: string | Uint8Array): void;
  /** The socket takes frames again. */
  drained(): void;
  /** The socket has taken some of what waits in it. */
  progressed(): void;
  /** The socket is gone; `by` where it was the transport that has ended it, which is counted and told like other closings. */
  closed(by?: Closing): void;
}

/** Code and reason of a closing; 1006 for one without a word. */
export interface Closing {
  readonly code: number;
  readonly reason: string;
}

export interface Host {
  /** Opens the store; rejects with a `StoreError` that says what to do. Everything else waits for it. */
  ready(): Promise<void>;
  /** Runs one command as the host's operator. */
  submit(request: HostRequest): Promise<HostReply>;
  /**
   * Lets a peer into a room over a transport of the caller's. `audiences` are the names under which peers dial this
   * server, `host:port`: a proof of key made for another name is refused. `request` is what the authentication hook hears
   * of the connection.
   */
  connect(
    roomId: RoomId,
    socket: PeerSocket,
    audiences?: readonly string[],
    request?: Omit<EntryRequest, 'room'>,
  ): Connection;
  /**
   * Lets somebody into a room who speaks another protocol with the caller, and shows a token in place of a key; undefined where
   * he has none. Rejects where a peer with it would not be let in.
   */
  bearer(roomId: string, token: unknown, gateway: Dismissed): Promise<Bearer>;
  /** A room to use directly; it stays in memory from now on. */
  room(roomId: string): Promise<Room>;
  /** Runs something with a room, which may leave memory afterwards. */
  withRoom<T>(roomId: string, act: (room: Room) => Promise<T>): Promise<T>;
  /**
   * Tells somebody in this process what is written to a room, in order, from where his cursor is: what is there already, then what comes,
   * also what comes after the room was emptied, has left memory or was opened anew.
   */
  follow(roomId: string, follower: Follower): Following;
  /** Shuts a room, across restarts too: its peers have to go, and nobody enters before it is resumed. */
  quarantine(roomId: string, reason: string): Promise<void>;
  /** Opens a room to its peers again, whoever has shut it; false when it was not shut. */
  resume(roomId: string): Promise<boolean>;
  /** Asks the authentication hook again about those who are here by its word, in a room or of a subject where one is named. */
  recheck(whom?: { readonly room?: string; readonly subject?: string }): Promise<void>;
  /**
   * Revokes what was made for a subject before a Unix second, now when absent, across restarts too: who is here by it has to go.
   * Answers how many that were.
   */
  revokeSubject(subject: string, before?: number): Promise<number>;
  /** What a room has to do just now; it need not be in memory, and is not brought there. */
  load(roomId: string): RoomLoad;
  /** Tells those in a room what another host on the store has written there. */
  look(roomId: RoomId): Promise<void>;
  /** Whether anything here is about a room: it is in memory, on its way there or out of it, or somebody is in it. */
  uses(roomId: RoomId): boolean;
  /** Rooms in memory, each with the nodes of its log that are known here. */
  readonly known: ReadonlyMap<RoomId, number>;
  /** Does what another host on the store has noted for all: rooms that are shut, and subjects whose credentials are revoked. */
  heedOwn(): Promise<void>;
  /**
   * Erases something in a child of a room of another host on the store, and in those below it; answers of which rooms, and which
   * could not be emptied for it.
   */
  eraseBelow(child: RoomId, erasure: Erasure): Promise<ErasedBelow>;
  /**
   * Asks `HostOptions.authority` again and says in each room what is new: revocations, other roots, a new key of this process.
   * Rejects with what it throws, and nothing has changed.
   */
  renewAuthority(): Promise<void>;
  /** Who speaks for this host now; undefined where the store's own key does everything, or the store is not open. */
  readonly authority: Pick<Authority, 'roots' | 'recovery' | 'signers' | 'silence'> | undefined;
  /** Counts connections that another host on the store has counted, for the bounds that all have together. */
  heed(name: string, by: number): void;
  /** Why no peer should be sent to this host just now; undefined while there is no reason. */
  readonly unready: string | undefined;
  /** Rooms that are shut. */
  readonly quarantined: ReadonlyMap<RoomId, Shut>;
  /**
   * Answers what peers have sent so far, then sends them away for a while: at once, or in waves over so many milliseconds. Whoever
   * calls it lets no new ones connect.
   */
  drain(overMs?: number): Promise<void>;
  /** Lets waiting writes finish and closes the store. */
  close(): Promise<void>;
}

export function createHost(options: HostOptions): Host {
  const limits = { ...LIMITS, ...options.limits };
  const { adminKey, blobUrls, archives = { stores: {} }, onEvent } = options;
  const {
    store,
    clock = systemClock,
    crypto = defaultCrypto,
    tracing,
    onFault = (error) => console.error(error),
    others,
    leastDormant,
    leastFiled,
  } = options;
  const telemetry = withTracing(options.telemetry ?? silent, tracing ?? options.telemetry?.tracing);
  const parts = {
    store,
    clock,
    telemetry,
    limits,
    onFault,
    crypto,
    adminKey: async () => (typeof adminKey === 'function' ? adminKey() : adminKey),
    authority: options.authority,
    blobUrls,
    archives,
    others,
    leastDormant,
    leastFiled,
    entry: new Entry(options.entry ?? {}, { clock, onFault }),
  };
  const rooms = new Rooms(parts);
  const connect = (at: Omit<SessionParts, 'rooms' | 'table'>): Session =>
    new Session({ rooms, table: commandTable, ...at });
  const tell = (event: HostEvent): void => {
    try {
      onEvent?.(event);
    } catch (error) {
      onFault(error);
    }
  };
  const sessions = new HostSessions({
    connect: (at, socket) => connect({ ...at, socket, audiences: [] }),
    heard: (room_id, session_id, frame) => tell({ SessionHeard: { room_id, session_id, frame } }),
    ended: (room_id, session_id, code, reason) => tell({ SessionEnded: { room_id, session_id, code, reason } }),
  });
  const contextOf = (tenancy: Tenancy): HostContext => ({
    tenancy,
    sessions,
    blobUrls,
    blobs: store.blobs,
    crypto: parts.crypto,
    ask: (command, input) => askAsOperator(rooms, tenancy, command, input),
    other: (room) => rooms.lease(room),
    mayVisit: () => Promise.resolve(),
  });
  return {
    ready: async () => void (await rooms.signer()),
    submit: (request) => submit({ rooms, table: commandTable, contextOf }, request),
    connect: (roomId, socket, audiences = [], request) =>
      connect({
        roomId,
        socket,
        audiences,
        address: request?.address,
        request: parts.entry.hook && request,
        sessionId: globalThis.crypto.randomUUID(),
      }),
    bearer: (roomId, token, gateway) => enterAsBearer(rooms, roomId, token, gateway),
    // Whoever holds a room needs it to stay the one that the host has.
    room: (roomId) => rooms.inMemory.hold(roomId),
    withRoom: (roomId, act) => rooms.inMemory.withRoom(roomId, act),
    follow: (roomId, follower) => rooms.inMemory.followers.follow(rooms.inMemory, roomNamed(roomId), follower),
    async quarantine(name, reason) {
      const roomId = roomNamed(name);
      const { tenancy, release } = await rooms.inMemory.own();
      const shut = rooms.inMemory.shut(roomId, reason, 'operator');
      await rooms.quarantine.note(tenancy.room, roomId, shut).finally(release);
    },
    async resume(name) {
      const roomId = roomNamed(name);
      const { tenancy, release } = await rooms.inMemory.own();
      await rooms.quarantine.note(tenancy.room, roomId, undefined).finally(release);
      return rooms.quarantine.resume(roomId);
    },
    recheck: (whom = {}) => rooms.guests.recheck(whom),
    revokeSubject: (subject, before = Math.floor(clock.now() / 1000)) => rooms.revokeSubject(subject, before),
    load: (roomId) => rooms.load(roomNamed(roomId)),
    look: (roomId) => rooms.inMemory.look(roomId),
    uses: (roomId) => rooms.inMemory.uses(roomId),
    get known() {
      return rooms.inMemory.known;
    },
    heedOwn: () => rooms.heedOwn(),
    renewAuthority: () => rooms.renewAuthority(),
    get authority() {
      return rooms.inMemory.stored.authority;
    },
    eraseBelow: (child, erasure) => rooms.givingUp.eraseBelow(child, erasure),
    heed: (name, by) => void rooms.callers.heed(name, by),
    get unready() {
      return rooms.unready;
    },
    get quarantined() {
      return rooms.quarantine.rooms;
    },
    drain: (overMs) => rooms.drain(overMs),
    close: () => rooms.close(),
  };
}
