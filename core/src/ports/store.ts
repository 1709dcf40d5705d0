/**
 * Where rooms live. A store belongs to one process at a time, or to several that are its members: then each room has one of them
 * as its owner, and what another one appends to it moves the head under the owner, as for several hosts of one process.
 *
 * Durability: `append` and `merge` resolve only when what they wrote would survive a power failure; when one rejects,
 * none of it may be visible to a later `read`. Records of one room are read back in order and
 * without gaps. Rooms are independent: a slow or failing room never delays another.
 */
import type { RoomId } from '../codec/bytes/room-id.js';
import type { BlobStore } from './blob-store.js';
import type { ColdTier } from './cold-store.js';
import type { IdFiles } from './id-files.js';
import type { Membership } from './membership.js';
import type { Notes } from './notes.js';

/** Consecutive nodes of a room's log, as one pack: what one append wrote, or a segment. */
export interface LogRecord {
  /** Position of the first node. */
  readonly seq: number;
  readonly count: number;
  readonly pack: Uint8Array;
}

/** Consecutive nodes as one pack, to take the place of several records. */
export interface Segment {
  readonly count: number;
  readonly pack: Uint8Array;
}

/** A position in the log of another room. */
export interface LogOrigin {
  readonly room: RoomId;
  readonly at: number;
  /** Whether the bytes up to there are those of the other log. */
  readonly isShared: boolean;
}

export type AppendResult = { readonly seq: number } | { readonly movedTo: number } | { readonly isBarred: true };

/** What is left of a log that was removed. */
export interface Remains {
  /** Bytes that were given to `remove`. */
  readonly tombstone: Uint8Array;
  /** Nothing is written under the name. */
  readonly isBarred: boolean;
}

export interface NodeLog {
  /** The number of nodes in a room's log; 0 for a room without a durable fact. */
  head(room: RoomId): Promise<number>;
  /**
   * Appends `count` nodes at `expectedHead`, or answers where the head is now: another writer was
   * faster, and the batch must be judged again against what it wrote. To a name that is barred nothing is appended.
   */
  append(
    room: RoomId,
    expectedHead: number,
    batch: { readonly count: number; readonly pack: Uint8Array },
  ): Promise<AppendResult>;
  /** Appends several records one after the other: all of them, or none. */
  appendAll(room: RoomId, expectedHead: number, records: readonly Segment[]): Promise<AppendResult>;
  /**
   * Puts one segment in the place of consecutive records: the same nodes from `from` on, as one pack. All of it or
   * nothing, and whoever reads meanwhile sees the records or the segment, never both or a gap.
   *
   * Segments are the beginning of a log. False, and nothing is changed, when `from` is neither where a segment begins
   * nor where the segments end, or when no record or segment ends at `from + count`.
   *
   * With `head`, false as well where the log does not end there: what is merged may be older than what others have written since.
   *
   * A segment is immutable and named by the hash of its bytes; rooms with the same segment share its bytes.
   */
  merge(room: RoomId, from: number, segment: Segment, head?: number): Promise<boolean>;
  /**
   * Begins a room's log with the nodes [0, at) of another's, the bytes of which both have from then on, and a record of
   * its own behind. All of it or nothing. False, and nothing is changed, when the room has a log already, when its name is
   * occupied or barred, or when not all of those nodes are segments that end at `at`.
   */
  fork(room: RoomId, origin: Omit<LogOrigin, 'isShared'>, record: Segment): Promise<boolean>;
  /**
   * Begins a room's log with these records, all of them or none. With an origin it counts as begun by a fork there, though
   * nothing is shared and the other log may not be here. False, and nothing is changed, when the room has a log already, or
   * when its name is occupied or barred.
   */
  begin(room: RoomId, records: readonly Segment[], origin?: Omit<LogOrigin, 'isShared'>): Promise<boolean>;
  /**
   * Shared lock on the name of a room: as long as anybody holds it, in whatever process, no log is forked there. Answers what
   * gives it up; it ends with the process that holds it, too. A room that has nothing durable is occupied while it is open,
   * so that it never turns into another one.
   */
  occupy(room: RoomId): Promise<() => void>;
  /**
   * Removes a room's log: all that it holds and no other one shares, and how it began. A tombstone takes its place, and the name
   * is barred. All of it or nothing; what was forked of it keeps what it has, and shares it with no log of that name any
   * more. False, and nothing is changed, when there is no log.
   */
  remove(room: RoomId, tombstone: Uint8Array): Promise<boolean>;
  /** What is left of the last log of that name that was removed. */
  remains(room: RoomId): Promise<Remains | undefined>;
  /** From here on there may be a log under the name again. What is left of the last one stays known. */
  unbar(room: RoomId): Promise<void>;
  /** Gives the space of what was removed back. Costs time; nothing that is read changes. */
  reclaim(): Promise<void>;
  /** How a room's log began, if that was by a fork. */
  origin(room: RoomId): Promise<LogOrigin | undefined>;
  /** Rooms whose logs began as a fork of the room's, in bytewise order of their ids. */
  forks(room: RoomId): AsyncIterable<RoomId>;
  /** Records and segments that hold nodes at or after `fromSeq`, in order; the first may begin before it. */
  read(room: RoomId, fromSeq: number): AsyncIterable<LogRecord>;
  /** Rooms with at least one durable fact, in bytewise order of their ids. */
  rooms(): AsyncIterable<RoomId>;
  /** Bytes of all packs of a room's log, those that other rooms share included. */
  size(room: RoomId): Promise<number>;
}

