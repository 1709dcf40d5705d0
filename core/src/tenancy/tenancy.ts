/** Tenancy: one open room and those who are in it. */
import type { Authority } from '../access/authority.js';
import type { Globs } from '../access/glob.js';
import type { Rights } from '../access/rights.js';
import { type ArchiveOptions, Archives } from '../archive/archives.js';
import type { RoomId } from '../codec/bytes/room-id.js';
import type { BlobStore } from '../ports/blob-store.js';
import type { Clock } from '../ports/clock.js';
import type { Crypto, Signer } from '../ports/crypto.js';
import type { NodeLog } from '../ports/store.js';
import { type Telemetry, stopwatch } from '../ports/telemetry.js';
import { Queries } from '../query/queries.js';
import type { Rejection } from '../rejection.js';
import type { Room } from '../room/room.js';
import type { Commit } from '../room/writing/commit.js';
import { Children } from '../topology/children.js';
import { Promotions } from '../topology/promotions.js';
import { CLOSE } from '../wire/close-codes.js';
import { type Frame, SharedFrame } from '../wire/frame.js';
import type { Limits } from '../wire/limits.js';
import { tickResult } from '../wire/notices.js';
import type { PeerIdentity } from './peer.js';
import { Presence } from './presence.js';
import { RecentConflicts } from './recent-conflicts.js';
import { type IntentResult, Tick } from './tick.js';

export interface Member {
  readonly identity: PeerIdentity;
  readonly rights: Rights;
  deliver(frame: SharedFrame): void;
  /** Frames that are sent as the socket takes them. */
  stream(frames: readonly SharedFrame[]): void;
  committed(commit: Commit): void;
  /** Ends the connection; `error` is what the peer is told before. */
  expel(code: number, error: { readonly msg: string; readonly code: string }): void;
  /** Ends the connection by a refusal, which the peer is told before: for good, or for a while where it may be granted later. */
  dismissBy(refusal: Rejection): void;
  /** Since when, in Unix milliseconds, it has neither said nor been owed anything; undefined while something is under way. */
  readonly silentSince: number | undefined;
  /** The room leaves memory, but not the peer. Only while it is silent. */
  sleep(): void;
  /** The room is back. */
  wake(lease: Lease): void;
  /** Another connection goes on as this peer: answers what was waiting to be sent, and nobody hears that it left. */
  supersede(): readonly SharedFrame[];
}

/** Frame for those who may read the keys of these patterns alone, all keys where there are none; undefined: they hear nothing. */
export type FrameFor = (readable: Globs | undefined) => Frame | undefined;

/** Lease of a room: as long as somebody holds one, the room stays in memory. */
export interface Lease {
  readonly tenancy: Tenancy;
  release(): void;
}

/** Runs something while nobody is in a room of that name; see `Rooms.vacate`. */
export type Vacate = <T>(
  id: RoomId,
  refuse: (why: string) => Rejection,
  act: (open: () => Promise<Room>) => Promise<T>,
) => Promise<T>;

export interface TenancyParts {
  /** Runs something with another room open. */
  readonly withRoom: <T>(id: RoomId, act: (room: Room) => Promise<T>) => Promise<T>;
  readonly vacate: Vacate;
  readonly log: NodeLog;
  readonly blobs: BlobStore;
  readonly signer: Signer;
  readonly authority?: Authority | undefined;
  readonly crypto: Crypto;
  readonly clock: Clock;
  readonly archives: ArchiveOptions;
  readonly telemetry: Telemetry;
  readonly limits: Limits;
  readonly onFault: (error: unknown) => void;
}

export class Tenancy {
  readonly room: Room;
  /** Public key that this host speaks for the room with. */
  readonly serverKey: string;
  readonly presence: Presence;
  readonly tick: Tick;
  readonly children: Children;
  readonly promotions: Promotions;
  readonly queries: Queries;
  readonly conflicts: RecentConflicts;
  readonly archives: Archives;
  readonly #members = new Map<string, Member>();