/** What rooms were like at some position of their logs. A cache: whoever loses it reads the log. */
export interface Images {
  /** Replaces the room's image; durable and whole, or as if it had never been asked for. `bytes` are its pieces in order. */
  put(room: RoomId, bytes: readonly Uint8Array[]): Promise<void>;
  /** The newest; undefined when there is none, or a damaged one. */
  get(room: RoomId): Promise<Uint8Array | undefined>;
  /** With the files of ids that it names. */
  remove(room: RoomId): Promise<void>;
  /** Where ids of old nodes can lie; absent where they stay in memory. */
  readonly ids?: IdFiles | undefined;
}

/** What opening a room asks of a store, as it was at one moment. Of other rooms, and of what it lacks, the store is asked. */
export interface ReadAhead {
  readonly log: Pick<NodeLog, 'head' | 'origin' | 'read' | 'remains'>;
  readonly images: Pick<Images, 'get' | 'remove' | 'ids'>;
}

export interface Store {
  readonly log: NodeLog;
  readonly blobs: BlobStore;
  readonly images: Images;
  /** Opens what must be open; rejects with a `StoreError` that says what to do. Called once, first. */
  open(): Promise<void>;
  /** The Ed25519 seed of this server's authority key: made on first use, the same ever after. */
  authoritySeed(): Promise<Uint8Array>;
  /**
   * Reads ahead what opening a room will ask, where the way to the store is long; undefined where it is to be asked for one by one, and
   * absent where that costs little.
   */
  readAhead?(room: RoomId): Promise<ReadAhead | undefined>;
  /** Processes that share it, once it is open; absent where it belongs to this one alone. */
  readonly membership?: Membership | undefined;
  /** Resolves once another process has taken it over, and nothing is written here any more; absent where none can. */
  readonly lost?: Promise<Error> | undefined;
  /** Its cold tier, once it is open; absent where it has none. */
  readonly cold?: ColdTier | undefined;
  /** Notes of its server, once it is open; absent where that has a folder for them. */
  readonly notes?: Notes | undefined;
  /** Bytes that are free where it keeps its logs; absent where that cannot be said. */
  free?(): Promise<number>;
  close(): Promise<void>;
}

/**
 * Faults of a store. `locked`: another process has it, or has put this one out. `away`: it does not answer for now. `full` and `failed`
 * do not end by themselves.
 */
export type StoreFault = 'locked' | 'away' | 'unreadable' | 'newer-format' | 'damaged' | 'full' | 'failed';

export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly fault: StoreFault;

  constructor(fault: StoreFault, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.fault = fault;
  }
}