  constructor(room: Room, parts: TenancyParts) {
    const { withRoom, vacate, log, blobs, signer, authority, crypto, clock, telemetry, limits, onFault } = parts;
    this.room = room;
    this.serverKey = room.speaker.publicKey;
    this.presence = new Presence(clock, limits.presenceBytes);
    // What somebody may not read, it does not hear of either. [TI5]
    const decided = (results: readonly IntentResult[]): void =>
      this.broadcastReadable((readable) => {
        const heard = readable ? results.filter(({ key }) => readable.matches(key)) : results;
        return heard.length > 0 ? tickFrame(heard) : undefined;
      });
    const told = (hash: string): Promise<number | undefined> => this.queries.toldAt(hash);
    this.children = new Children({ room, log, blobs, signer, authority, clock, told, vacate });
    this.promotions = new Promotions({ room, log, blobs, telemetry, withRoom });
    this.tick = new Tick({ room, clock, decided, onFault });
    this.queries = new Queries(room, telemetry);
    this.conflicts = new RecentConflicts(room, clock);
    const kept = { room, log, blobs, crypto, signer, authority, clock, telemetry, vacate };
    this.archives = new Archives({ ...kept, ...parts.archives });
    room.onCommit((commit) => {
      const stop = stopwatch(telemetry, 'fanout_seconds');
      for (const member of this.#members.values()) member.committed(commit);
      stop();
    });
  }

  /** Whether something is under way that nobody may be waiting for any more. */
  get isBusy(): boolean {
    return !this.room.isIdle || this.tick.isBusy || this.queries.building > 0 || this.archives.isBusy;
  }

  /** How many are in it. */
  get size(): number {
    return this.#members.size;
  }

  /** Whether its members, if there are any, would miss nothing if it left memory. */
  maySleep(silentSince: number): boolean {
    if (this.size === 0) return true;
    if (this.tick.settings || this.presence.frames.length > 0 || !this.room.intake.isEmpty) return false;
    for (const member of this.#members.values())
      if (member.silentSince === undefined || member.silentSince > silentSince) return false;
    return true;
  }

  get members(): readonly Member[] {
    return [...this.#members.values()];
  }

  get identities(): readonly PeerIdentity[] {
    return this.members.map((member) => member.identity);
  }

  /** Answers what takes the member out again. */
  join(member: Member): () => void {
    const { sessionId } = member.identity;
    this.#members.set(sessionId, member);
    return () => {
      this.#members.delete(sessionId);
      this.presence.forget(sessionId);
    };
  }

  /** Sends a frame to everybody, or to those whom `to` names. */
  broadcast(frame: SharedFrame, to: (peer: PeerIdentity) => boolean = () => true): void {
    for (const member of this.members) if (to(member.identity)) member.deliver(frame);
  }

  /** Sends each member what it may hear, made once for all who may read the same. */
  broadcastReadable(frameFor: FrameFor, to: (peer: PeerIdentity) => boolean = () => true): void {
    const frames = new Map<string, SharedFrame | undefined>();
    for (const member of this.members) {
      if (!to(member.identity)) continue;
      const { read } = member.rights;
      const name = JSON.stringify(read?.patterns ?? 'all');
      if (!frames.has(name)) {
        const frame = frameFor(read);
        frames.set(name, frame && new SharedFrame(frame));
      }
      const frame = frames.get(name);
      if (frame) member.deliver(frame);
    }
  }

  /** Sends frames to those who hear them, as their sockets take them. */
  stream(frames: readonly Frame[], hears: (rights: Rights) => boolean): void {
    const shared = frames.map((frame) => new SharedFrame(frame));
    for (const member of this.members) if (hears(member.rights)) member.stream(shared);
  }

  /** Ends connections of members; `msg` says why. */
  expel(whom: (member: Member) => boolean, msg: string): void {
    for (const member of this.members) if (whom(member)) member.expel(CLOSE.policy.code, { msg, code: 'auth' });
  }
}

/** Notice of what a tick has decided. */
function tickFrame(results: readonly IntentResult[]): Frame {
  return tickResult.frame({
    results: results.map(({ intentNode, node, ...result }) => ({
      ...result,
      intent_node_id: intentNode,
      ...(node === undefined ? {} : { node_id: node }),
    })),
  });
}
